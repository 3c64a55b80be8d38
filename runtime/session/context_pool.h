#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/session/run_context.h"
#include "runtime/session/session_executors.h"

namespace cppgen::rt {

// The executors of a session, one for each stream, and the memory of its runs. May be used from several threads at
// once.
class ContextPool {
 public:
  ContextPool(const Executable&, Executors, RunMemory, Instruments&);

  // A context for one run on the stream with the fewest runs in progress.
  class Lease {
   public:
    explicit Lease(ContextPool& pool) : pool_(pool), stream_(pool.take(context_)) {}
    ~Lease() { pool_.give_back(stream_, std::move(context_)); }
    Lease(const Lease&) = delete;
    RunContext* operator->() { return context_.get(); }
    Executor& executor() { return *pool_.streams_[stream_].executor; }

   private:
    ContextPool& pool_;
    std::unique_ptr<RunContext> context_;
    size_t stream_;
  };

  // Runs that begin later find a constant there; null: in the weights. No run may be in progress.
  void replace(int32_t buffer, const void* data);

  int threads() const;  // of a stream, at most

 private:
  struct Stream {
    std::shared_ptr<Executor> executor;
    std::vector<std::unique_ptr<RunContext>> free;
    size_t contexts = 0;
  };
  size_t take(std::unique_ptr<RunContext>&);
  void give_back(size_t stream, std::unique_ptr<RunContext>);

  const Executable& executable_;
  const RunMemory memory_;
  Instruments& instruments_;
  std::vector<const void*> replaced_;  // by buffer; empty: none
  std::mutex mutex_;
  std::vector<Stream> streams_;
};

}  // namespace cppgen::rt
