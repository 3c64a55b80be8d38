#include "cppgen/baseline/openmp_executor.h"

#include <omp.h>

#include <algorithm>
#include <mutex>

#include "cppgen/baseline/onednn_plugin.h"
#include "isa/arch/arch.h"
#include "runtime/threads/float_environment.h"
#include "runtime/threads/region.h"

namespace cppgen::baseline {
namespace {

class OpenMpExecutor final : public rt::Executor {
 public:
  explicit OpenMpExecutor(int threads) : threads_(threads), region_(threads) {}

  bool run(std::span<const rt::StepView> steps, const std::atomic<bool>* stop) override {
    const std::lock_guard lock(mutex_);
    region_.open(steps, stop);
    const bool parallel = std::any_of(steps.begin(), steps.end(), [](const auto& step) { return step.chunks > 1; });
#pragma omp parallel num_threads(parallel ? threads_ : 1)
    work(omp_get_thread_num());
    return region_.close();
  }

  int threads() const override { return threads_; }
  std::string_view backend() const override { return "openmp"; }

 private:
  void work(int worker) {
    const rt::FloatEnvironment environment;
    while (!region_.finished())
      if (!region_.work(worker)) arch::spin_pause();
  }

  const int threads_;
  std::mutex mutex_;
  rt::Region region_;
};

}  // namespace

std::unique_ptr<rt::Executor> make_openmp_executor(int threads) { return std::make_unique<OpenMpExecutor>(threads); }

OpenMpThreads::OpenMpThreads(int threads) : old_(omp_get_max_threads()) { omp_set_num_threads(threads); }
OpenMpThreads::~OpenMpThreads() { omp_set_num_threads(old_); }

void end_openmp_threads() { omp_pause_resource_all(omp_pause_soft); }

}  // namespace cppgen::baseline
