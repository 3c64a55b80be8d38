#pragma once
#include <atomic>
#include <chrono>
#include <thread>

namespace cppgen {

// A clock for upper limits. Its thread sleeps again and again, and the time is the sum of these sleeps: at most the
// true time, and it stands still while somebody has stopped the machine or this process.
class RunningTime {
 public:
  RunningTime()
      : thread_([this] {
          while (!over_) {
            std::this_thread::sleep_for(std::chrono::milliseconds(kTurnMilliseconds));
            turns_++;
          }
        }) {}
  ~RunningTime() {
    over_ = true;
    thread_.join();
  }
  RunningTime(const RunningTime&) = delete;

  double seconds() const { return double(turns_) * kTurnMilliseconds / 1000; }

 private:
  static constexpr int kTurnMilliseconds = 10;
  std::atomic<bool> over_ = false;
  std::atomic<int> turns_ = 0;
  std::thread thread_;
};

}  // namespace cppgen
