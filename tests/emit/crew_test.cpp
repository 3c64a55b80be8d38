// The threads of models that are linked into programs (runtime/linked/crew.h).
#include "runtime/linked/crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "isa/arch/arch.h"

namespace cppgen::linked {
namespace {

struct Counts {
  std::vector<std::atomic<long>> chunks = std::vector<std::atomic<long>>(100);
  std::atomic<long> helped{0};
};

void count(const void* work, long chunk, int worker) {
  auto& counts = *static_cast<Counts*>(const_cast<void*>(work));
  counts.chunks[size_t(chunk)]++;
  if (worker > 0) counts.helped++;
}

class CrewTest : public testing::TestWithParam<int> {};

TEST_P(CrewTest, RunsEachChunkOnce) {
  Crew* crew = start_crew(GetParam(), arch::kDefaultFloatControl);
  ASSERT_EQ(worker_count(crew), GetParam());
  Counts counts;
  std::vector<long> expected(100);
  for (long i = 0; i < 3000; i++) {
    const long chunks = i * 37 % 101;  // from none to all
    run_task(crew, {count, &counts, chunks});
    for (long k = 0; k < chunks; k++) expected[size_t(k)]++;
  }
  end_crew(crew);
  for (size_t k = 0; k < expected.size(); k++) EXPECT_EQ(counts.chunks[k], expected[k]) << k;
}

// Each chunk waits until all workers run one, so that no thread can be missing.
TEST_P(CrewTest, WakesThreadsThatSleep) {
  Crew* crew = start_crew(GetParam(), arch::kDefaultFloatControl);
  for (int run = 0; run < 3; run++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // longer than they spin
    struct Meeting {
      int all;
      mutable std::atomic<int> present{0};
    } const meeting{GetParam()};
    run_task(crew, {[](const void* work, long, int) {
                      const auto& it = *static_cast<const Meeting*>(work);
                      it.present++;
                      while (it.present < it.all) std::this_thread::yield();
                    },
                    &meeting, GetParam()});
    EXPECT_EQ(meeting.present, GetParam());
  }
  end_crew(crew);
}

TEST_P(CrewTest, HelpersHaveTheControlWord) {
  const unsigned flushing = arch::kDefaultFloatControl | arch::kFlushDenormals;
  Crew* crew = start_crew(GetParam(), flushing);
  struct Words {
    std::atomic<int> other{0};
  } words;
  run_task(crew, {[](const void* work, long, int worker) {
                    auto& it = *static_cast<Words*>(const_cast<void*>(work));
                    if (worker > 0 && arch::float_control() != (arch::kDefaultFloatControl | arch::kFlushDenormals))
                      it.other++;
                  },
                  &words, 64});
  EXPECT_EQ(words.other, 0);
  end_crew(crew);
}

INSTANTIATE_TEST_SUITE_P(Workers, CrewTest, testing::Values(1, 2, 3, 8));

}  // namespace
}  // namespace cppgen::linked
