#include "runtime/library/library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "runtime/base/errors.h"
#include "runtime/library/functions.h"
#include "runtime/plan/calls/host_strings.h"
#include "runtime/plan/calls/scatter.h"
#include "runtime/plan/calls/topk.h"
#include "runtime/plan/host_fields.h"

namespace cppgen::rt {
namespace {

TEST(Chunks, SmallWorkIsOneChunk) {
  EXPECT_EQ(chunk_count(0, 0, 0, 0, 512), 0);
  EXPECT_EQ(chunk_count(1, 1 << 30, 0, 0, 512), 1);
  EXPECT_EQ(chunk_count(1000, 1000, 1 << 30, 0, 512), 1);   // below two times the least size
  EXPECT_EQ(chunk_count(1000, 10000, 0, 0, 512), 1);        // a microsecond
  EXPECT_GT(chunk_count(1000, 10000, 1 << 30, 0, 512), 8);  // the same elements, much arithmetic
  EXPECT_GT(chunk_count(1000, 10000, 0, 1 << 30, 512), 8);  // or memory traffic
}

TEST(Chunks, LeastSizeIsKept) {
  const int64_t work = 1 << 24;
  EXPECT_EQ(chunk_count(work, work, 0, 0, 512), 64);
  EXPECT_EQ(chunk_count(work, work, 0, 0, work / 4), 4);
  EXPECT_EQ(chunk_count(work, work, 0, 0, work / 2), 2);
  EXPECT_EQ(chunk_count(work, work, 0, 0, work / 2 + 1), 1);
}

TEST(Chunks, FewUnitsAreNotGrouped) {
  EXPECT_EQ(chunk_count(3, 1 << 24, 0, 0, 512), 3);
  EXPECT_EQ(chunk_count(37, 1 << 24, 0, 0, 512), 37);
}

TEST(Chunks, RangesCoverEverythingOnce) {
  for (int64_t units : {1, 2, 7, 64, 1000})
    for (int64_t chunks = 1; chunks <= std::min<int64_t>(units, 70); chunks++) {
      int64_t next = 0;
      for (int64_t i = 0; i < chunks; i++) {
        const ChunkRange range = chunk_range(units, chunks, i);
        ASSERT_EQ(range.begin, next);
        ASSERT_GE(range.end - range.begin, units / chunks);
        ASSERT_LE(range.end - range.begin, units / chunks + 1);
        next = range.end;
      }
      ASSERT_EQ(next, units);
    }
}

TEST(Chunks, HalfOfTheChunksAreHalfOfTheUnits) {
  for (int64_t units : {40, 56, 63, 100, 901})
    EXPECT_EQ(chunk_range(units, 40, 20).begin, units / 2) << units << " units";
}

template <class T>
struct TopKResult {
  std::vector<T> values;
  std::vector<int64_t> indices;
};

template <class T>
TopKResult<T> top_k(DType type, std::vector<T> x, int64_t outer, int64_t axis, int64_t inner, int64_t k, bool largest) {
  const auto count = size_t(outer * k * inner);
  TopKResult<T> result{std::vector<T>(count), std::vector<int64_t>(count)};
  const void* constants[] = {nullptr, nullptr, nullptr};
  const auto op = create_topk({kTopK, 1, 2, constants});
  const auto fields = flat_fields<int64_t>(TopKCall<int64_t>{type, outer, axis, inner, k, largest});
  const int64_t bytes[] = {int64_t(x.size() * sizeof(T)), int64_t(count * sizeof(T)), int64_t(count * 8)};
  const auto task = op->bind({fields.integers, bytes, 1});
  std::vector<char> scratch(size_t(task->scratch_bytes()) + 64);
  void* const buffers[] = {x.data(), result.values.data(), result.indices.data()};
  for (int64_t chunk = 0; chunk < task->chunks(); chunk++) task->run(buffers, chunk, scratch.data());
  return result;
}

TEST(TopK, OrderTiesAndAxes) {
  const auto largest = top_k<float>(DType::f32, {1, 3, 2, 3, -1}, 1, 5, 1, 3, true);
  EXPECT_EQ(largest.values, (std::vector<float>{3, 3, 2}));
  EXPECT_EQ(largest.indices, (std::vector<int64_t>{1, 3, 2}));
  const auto least = top_k<float>(DType::f32, {1, 3, -1, 3, -1}, 1, 5, 1, 3, false);
  EXPECT_EQ(least.indices, (std::vector<int64_t>{2, 4, 0}));
  const auto columns = top_k<int32_t>(DType::i32, {1, 40, 3, 20, 2, 30}, 1, 3, 2, 2, true);
  EXPECT_EQ(columns.values, (std::vector<int32_t>{3, 40, 2, 30}));
  EXPECT_EQ(columns.indices, (std::vector<int64_t>{1, 0, 2, 2}));
  EXPECT_TRUE(top_k<float>(DType::f32, {}, 0, 5, 1, 2, true).values.empty());
}

// Rows of many lengths, with ties and NaN, against a stable sort by the keys that define the order.
template <class T, class Less>
void expect_sorted(DType type, int64_t axis, int64_t inner, int64_t k, bool largest, const Less& less, auto value) {
  SCOPED_TRACE(testing::Message() << name_of(type) << " " << k << " of " << axis << " x " << inner);
  std::vector<T> x;
  for (int64_t i = 0; i < axis * inner; i++) x.push_back(value(i * 7919 % 1009));
  const auto got = top_k<T>(type, x, 1, axis, inner, k, largest);
  for (int64_t column = 0; column < inner; column++) {
    const auto at = [&](int64_t i) { return x[size_t(i * inner + column)]; };
    std::vector<int64_t> order(static_cast<size_t>(axis));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return largest ? less(at(b), at(a)) : less(at(a), at(b)); });
    for (int64_t i = 0; i < k; i++) ASSERT_EQ(got.indices[size_t(i * inner + column)], order[size_t(i)]) << "at " << i;
  }
}

