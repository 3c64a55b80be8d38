#include "runtime/threads/executor.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <chrono>
#include <deque>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "isa/arch/arch.h"
#include "runtime/base/errors.h"
#include "runtime/threads/binding.h"

namespace cppgen::rt {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// A region whose steps check each other: every chunk runs once, after all chunks of the step before.
class CheckedRegion {
 public:
  CheckedRegion(const std::vector<int64_t>& chunk_counts, int threads, microseconds delay = {})
      : busy_(threads), delay_(delay) {
    for (int64_t chunks : chunk_counts) {
      steps_.emplace_back(*this, chunks, steps_.empty() ? nullptr : &steps_.back());
      views_.push_back({chunks, &CheckedRegion::run, &steps_.back(), views_.size() % 2 == 1});
    }
  }

  std::span<const StepView> views() const { return views_; }

  void expect_complete() const {
    for (const Step& step : steps_) {
      EXPECT_EQ(step.done, step.chunks);
      for (const auto& runs : step.runs) EXPECT_EQ(runs, 1);
    }
    EXPECT_EQ(violations_, 0) << "a chunk ran before the step before had ended, or two threads shared a worker number";
  }

  size_t distinct_threads() const { return threads_.size(); }

 private:
  struct Step {
    Step(CheckedRegion& owner, int64_t chunks, const Step* before)
        : owner(owner), chunks(chunks), before(before), runs(chunks) {}
    CheckedRegion& owner;
    int64_t chunks;
    const Step* before;
    std::vector<std::atomic<int>> runs;
    std::atomic<int64_t> done{0};
  };

  static void run(void* ctx, int64_t chunk, int worker) {
    Step& step = *static_cast<Step*>(ctx);
    CheckedRegion& region = step.owner;
    if (worker < 0 || worker >= static_cast<int>(region.busy_.size()) || region.busy_[worker].exchange(true) ||
        (step.before && step.before->done != step.before->chunks))
      ++region.violations_;
    if (region.delay_.count()) {
      std::this_thread::sleep_for(region.delay_ * (1 + chunk % 3));
      std::lock_guard lock(region.mutex_);
      region.threads_.insert(std::this_thread::get_id());
    }
    ++step.runs[chunk];
    ++step.done;
    region.busy_[worker] = false;
  }

