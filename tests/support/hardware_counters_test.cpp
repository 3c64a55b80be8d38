#include "cppgen/support/hardware_counters.h"

#include <gtest/gtest.h>

namespace cppgen {
namespace {

double work(int64_t steps) {
  volatile double sum = 0;
  for (int64_t i = 0; i < steps; i++) sum = sum + 1;
  return sum;
}

// Machines without counters, such as many virtual ones, say why.
TEST(HardwareCounters, CountOrSayWhyNot) {
  HardwareCounters counters;
  if (!counters.available()) {
    EXPECT_TRUE(counters.reason().starts_with("perf_event_open: ")) << counters.reason();
    EXPECT_TRUE(counters.counts().empty());
    return;
  }
  const auto instructions = [&](int64_t steps) {
    counters.start();
    EXPECT_EQ(work(steps), double(steps));
    counters.stop();
    for (const auto& count : counters.counts())
      if (count.name == "instructions") return count.value;
    return 0.0;
  };
  const double few = instructions(1'000'000), many = instructions(10'000'000);
  EXPECT_GT(few, 1e6);
  EXPECT_GT(many, 5 * few) << "start() begins with 0";
}

}  // namespace
}  // namespace cppgen