TEST(TopK, SelectsWhatASortPutsFirst) {
  const auto nan_last = [](auto a, auto b) { return b != b ? a == a : a < b; };
  const auto plain = [](auto a, auto b) { return a < b; };
  const auto of_float = [](int64_t i) {
    return i % 50 == 0 ? std::nanf("") : i % 3 == 0 ? -0.0f : float(i % 400 - 200);
  };
  for (int64_t axis : {1, 15, 16, 17, 100, 1000})
    for (int64_t k : {1, 2, 5, 16, 17, 25, 200})
      for (bool largest : {true, false}) {
        if (k > axis) continue;
        for (int64_t inner : {1, 3}) expect_sorted<float>(DType::f32, axis, inner, k, largest, nan_last, of_float);
        expect_sorted<double>(DType::f64, axis, 1, k, largest, nan_last, of_float);
        expect_sorted<int8_t>(DType::i8, axis, 1, k, largest, plain, [](int64_t i) { return int8_t(i % 256 - 128); });
        expect_sorted<uint64_t>(DType::u64, axis, 1, k, largest, plain, [](int64_t i) { return ~uint64_t(i / 2); });
        expect_sorted<uint16_t>(DType::bf16, axis, 1, k, largest, plain, [](int64_t i) { return uint16_t(i * 31); });
      }
}

TEST(TopK, NanIsGreatestAndZerosAreEqual) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  const auto largest = top_k<float>(DType::f32, {0.0f, -0.0f, inf, -nan, -inf, nan}, 1, 6, 1, 6, true);
  EXPECT_EQ(largest.indices, (std::vector<int64_t>{3, 5, 2, 0, 1, 4}));
  const auto least = top_k<float>(DType::f32, {nan, -inf, 1}, 1, 3, 1, 3, false);
  EXPECT_EQ(least.indices, (std::vector<int64_t>{1, 2, 0}));
}

