#include "runtime/memory/planner.h"

#include <gtest/gtest.h>

#include <random>

#include "runtime/base/errors.h"
#include "runtime/memory/mapping.h"
#include "tests/runtime/test_package.h"

namespace cppgen::rt::test {
namespace {

PlanBuffer temporary(int32_t first, int32_t last, int32_t shares = -1) {
  PlanBuffer buffer;
  buffer.first_step = first;
  buffer.last_step = last;
  buffer.shares = shares;
  return buffer;
}

TEST(Planner, ReusesDeadMemory) {
  const PlanBuffer buffers[] = {temporary(0, 1), temporary(1, 2), temporary(2, 3), temporary(3, 4)};
  const int64_t sizes[] = {1000, 500, 1000, 500};
  const MemoryPlan plan = plan_memory(buffers, sizes);
  EXPECT_EQ(plan.arena_bytes, 1024 + 512);
  EXPECT_EQ(plan.offsets[0], plan.offsets[2]);
  EXPECT_EQ(plan_memory(buffers, sizes, {.reuse = false}).arena_bytes, 2 * (1024 + 512));
}

TEST(Planner, TakesTheSmallestGapThatFits) {
  // When 0 and 2 are dead, they leave gaps of 1024 bytes (at 0) and of 512 bytes (at 1984).
  const PlanBuffer buffers[] = {temporary(0, 0), temporary(0, 3), temporary(0, 0), temporary(0, 3), temporary(1, 3)};
  const int64_t sizes[] = {1024, 960, 512, 448, 384};
  EXPECT_EQ(plan_memory(buffers, sizes).offsets, (std::vector<int64_t>{0, 1024, 1984, 2496, 1984}));
}

TEST(Planner, SharingBuffersLieTogetherAndLiveAsLongAsAll) {
  PlanBuffer output = temporary(0, 0);
  output.kind = PlanBufferKind::output;
  const PlanBuffer buffers[] = {temporary(0, 1), temporary(1, 2, 0), temporary(2, 3, 1), temporary(3, 3),
                                output,          temporary(0, 1, 4)};
  const int64_t sizes[] = {128, 128, 64, 64, 256, 256};
  const MemoryPlan plan = plan_memory(buffers, sizes);
  EXPECT_EQ(plan.offsets[1], plan.offsets[0]);
  EXPECT_EQ(plan.offsets[2], plan.offsets[0]);
  EXPECT_EQ(plan.arena_bytes, 128 + 64);
  EXPECT_EQ(plan.offsets[4], -1);
  EXPECT_EQ(plan.offsets[5], -1);
  EXPECT_EQ(sharing_root(buffers, 5), 4u);
}

// Until the end of the run nothing else lies where a result is.
TEST(Planner, PlacesOutputsOnRequest) {
  PlanBuffer early = temporary(1, 1), late = temporary(3, 3);
  early.kind = late.kind = PlanBufferKind::output;
  const PlanBuffer buffers[] = {temporary(0, 1), temporary(1, 2), early, late, temporary(0, 0, 3)};
  const int64_t sizes[] = {128, 256, 64, 256, 128};
  EXPECT_EQ(plan_memory(buffers, sizes).offsets, (std::vector<int64_t>{256, 0, -1, -1, -1}));
  const MemoryPlan all = plan_memory(buffers, sizes, {.outputs = true});
  EXPECT_EQ(all.blocks, 4u);
  EXPECT_EQ(all.offsets[4], all.offsets[3]);
  EXPECT_NE(all.offsets[2], -1);
  EXPECT_EQ(all.arena_bytes, 256 + 256 + 128 + 64);
  EXPECT_EQ(plan_memory(buffers, sizes, {.reuse = false, .outputs = true}).arena_bytes, 704);
}

TEST(Planner, RefusesWhatCannotBe) {
  const PlanBuffer two[] = {temporary(0, 1), temporary(1, 2, 0)};
  const int64_t growing[] = {64, 65}, negative[] = {-1, 0};
  const int64_t huge[] = {std::numeric_limits<int64_t>::max() - 64, 64};
  EXPECT_THROW(plan_memory(two, growing), UserError);
  EXPECT_THROW(plan_memory(two, negative), UserError);
  const PlanBuffer apart[] = {temporary(0, 1), temporary(1, 2)};
  EXPECT_THROW(plan_memory(apart, huge), UserError);
}

// Random lifetimes: what lives at the same time never overlaps, and the arena is at least the peak and at most the sum.
TEST(Planner, RandomPlansAreSound) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return int(random() % unsigned(n)); };
  for (int round = 0; round < 300; round++) {
    const int steps = 1 + below(30), count = 1 + below(60);
    std::vector<PlanBuffer> buffers;
    std::vector<int64_t> sizes;
    for (int i = 0; i < count; i++) {
      const int first = below(steps), last = first + below(steps - first);
      buffers.push_back(temporary(first, last));
      sizes.push_back(below(4) == 0 ? 0 : below(100000));
    }
    const MemoryPlan plan = plan_memory(buffers, sizes);
    std::vector<int64_t> live(size_t(steps), 0);
    int64_t sum = 0;
    for (size_t i = 0; i < buffers.size(); i++) {
      const int64_t bytes = (sizes[i] + 63) / 64 * 64;
      sum += bytes;
      ASSERT_EQ(plan.offsets[i] % kBufferAlignment, 0);
      ASSERT_LE(plan.offsets[i] + sizes[i], plan.arena_bytes);
      for (int s = buffers[i].first_step; s <= buffers[i].last_step; s++) live[size_t(s)] += bytes;
      for (size_t j = 0; j < i; j++) {
        const bool together =
            buffers[i].first_step <= buffers[j].last_step && buffers[j].first_step <= buffers[i].last_step;
        const bool overlap =
            plan.offsets[i] < plan.offsets[j] + sizes[j] && plan.offsets[j] < plan.offsets[i] + sizes[i];
        ASSERT_FALSE(together && overlap && sizes[i] > 0 && sizes[j] > 0)
            << "round " << round << ": " << i << ", " << j;
      }
    }
    ASSERT_GE(plan.arena_bytes, *std::max_element(live.begin(), live.end()));
    ASSERT_LE(plan.arena_bytes, sum);
    ASSERT_EQ(plan_memory(buffers, sizes).offsets, plan.offsets);
  }
}

