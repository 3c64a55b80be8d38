#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/base/condition_wait.h"
#include "runtime/base/log.h"
#include "runtime/threads/crew.h"

namespace cppgen::rt {
namespace {

class ThreadPoolExecutor final : public Executor, private HelperSource {
 public:
  explicit ThreadPoolExecutor(ExecutorOptions options) : crew_(std::move(options), *this) {
    try {
      for (int i = 1; i < crew_.threads(); ++i) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error& error) {  // the calling thread can complete every region alone
      log_warning("THREADS: the system lets this process start only {} of {} threads: {}", threads_.size() + 1,
                  crew_.threads(), error.what());
    }
  }

  ~ThreadPoolExecutor() override { end(); }

  bool run(std::span<const StepView> steps, const std::atomic<bool>* stop) override { return crew_.run(steps, stop); }
  int threads() const override { return crew_.threads(); }
  std::string_view backend() const override { return "threads"; }

 private:
  int bring(int count) noexcept override {
    {
      std::lock_guard lock(mutex_);
      requests_ += count;
    }
    for (int i = 0; i < count; ++i) requested_.notify_one();
    return count;
  }

  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      wait_until_true(requested_, lock, [&] { return ending_ || requests_ > 0; });
      if (ending_) return;
      --requests_;
      lock.unlock();
      crew_.help();
      lock.lock();
    }
  }

  void end() {
    crew_.dismiss();
    {
      std::lock_guard lock(mutex_);
      ending_ = true;
    }
    requested_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::mutex mutex_;
  std::condition_variable requested_;
  int requests_ = 0;
  bool ending_ = false;
  Crew crew_;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Executor> make_thread_pool_executor(ExecutorOptions options) {
  check_options(options);
  return std::make_unique<ThreadPoolExecutor>(std::move(options));
}

}  // namespace cppgen::rt
