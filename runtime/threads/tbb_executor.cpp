#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <optional>

#include "runtime/base/errors.h"
#include "runtime/threads/crew.h"

namespace cppgen::rt {
namespace {

namespace tbb = oneapi::tbb;

class TbbExecutor final : public Executor, private HelperSource {
 public:
  explicit TbbExecutor(ExecutorOptions options)
      : arena_(std::max(options.threads - 1, 1), /*reserved_for_masters=*/0),
        crew_(std::make_shared<Crew>(std::move(options), static_cast<HelperSource&>(*this))) {
    // oneTBB has one worker fewer than cores. Of several controls the minimum applies, so all request the same; arenas
    // decide the number of workers.
    if (crew_->threads() > tbb::info::default_concurrency())
      more_workers_.emplace(tbb::global_control::max_allowed_parallelism, kMaxThreads);
    if (crew_->threads() > 1) arena_.initialize();
  }

  ~TbbExecutor() override { crew_->dismiss(); }

  bool run(std::span<const StepView> steps, const std::atomic<bool>* stop) override { return crew_->run(steps, stop); }
  int threads() const override { return crew_->threads(); }
  std::string_view backend() const override { return "tbb"; }

 private:
  // The calling thread stays outside the arena, whose workers are all helpers. A task shares ownership of the crew,
  // because oneTBB may start it after the executor was destroyed.
  int bring(int count) noexcept override {
    int brought = 0;
    try {
      for (; brought < count; ++brought) arena_.enqueue([crew = crew_] { crew->help(); });
    } catch (...) {  // out of memory: the run continues with fewer helpers
    }
    return brought;
  }

  std::optional<tbb::global_control> more_workers_;
  tbb::task_arena arena_;
  std::shared_ptr<Crew> crew_;
};

}  // namespace

std::unique_ptr<Executor> make_tbb_executor(ExecutorOptions options) {
  check_options(options);
  return std::make_unique<TbbExecutor>(std::move(options));
}

}  // namespace cppgen::rt
