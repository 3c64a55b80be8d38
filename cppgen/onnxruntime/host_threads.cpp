#include "cppgen/onnxruntime/host_threads.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "isa/arch/arch.h"

namespace cppgen::ep {
namespace {

// One run and those who help. The first iteration that begins is the run, the others wait for calls of `help`.
class Gang {
 public:
  Gang(int helpers, const std::function<void()>& run) : left_(helpers), run_(run) {}

  static Gang*& current() {
    static thread_local Gang* gang = nullptr;
    return gang;
  }

  void iterate() {
    Gang* const outer = std::exchange(current(), this);
    if (!begun_.exchange(true))
      run();
    else
      help();
    current() = outer;
  }

  // Arranges calls, of which there are no more at a time than iterations.
  int bring(int count, void (*help)(void*), void* argument) {
    const std::lock_guard lock(mutex_);
    asked_ = true;
    const int brought = std::max(0, std::min(count, left_ - int(calls_.size())));
    calls_.insert(calls_.end(), size_t(brought), Call{help, argument});
    waiting_ = !calls_.empty();
    changed_.notify_all();
    return brought;
  }

  // Returns whether the run asked for help. Makes the calls that no iteration came to, and throws what the run threw.
  bool finish() {
    while (call_one()) {
    }
    if (failure_) std::rethrow_exception(failure_);
    return asked_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Call {
    void (*help)(void*);
    void* argument;
  };

  void run() {
    try {
      run_();
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  // Waits for calls: looks for them for a while, as idle threads of cppgen's own pools do, then sleeps. It does not
  // yield: a thread of another session that spins on the same core would keep the core for some milliseconds.
  void help() {
    constexpr std::chrono::microseconds kSpin(200);
    constexpr int kPauses = 16;  // about a microsecond
    for (auto begin = Clock::now(); !ended_;) {
      if (waiting_ && call_one()) {
        begin = Clock::now();
      } else if (Clock::now() - begin < kSpin) {
        for (int i = 0; i < kPauses && !waiting_ && !ended_; i++) arch::spin_pause();
      } else {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ended_ || !calls_.empty(); });
        begin = Clock::now();
      }
    }
  }

  bool call_one() {
    Call call;
    {
      const std::lock_guard lock(mutex_);
      if (calls_.empty()) return false;
      call = calls_.back();
      calls_.pop_back();
      waiting_ = !calls_.empty();
    }
    call.help(call.argument);
    return true;
  }

  const int left_;
  const std::function<void()>& run_;
  std::atomic<bool> begun_{false}, ended_{false}, waiting_{false};
  std::exception_ptr failure_;
  std::mutex mutex_;  // of the next two, and for waiting
  std::condition_variable changed_;
  std::vector<Call> calls_;
  bool asked_ = false;
};

// Counts threads: iterations of a loop that take place at the same time.
class Meeting {
 public:
  // Lasts at most so long.
  Meeting(int invited, std::chrono::milliseconds most)
      : invited_(invited), end_(std::chrono::steady_clock::now() + most) {}

  void attend() {
    const int here = ++here_;
    for (int most = most_; most < here && !most_.compare_exchange_weak(most, here);) {
    }
    while (most_ < invited_ && std::chrono::steady_clock::now() < end_) arch::spin_pause();
    here_--;
  }
  int most() const { return most_; }

 private:
  const int invited_;
  const std::chrono::steady_clock::time_point end_;
  std::atomic<int> here_{0}, most_{0};
};

// Returns whether a run without a gang asked for help.
bool& asked_in_vain() {
  static thread_local bool asked = false;
  return asked;
}

int bring_help(void*, int count, void (*help)(void*), void* argument) {
  if (Gang* gang = Gang::current()) return gang->bring(count, help, argument);
  asked_in_vain() = true;
  return 0;
}

}  // namespace

cppgen_executor HostThreads::executor() { return {sizeof(cppgen_executor), this, threads_, bring_help}; }

bool HostThreads::run(const ort::Api& api, const ort::KernelContext* context, bool with_help,
                      const std::function<void()>& run) {
  if (!with_help || threads_ == 1) {
    asked_in_vain() = false;
    run();
    return asked_in_vain();
  }
  Gang gang(threads_ - 1, run);
  require(api,
          api.KernelContext_ParallelFor(
              context, [](void* data, size_t) { static_cast<Gang*>(data)->iterate(); }, size_t(threads_), 0, &gang));
  return gang.finish();
}

int HostThreads::count(const ort::Api& api, const ort::KernelContext* context) {
  constexpr int kMeetings = 3;  // each four times as long as the last one: threads of a busy machine come late
  if (count_ == threads_ || meetings_ == kMeetings) return count_;
  Meeting meeting(threads_, std::chrono::milliseconds(1 << 2 * meetings_));
  require(api, api.KernelContext_ParallelFor(
                   context, [](void* data, size_t) { static_cast<Meeting*>(data)->attend(); }, size_t(threads_), 0,
                   &meeting));
  count_ = std::max(count_, meeting.most());
  meetings_++;
  return count_ == threads_ || meetings_ == kMeetings ? count_ : 0;
}

int usable_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return std::max(1, int(std::thread::hardware_concurrency()));
  return std::clamp(CPU_COUNT(&set), 1, 1024);
}

}  // namespace cppgen::ep
