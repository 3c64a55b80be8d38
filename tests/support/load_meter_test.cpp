#include "cppgen/support/load_meter.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "runtime/base/log.h"

namespace cppgen {
namespace {

// Between 0 and a second, everything did `all`, and this process `own`, on so many CPUs.
double share(double all, double own, int cpus, int threads, double waited = 0) {
  CpuUse begin, end;
  end.at = 1, end.all = all, end.own = own, end.waited = waited, begin.cpus = end.cpus = cpus;
  return share_of_others(begin, end, threads);
}

TEST(LoadMeter, OthersOnCpusThatNoThreadNeedsTakeNothing) {
  EXPECT_EQ(share(0, 0, 4, 2), 0);
  EXPECT_EQ(share(2, 2, 4, 2), 0) << "nothing else runs";
  EXPECT_EQ(share(4, 2, 4, 2), 0) << "there are two CPUs for others";
  EXPECT_GT(share(4, 1.5, 4, 2), 0.1) << "two and a half CPUs are too many";
  EXPECT_NEAR(share(2, 1, 2, 2), 0.5, 0.05) << "half of the time of each thread";
  EXPECT_NEAR(share(2, 0.01, 2, 2), 1, 0.05) << "all of it";
  EXPECT_EQ(share(2.01, 2, 2, 2), 0) << "counters have a resolution";
  EXPECT_EQ(share(2, 0, 2, 0), 0);
}

TEST(LoadMeter, MoreThreadsThanCpusDisturbThemselves) {
  EXPECT_EQ(share(2, 2, 2, 8, 6), 0) << "they wait for each other";
  EXPECT_NEAR(share(2, 1.5, 2, 8, 7), 0.25, 0.03);
}

TEST(LoadMeter, WaitingForACpuCountsAlsoIfThereWasOneElsewhere) { EXPECT_NEAR(share(2, 1.5, 4, 2, 0.4), 0.2, 0.01); }

TEST(LoadMeter, AClockThatStandsStillIsNoLoad) {
  CpuUse now;
  now.cpus = 2, now.all = 5;
  EXPECT_EQ(share_of_others(now, now, 2), 0);
}

// Measurements of which these shares are taken, one after the other, on one CPU.
struct Shares {
  std::vector<double> shares;
  size_t readings = 0;
  double all = 0;

  CpuUseSource source() {
    return [this]() -> std::optional<CpuUse> {
      CpuUse use;
      use.at = double(readings) * 100, use.own = 0;
      if (readings % 2) all += 100 * shares.at(readings / 2);
      use.all = all, readings++;
      return use;
    };
  }
};

std::pair<int, Load> measured(std::vector<double> shares, int attempts) {
  Shares script{std::move(shares)};
  int count = 0;
  return least_disturbed({.threads = 1, .attempts = attempts, .source = script.source()}, [&] { return count++; });
}

TEST(LeastDisturbed, IsTheOneThatOthersLeftAlone) {
  const auto [quiet, load] = measured({0}, 3);
  EXPECT_EQ(quiet, 0);
  EXPECT_FALSE(load.busy());
  const auto [second, after] = measured({0.5, 0, 0.5}, 3);
  EXPECT_EQ(second, 1) << "the first quiet one ends the series";
  EXPECT_FALSE(after.busy());
  const auto [least, busy] = measured({0.5, 0.2, 0.7}, 3);
  EXPECT_EQ(least, 1);
  EXPECT_TRUE(busy.busy()) << "it is marked";
  EXPECT_NEAR(busy.share, 0.2, 0.01);
  EXPECT_EQ(measured({0.5, 0}, 1).first, 0) << "only once";
}

TEST(LeastDisturbed, WithoutASourceNothingIsBusy) {
  int count = 0;
  EXPECT_FALSE(least_disturbed({.threads = 1, .source = nullptr}, [&] { return count++; }).second.busy());
  EXPECT_FALSE(
      least_disturbed({.threads = 1, .source = [] { return std::nullopt; }}, [&] { return count++; }).second.busy());
  EXPECT_EQ(count, 2);
}

// Other processes that use all CPUs twice are seen, whatever else this machine does, in one of many short intervals.
TEST(LoadMeter, SeesBusyProcesses) {
  const auto now = cpu_use();
  if (!now) GTEST_SKIP() << "/proc/stat does not list CPUs here";
  std::vector<pid_t> others;
  for (int i = 0; i < 2 * now->cpus; i++) {
    const pid_t pid = fork();
    if (pid == 0)
      for (volatile bool spin = true; spin;) {
      }
    others.push_back(pid);
  }
  const LoadRule rule{.threads = now->cpus};
  bool busy = false;
  for (int i = 0; i < 100 && !busy; i++) busy = is_machine_busy(rule);
  for (const pid_t pid : others) kill(pid, SIGKILL), waitpid(pid, nullptr, 0);
  EXPECT_TRUE(busy);
}

}  // namespace
}  // namespace cppgen