  std::deque<Step> steps_;
  std::vector<StepView> views_;
  std::vector<std::atomic<bool>> busy_;
  std::atomic<int> violations_{0};
  microseconds delay_;
  std::mutex mutex_;
  std::set<std::thread::id> threads_;
};

struct Backend {
  const char* name;
  std::unique_ptr<Executor> (*make)(ExecutorOptions);
};

// An application that starts a thread for each helper.
std::unique_ptr<Executor> make_on_new_threads(ExecutorOptions options) {
  return make_external_executor(
      [](int count, void (*help)(void*), void* argument) {
        for (int i = 0; i < count; i++) std::thread(help, argument).detach();
        return count;
      },
      std::move(options));
}

// TSan cannot see into oneTBB and would report its internals.
const Backend kBackends[] = {
#ifndef __SANITIZE_THREAD__
    {"tbb", make_tbb_executor},
#endif
    {"threads", make_thread_pool_executor},
    {"external", make_on_new_threads}};

class ExecutorTest : public testing::TestWithParam<Backend> {
 protected:
  std::unique_ptr<Executor> make(int threads, int64_t spin_microseconds = 200) const {
    ExecutorOptions options;
    options.threads = threads;
    options.cores = default_threads(usable_topology(), false);
    options.spin_microseconds = spin_microseconds;
    return GetParam().make(options);
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, ExecutorTest, testing::ValuesIn(kBackends),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(ExecutorTest, EveryChunkRunsOnceAndInOrderOfSteps) {
  for (int threads : {1, 2, 3, 8}) {
    auto executor = make(threads);
    EXPECT_EQ(executor->threads(), threads);
    EXPECT_EQ(executor->backend(), GetParam().name);
    for (int round = 0; round < 200; ++round) {
      CheckedRegion region({1, 5, 1, 1, 17, 2, 0, 64, 3, 1, 8, 8, 8, 1}, threads);
      EXPECT_TRUE(executor->run(region.views()));
      region.expect_complete();
    }
  }
}

TEST_P(ExecutorTest, AsManyThreadsAsAskedForRunChunks) {
  for (int threads : {1, 2, 3, 8}) {
    auto executor = make(threads);
    size_t most = 0;
    for (int round = 0; round < 200 && most < static_cast<size_t>(threads); ++round) {
      CheckedRegion region({40, 1, 40}, threads, microseconds(300));
      executor->run(region.views());
      region.expect_complete();
      most = std::max(most, region.distinct_threads());
    }
    // New threads may take the place of others in one region.
    if (GetParam().make == make_on_new_threads)
      EXPECT_GE(most, static_cast<size_t>(threads));
    else
      EXPECT_EQ(most, static_cast<size_t>(threads));
  }
}

TEST_P(ExecutorTest, HelpersComeBackAfterTheyHaveLeft) {
  auto executor = make(2, /*spin_microseconds=*/50);
  int rounds_with_help = 0;
  for (int round = 0; round < 100 && rounds_with_help < 5; ++round) {
    // The long serial steps send the helper away and it must be asked for again.
    CheckedRegion region({1, 4, 1, 4, 1, 4}, 2, milliseconds(2));
    executor->run(region.views());
    region.expect_complete();
    rounds_with_help += region.distinct_threads() == 2;
  }
  EXPECT_EQ(rounds_with_help, 5);
}

TEST_P(ExecutorTest, TheFirstExceptionEndsTheRegionAndIsThrownAgain) {
  struct Context {
    std::atomic<int> after{0};
    bool on_helper = false;
  };
  auto fail = [](void* ctx, int64_t, int worker) {
    std::this_thread::sleep_for(microseconds(200));
    if (!static_cast<Context*>(ctx)->on_helper || worker > 0) throw UserError("index 7 is out of range");
  };
  auto later = [](void* ctx, int64_t, int) { ++static_cast<Context*>(ctx)->after; };
  for (int threads : {1, 2, 8}) {
    auto executor = make(threads);
    for (int64_t chunks : {1, 2, 30}) {
      Context context;
      std::vector<StepView> steps{{chunks, fail, &context}, {1, later, &context}, {9, later, &context}};
      EXPECT_THROW(executor->run(steps), UserError);
      EXPECT_EQ(context.after, 0);
    }
    CheckedRegion region({3, 1, 30}, threads);
    EXPECT_TRUE(executor->run(region.views()));
    region.expect_complete();
  }
  auto executor = make(2);
  Context context;
  context.on_helper = true;
  std::vector<StepView> steps(1, StepView{50, fail, &context});
  bool thrown = false;
  for (int round = 0; round < 100 && !thrown; ++round) {
    try {
      executor->run(steps);
    } catch (const UserError& error) {
      thrown = true;
      EXPECT_STREQ(error.what(), "index 7 is out of range");
    }
  }
  EXPECT_TRUE(thrown) << "no helper ran a chunk";
}

TEST_P(ExecutorTest, StopEndsTheRegion) {
  struct Context {
    std::atomic<bool> stop{false};
    std::atomic<int> runs{0};
  };
  auto stop_from_third = [](void* ctx, int64_t, int) {
    auto& context = *static_cast<Context*>(ctx);
    if (++context.runs >= 3) context.stop = true;  // by each thread itself, before it takes another chunk
  };
  for (int threads : {1, 2, 3}) {
    auto executor = make(threads);
    for (std::vector<int64_t> chunk_counts : {std::vector<int64_t>{1, 1, 1, 1}, {1000}, {2, 50, 1}}) {
      Context context;
      std::vector<StepView> steps;
      for (int64_t chunks : chunk_counts) steps.push_back({chunks, stop_from_third, &context});
      EXPECT_FALSE(executor->run(steps, &context.stop));
      EXPECT_LT(context.runs, 3 + threads);
      context.stop = false;
      context.runs = -100000;
      EXPECT_TRUE(executor->run(steps, &context.stop));
    }
  }
}

TEST_P(ExecutorTest, ManyCallersAtOnce) {
  for (int callers : {3, 24}) {  // the second is more than the regions that are shared at once
    auto executor = make(3);
    std::vector<std::thread> threads;
    for (int caller = 0; caller < callers; ++caller) {
      threads.emplace_back([&] {
        for (int round = 0; round < 60; ++round) {
          CheckedRegion region({1, 6, 2, 1, 12}, 3);
          EXPECT_TRUE(executor->run(region.views()));
          region.expect_complete();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST_P(ExecutorTest, RegionsInsideOfChunks) {
  auto executor = make(3);
  struct Outer {
    Executor& executor;
    std::atomic<int> inner_runs{0};
  } outer{*executor};
  auto nested = [](void* ctx, int64_t, int) {
    auto& outer = *static_cast<Outer*>(ctx);
    for (int i = 0; i < 5; ++i) {
      CheckedRegion region({4, 1, 4}, 3);
      outer.executor.run(region.views());
      region.expect_complete();
      ++outer.inner_runs;
    }
  };
  std::vector<StepView> steps(4, StepView{6, nested, &outer});
  for (int round = 0; round < 20; ++round) executor->run(steps);
  EXPECT_EQ(outer.inner_runs, 20 * 4 * 6 * 5);
}

TEST_P(ExecutorTest, SeveralExecutorsAtOnce) {
  std::vector<std::thread> threads;
  for (int size : {1, 2, 4, 8}) {
    threads.emplace_back([this, size] {
      auto executor = make(size);
      for (int round = 0; round < 50; ++round) {
        CheckedRegion region({8, 1, 16, 2}, size);
        executor->run(region.views());
        region.expect_complete();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(ExecutorTest, IsDestroyedWhileHelpersAreOnTheirWay) {
  for (int round = 0; round < 100; ++round) {
    auto executor = make(4);
    if (round % 4 == 0) continue;
    CheckedRegion region({2, 3, 4}, 4);
    executor->run(region.views());
    region.expect_complete();
  }
}

TEST_P(ExecutorTest, ManyMoreThreadsThanCores) {
  auto executor = make(16);
  for (int round = 0; round < 20; ++round) {
    CheckedRegion region(std::vector<int64_t>(50, 16), 16);
    executor->run(region.views());
    region.expect_complete();
  }
}

TEST_P(ExecutorTest, ChunksSeeTheDefaultFloatEnvironment) {
  std::atomic<int> foreign{0};
  auto check_mode = [](void* ctx, int64_t, int) {
    if (arch::float_control() != arch::kDefaultFloatControl) ++*static_cast<std::atomic<int>*>(ctx);
  };
  std::vector<StepView> steps{{1, check_mode, &foreign}, {40, check_mode, &foreign}};
  for (int threads : {1, 3}) {
    auto executor = make(threads);
    for (int round = 0; round < 50; ++round) {
      std::fesetround(FE_UPWARD);
      const arch::FloatControl set = arch::float_control() | arch::kFlushDenormals;
      arch::set_float_control(set);
      executor->run(steps);
      const arch::FloatControl after = arch::float_control();
      arch::set_float_control(arch::kDefaultFloatControl);
      constexpr arch::FloatControl kRaised = 0x3F;  // flags of x86-64, which arithmetic sets
      EXPECT_EQ(after & ~kRaised, set & ~kRaised);
    }
  }
  EXPECT_EQ(foreign, 0);
}

TEST_P(ExecutorTest, WorkersRunWhereTheyAreBound) {
  Topology usable = usable_topology();
  CpuSet before = current_thread_affinity();
  auto options = executor_options(usable, 3, Affinity::pu, true, 200);
  auto executor = GetParam().make(options);
  struct Context {
    const ExecutorOptions& options;
    std::atomic<int> strays{0};
  } context{options};
  auto check_binding = [](void* ctx, int64_t, int worker) {
    auto& context = *static_cast<Context*>(ctx);
    if (current_thread_affinity() != context.options.bindings[worker]) ++context.strays;
    std::this_thread::sleep_for(microseconds(200));
  };
  std::vector<StepView> steps(1, StepView{30, check_binding, &context});
  for (int round = 0; round < 5; ++round) executor->run(steps);
  EXPECT_EQ(context.strays, 0);
  EXPECT_EQ(current_thread_affinity(), before);
}

// Counts the chunks of a run that helpers took.
struct HelpedRun {
  std::atomic<int> by_helpers{0};
  static void run(void* context, int64_t, int worker) {
    if (worker > 0) ++static_cast<HelpedRun*>(context)->by_helpers;
    std::this_thread::sleep_for(microseconds(50));
  }
};

// Two sessions on one pool: no run keeps the helpers for itself.
TEST_P(ExecutorTest, ConcurrentRunsShareTheHelpers) {
  auto executor = GetParam().make({.threads = 3, .cores = 3, .spin_microseconds = 1000});
  HelpedRun runs[2];
  std::vector<std::thread> callers;
  for (HelpedRun& run : runs)
    callers.emplace_back([&] {
      const std::vector<StepView> steps(400, StepView{8, HelpedRun::run, &run});
      executor->run(steps);
    });
  for (std::thread& caller : callers) caller.join();
  for (const HelpedRun& run : runs) EXPECT_GE(run.by_helpers, 100) << "of 3,200 chunks";
}

TEST(ExecutorOptions, FollowTheSettings) {
  Topology machine = topology_from_synthetic("package:2 core:4 pu:2");
  EXPECT_EQ(executor_options(machine, -1, Affinity::none, false, 0).threads, 8);
  EXPECT_EQ(executor_options(machine, -1, Affinity::none, true, 0).threads, 16);
  ExecutorOptions options = executor_options(machine, 3, Affinity::core, false, 77);
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.cores, 8);
  EXPECT_EQ(options.spin_microseconds, 77);
  EXPECT_EQ(options.bindings.size(), 3u);
  EXPECT_THROW(executor_options(machine, 0, Affinity::none, false, 0), UserError);
  EXPECT_THROW(executor_options(machine, 5000, Affinity::none, false, 0), UserError);
  EXPECT_THROW(make_executor({.threads = -3}), UserError);
}

}  // namespace
}  // namespace cppgen::rt