TEST(TopK, Types) {
  EXPECT_EQ(top_k<int8_t>(DType::i8, {-128, 127, 0}, 1, 3, 1, 3, true).values, (std::vector<int8_t>{127, 0, -128}));
  EXPECT_EQ(top_k<uint64_t>(DType::u64, {1, UINT64_MAX, 0}, 1, 3, 1, 1, true).indices[0], 1);
  EXPECT_EQ(top_k<int64_t>(DType::i64, {1, INT64_MIN, 0}, 1, 3, 1, 1, false).indices[0], 1);
  EXPECT_EQ(top_k<double>(DType::f64, {-1.5, -2.5, -0.5}, 1, 3, 1, 1, true).indices[0], 2);
  EXPECT_EQ(top_k<uint16_t>(DType::f16, {0x3C00, 0xC000, 0x4000}, 1, 3, 1, 3, true).indices,
            (std::vector<int64_t>{2, 0, 1}));
}

TEST(TopK, Refusals) {
  EXPECT_THROW(top_k<float>(DType::f32, {1, 2}, 1, 2, 1, 3, true), UserError);
  EXPECT_THROW(top_k<float>(DType::f64, {1, 2}, 1, 2, 1, 1, true), UserError);
  EXPECT_THROW(create_topk({kTopK, 2, 2, {}}), UserError);
}

std::string refusal_of(const std::vector<int64_t>& params) {
  try {
    const std::vector<int64_t> bytes(4, 0);
    (void)create_scatter_elements({kScatterElements, 3, 1, {}})->bind({params, bytes, 1});
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

// Plans are not trusted: each field is named where it is not what its kind allows.
TEST(CallFields, WhatPlansGetWrong) {
  ScatterElementsCall<int64_t> call;
  call.data = {0, 2}, call.updates = {0, 2};
  const std::vector<int64_t> good = flat_fields<int64_t>(call).integers;
  EXPECT_EQ(good, (std::vector<int64_t>{0, 0, 0, 2, 0, 2, 2, 0, 2}));
  EXPECT_EQ(refusal_of(good), "");
  const auto changed = [&](size_t i, int64_t value) {
    std::vector<int64_t> params = good;
    params[i] = value;
    return refusal_of(params);
  };
  EXPECT_EQ(changed(0, 99), "plan: scatter_elements: 'type' is 99; allowed are values from 0 to 22");
  EXPECT_EQ(changed(1, 5), "plan: scatter_elements: 'combination' is 5; allowed are values from 0 to 4");
  EXPECT_EQ(changed(3, -1), "plan: scatter_elements: 'dimensions of data' is -1; allowed are values of at least 0");
  EXPECT_EQ(changed(3, 1 << 20),
            "plan: scatter_elements: 'dimensions of data' has 1048576 elements; at most 5 are allowed");
  EXPECT_EQ(changed(4, -3), "plan: scatter_elements: 'dimensions of data' is -3; allowed are values of at least 0");
  EXPECT_EQ(refusal_of({0, 0, 0}), "plan: scatter_elements: 'dimensions of data' is missing");
  std::vector<int64_t> longer = good;
  longer.push_back(7);
  EXPECT_EQ(refusal_of(longer), "plan: scatter_elements: there are 1 values after the last parameter");
}

TEST(CallFields, OfHostSteps) {
  HostStep step;
  step.function = "tokens", step.origin = "node 't' (Tokenizer)";
  set_fields(step, TokensCall{true, 2, TokenKind::separated, "-", {"a", "b"}});
  EXPECT_EQ(step.integers, (std::vector<int64_t>{1, 2, 1, 2}));
  EXPECT_EQ(step.texts, (std::vector<std::string>{"-", "a", "b"}));
  EXPECT_EQ(fields_of<TokensCall>(step).patterns, (std::vector<std::string>{"a", "b"}));
  const auto refusal = [&] {
    try {
      fields_of<TokensCall>(step);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  step.texts.pop_back();
  EXPECT_EQ(refusal(), "module: node 't' (Tokenizer): tokens: 'patterns' has 2 elements; at most 1 are allowed");
  step.texts.clear(), step.integers[3] = 0;
  EXPECT_EQ(refusal(), "module: node 't' (Tokenizer): tokens: the text 'filling' is missing");
  step.integers[0] = 2;
  EXPECT_EQ(refusal(), "module: node 't' (Tokenizer): tokens: 'marked' is 2; allowed are values from 0 to 1");
}

}  // namespace
}  // namespace cppgen::rt
