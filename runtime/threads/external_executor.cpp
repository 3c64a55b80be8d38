#include <algorithm>
#include <atomic>
#include <memory>

#include "runtime/base/errors.h"
#include "runtime/threads/crew.h"

namespace cppgen::rt {
namespace {

// The object that calls of ExternalThreads::help hold, which may be made after the executor is gone.
struct Invitation {
  std::shared_ptr<Crew> crew;
  std::atomic<int> calls;

  static void accept(void* argument) {
    auto* invitation = static_cast<Invitation*>(argument);
    invitation->crew->help();
    invitation->drop(1);
  }
  void drop(int count) {
    if (calls.fetch_sub(count) == count) delete this;
  }
};

class ExternalExecutor final : public Executor, private HelperSource {
 public:
  ExternalExecutor(ExternalThreads threads, ExecutorOptions options)
      : threads_(std::move(threads)),
        crew_(std::make_shared<Crew>(std::move(options), static_cast<HelperSource&>(*this))) {}

  ~ExternalExecutor() override { crew_->dismiss(); }

  bool run(std::span<const StepView> steps, const std::atomic<bool>* stop) override { return crew_->run(steps, stop); }
  int threads() const override { return crew_->threads(); }
  std::string_view backend() const override { return "external"; }

 private:
  int bring(int count) noexcept override {
    try {
      auto* invitation = new Invitation{crew_, count + 1};  // one more, until all calls are arranged
      const int brought = std::clamp(threads_(count, &Invitation::accept, invitation), 0, count);
      invitation->drop(count - brought + 1);
      return brought;
    } catch (...) {  // out of memory: the run continues with fewer helpers
      return 0;
    }
  }

  const ExternalThreads threads_;
  const std::shared_ptr<Crew> crew_;
};

}  // namespace

std::unique_ptr<Executor> make_external_executor(ExternalThreads threads, ExecutorOptions options) {
  check_options(options);
  return std::make_unique<ExternalExecutor>(std::move(threads), std::move(options));
}

}  // namespace cppgen::rt
