// Tests when helpers are asked for, and how long they stay: counted, not timed.
#include "runtime/threads/crew.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace cppgen::rt {
namespace {

// Counts how many helpers are asked for; the tests send them.
class Requests : public HelperSource {
 public:
  int bring(int count) noexcept override { return asked += count, count; }
  std::atomic<int> asked{0};
};

// Runs a step of chunks that take a moment; true if a helper ran one of them.
bool run_with_help(Crew& crew) {
  std::atomic<bool> helped{false};
  const auto chunk = [](void* ctx, int64_t, int worker) {
    if (worker > 0) static_cast<std::atomic<bool>*>(ctx)->store(true);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  };
  const std::vector<StepView> steps{{8, chunk, &helped}};
  EXPECT_TRUE(crew.run(steps, nullptr));
  return helped;
}

ExecutorOptions two_threads(int64_t spin_microseconds) {
  return {.threads = 2, .cores = 2, .spin_microseconds = spin_microseconds};
}

TEST(Crew, HelpersThatFindNothingLeaveAndAreAskedForAgain) {
  Requests requests;
  Crew crew(two_threads(0), requests);
  for (int visit = 1; visit <= 3; ++visit) {
    EXPECT_FALSE(run_with_help(crew)) << "the run needs nobody";
    EXPECT_EQ(requests.asked, visit);
    std::thread([&] { crew.help(); }).join();
  }
}

TEST(Crew, HotHelpersStayAndAreNotAskedForAgain) {
  constexpr int64_t kHour = int64_t{3600} * 1000000;
  Requests requests;
  Crew crew(two_threads(kHour), requests);
  EXPECT_FALSE(run_with_help(crew));
  std::thread helper([&] { crew.help(); });
  for (int run = 0; run < 3; ++run) {
    while (!run_with_help(crew)) {
    }
  }
  EXPECT_EQ(requests.asked, 1);
  crew.dismiss();
  helper.join();
}

}  // namespace
}  // namespace cppgen::rt
