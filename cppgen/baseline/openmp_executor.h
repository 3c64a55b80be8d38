#pragma once
#include <memory>

#include "runtime/threads/executor.h"

namespace cppgen::baseline {

// Runs regions on the OpenMP threads that oneDNN uses: a second set of spinning threads would take cores from it.
std::unique_ptr<rt::Executor> make_openmp_executor(int threads);

// During its lifetime, parallel regions of the calling thread have this many threads.
class OpenMpThreads {
 public:
  explicit OpenMpThreads(int threads);
  ~OpenMpThreads();
  OpenMpThreads(const OpenMpThreads&) = delete;
  OpenMpThreads& operator=(const OpenMpThreads&) = delete;

 private:
  int old_;
};

}  // namespace cppgen::baseline
