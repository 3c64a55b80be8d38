#pragma once
#include <atomic>
#include <functional>

#include "cppgen.h"
#include "cppgen/onnxruntime/ort_call.h"

namespace cppgen::ep {

// The threads of ONNX Runtime's sessions, lent to runs of cppgen: so a session has as many as its user wants, and no
// two pools spin on the same cores. ONNX Runtime lends threads only to a call that it waits for, so a run takes place
// inside such a call (KernelContext_ParallelFor), whose other iterations help.
//
// One run at a time has them: a thread that helps returns when no run of the pool has work for it, so with several runs
// it could stay after the end of the one that waits for it. The others have to use sessions without this pool.
class HostThreads {
 public:
  // At most so many threads work for a run.
  explicit HostThreads(int threads) : threads_(threads) {}

  // Returns what cppgen_pool_create_on_spinning takes, with a time of 0. It refers to this object.
  cppgen_executor executor();

  // Makes its owner the only one that may call run(), if there is no other one.
  class Turn {
   public:
    explicit Turn(HostThreads& threads) : threads_(threads), taken_(!threads.busy_.exchange(true)) {}
    Turn(const Turn&) = delete;
    ~Turn() {
      if (taken_) threads_.busy_ = false;
    }
    explicit operator bool() const { return taken_; }

   private:
    HostThreads& threads_;
    const bool taken_;
  };

  // Calls `run`, on any thread. Within it, cppgen may get help from the other threads of the session if `with_help`.
  // Returns whether cppgen asked for it, so that runs that are too short for it do without. Throws what `run` throws.
  bool run(const ort::Api& api, const ort::KernelContext* context, bool with_help, const std::function<void()>& run);

  // Returns how many threads the session has, at most as many as may work for a run; 0 as long as it is not known,
  // which the first runs find out. Only who has the turn may call it.
  int count(const ort::Api& api, const ort::KernelContext* context);

 private:
  const int threads_;
  std::atomic<bool> busy_{false};
  int count_ = 1, meetings_ = 0;
};

// A number of threads that suits this machine: one for each processor that the process may use.
int usable_threads();

}  // namespace cppgen::ep