TEST(Mapping, ArenaIsZeroedAndAligned) {
  Arena arena(100000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.data()) % 4096, 0u);
  for (int i = 0; i < 100000; i += 999) EXPECT_EQ(arena.data()[i], 0);
  Arena moved = std::move(arena);
  EXPECT_EQ(arena.data(), nullptr);
  moved.data()[99999] = 1;
  EXPECT_EQ(Arena(0).data(), nullptr);
  EXPECT_THROW(Arena(int64_t(1) << 60), UserError);
}

TEST(Mapping, MapsRegularFilesOnly) {
  TempDirectory directory;
  write_text(directory.file("a"), "hello");
  write_text(directory.file("empty"), "");
  const MappedFile file(directory.file("a"), {.populate = true});
  EXPECT_EQ(std::string(file.content().begin(), file.content().end()), "hello");
  EXPECT_EQ(MappedFile(directory.file("empty")).bytes(), 0);
  EXPECT_THROW(MappedFile(directory.file("missing")), UserError);
  EXPECT_THROW(MappedFile(directory.path()), UserError);
  EXPECT_THROW(MappedFile("/dev/zero"), UserError);
}

TEST(Mapping, SeveralThreadsReadACopy) {
  TempDirectory directory;
  std::string content((5 << 20) + 17, '\0');
  for (size_t i = 0; i < content.size(); i++) content[i] = char(i * 7 + i / 1000);
  write_text(directory.file("a"), content);
  std::vector<std::string> blocks((content.size() + kReadBlock - 1) / kReadBlock);
  MapOptions options{.copy = true, .threads = 3};
  options.on_block = [&](size_t i, std::span<const char> block) { blocks.at(i).append(block.begin(), block.end()); };
  const MappedFile file(directory.file("a"), options);
  EXPECT_TRUE(std::string_view(file.data(), size_t(file.bytes())) == content);
  std::string joined;
  for (const std::string& block : blocks) joined += block;
  EXPECT_TRUE(joined == content);
  write_text(directory.file("a"), "");  // without effect on the copy
  EXPECT_TRUE(std::string_view(file.data(), size_t(file.bytes())) == content);
}

}  // namespace
}  // namespace cppgen::rt::test
