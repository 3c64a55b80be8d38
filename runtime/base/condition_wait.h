#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace cppgen::rt {

// Waits as condition.wait(lock, done) does. That calls a function which only libstdc++ 12 and later have in the version
// that these ask for, so programs that are built with them would not run where version 11 is, as on RHEL 9; waiting
// until a time is a header's function.
template <class Done>
void wait_until_true(std::condition_variable& condition, std::unique_lock<std::mutex>& lock, Done done) {
  condition.wait_until(lock, std::chrono::steady_clock::time_point::max(), done);
}

}  // namespace cppgen::rt
