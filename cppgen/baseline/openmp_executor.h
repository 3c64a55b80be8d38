#pragma once
#include <memory>

#include "runtime/threads/executor.h"

namespace cppgen::baseline {

// Runs regions on OpenMP's threads, the ones that oneDNN uses: a second set of hot threads would take cores from it.
std::unique_ptr<rt::Executor> make_openmp_executor(int threads);

// While it lives, parallel regions of the calling thread have this many threads.
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
