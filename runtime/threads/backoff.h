#pragma once
#include <sched.h>

#include <chrono>

#include "isa/arch/arch.h"

namespace cppgen::rt {

// Makes a thread wait for others: it spins, then yields, and after the time `hot` it should sleep or leave. If there
// are more threads than cores, spinning would take the core from the thread that it waits for, so it yields from the
// start.
class Backoff {
 public:
  using Clock = std::chrono::steady_clock;
  Backoff(std::chrono::microseconds hot, bool yield_at_once) : hot_(hot), yield_at_once_(yield_at_once) {}

  void reset() { rounds_ = 0; }

  // Waits briefly; false once the thread has been waiting for the hot time.
  bool pause() {
    if (rounds_++ == 0) begin_ = Clock::now();
    if (!yield_at_once_ && !yielding_now()) {
      arch::spin_pause();
      return rounds_ % kClockInterval != 0 || elapsed() < hot_;
    }
    sched_yield();
    return elapsed() < hot_;
  }

 private:
  static constexpr unsigned kClockInterval = 16;  // rounds of about 0.05 us between readings of the clock
  static constexpr unsigned kSpinRounds = 1000;   // about 50 us

  bool yielding_now() const { return rounds_ > kSpinRounds; }
  Clock::duration elapsed() const { return Clock::now() - begin_; }

  std::chrono::microseconds hot_;
  bool yield_at_once_;
  unsigned rounds_ = 0;
  Clock::time_point begin_;
};

}  // namespace cppgen::rt
