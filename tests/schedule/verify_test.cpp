// The verifier of schedules accepts valid schedules and reports the fault of invalid ones.
#include "cppgen/schedule/verify.h"

#include "runtime/base/errors.h"
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

ValueId weights(GraphMaker& g, const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t d : shape) count *= d;
  return g.floats(shape, std::vector<double>(size_t(count), 0.5));
}

// Two products and two softmaxes: kernels of loops and of tiles, packed constants, a sum in its residual's memory.
Schedule whole() {
  GraphMaker g;
  const ValueId x = g.input("x", {96, 64});
  const ValueId residual = g.node("Softmax", {x});
  const ValueId sum = g.node("Add", {g.node("MatMul", {x, weights(g, {64, 64})}), residual});
  g.output(g.node("MatMul", {g.node("Softmax", {sum}, {{"axis", int64_t(0)}}), weights(g, {64, 48})}));
  return scheduled(g);
}

std::string fault(const Schedule& s) {
  try {
    verify(s);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

FusedKernel& kernel(Schedule& s, bool is_contraction) {
  for (ScheduledStep& step : s.steps)
    if (auto* k = std::get_if<FusedKernel>(&step); k && k->contraction.has_value() == is_contraction) return *k;
  throw InternalError("no such kernel");
}
FusedKernel& loops(Schedule& s) { return kernel(s, false); }
FusedKernel& contraction(Schedule& s) { return kernel(s, true); }

// Breaks a valid schedule in one way and expects this message.
template <class Break>
void expect_fault(const std::string& message, Break&& change) {
  Schedule s = whole();
  change(s);
  const std::string found = fault(s);
  EXPECT_NE(found.find(message), std::string::npos) << "expected: " << message << "\nfound: " << found;
}

TEST(VerifySchedule, WholeSchedulesPass) {
  const Schedule s = whole();
  EXPECT_EQ(fault(s), "");
  EXPECT_EQ(s.packed.size(), 2u);
  EXPECT_GE(s.in_place.size(), 1u);
}

TEST(VerifySchedule, BuffersAreStoredBeforeTheyAreRead) {
  expect_fault("is read before it is stored", [](Schedule& s) { std::reverse(s.steps.begin(), s.steps.end()); });
  expect_fault("the results: b", [](Schedule& s) { s.steps.pop_back(); });
  expect_fault("is an input or constant, yet stored", [](Schedule& s) {
    s.program.buffers[size_t(std::get<FusedKernel>(s.steps[0]).outputs[0])].kind = ir::BufferKind::input;
  });
}

TEST(VerifySchedule, BuffersOfKernelsAreKnown) {
  expect_fault("there is no buffer 999", [](Schedule& s) { loops(s).inputs[0] = 999; });
  expect_fault("its inputs are not what it reads", [](Schedule& s) { loops(s).inputs.clear(); });
  expect_fault("its outputs are not what it stores", [](Schedule& s) { loops(s).segments.back().stores.clear(); });
  expect_fault("bypasses the caches but is not stored", [](Schedule& s) {
    auto& k = loops(s);
    k.non_temporal = k.inputs;
  });
  expect_fault("other steps touch b", [](Schedule& s) {
    auto& last = std::get<FusedKernel>(s.steps.back());
    const BufferId b = std::get<FusedKernel>(s.steps[0]).outputs[0];
    last.locals.push_back({b, Place::value, 1});
    last.segments[0].stores.push_back(last.segments[0].stores[0]);
    last.segments[0].stores.back().buffer = b;
  });
  expect_fault("its name is not unique", [](Schedule& s) { loops(s).name = contraction(s).name; });
}

TEST(VerifySchedule, LayoutsFitShapes) {
  expect_fault("layouts for", [](Schedule& s) { s.layouts.pop_back(); });
  expect_fault("does not name each of its 2 dimensions once", [](Schedule& s) { s.layouts[0].order = {1, 1}; });
  expect_fault("is an input or output but not row-major",
               [](Schedule& s) { s.layouts[size_t(s.program.outputs[0])] = with_last(2, 0); });
  expect_fault("has gaps of 16", [](Schedule& s) { s.layouts[size_t(s.program.inputs[0])].pad = 16; });
}

TEST(VerifySchedule, WhatLiesInPlaceIsAsLargeAndNotReadAgain) {
  expect_fault("another buffer shares this memory", [](Schedule& s) { s.in_place.push_back(s.in_place[0]); });
  expect_fault("their sizes differ",
               [](Schedule& s) { s.program.buffers[size_t(s.in_place[0].output)].shape[0] = 97; });
  expect_fault("the input is read after the step that stores the output, or not by it",
               [](Schedule& s) { std::swap(s.in_place[0].output, s.in_place[0].input); });
  expect_fault("they are not temporaries", [](Schedule& s) { s.in_place[0].input = s.program.inputs[0]; });
}

TEST(VerifySchedule, PackedConstantsAreMadeOfConstants) {
  expect_fault("is not a constant", [](Schedule& s) { s.packed[0].source = s.program.inputs[0]; });
  expect_fault("it is not itself a constant",
               [](Schedule& s) { s.program.buffers[size_t(s.packed[0].packed)].kind = ir::BufferKind::temporary; });
  expect_fault("panels of 0 columns", [](Schedule& s) { s.packed[0].width = 0; });
  expect_fault("it reads the elements 1 to 4096 of b", [](Schedule& s) { s.packed[0].batch_offsets = {1}; });
}

TEST(VerifySchedule, NumbersOfStepsAreInRange) {
  expect_fault("is transposed", [](Schedule& s) { loops(s).transpose_loop = 9; });
  expect_fault("it has no segments", [](Schedule& s) { loops(s).segments.clear(); });
  expect_fault("it is a contraction and an attention", [](Schedule& s) { contraction(s).attention = Attention{}; });
  expect_fault("tiles of 0 x 16", [](Schedule& s) { contraction(s).contraction->shape.mr = 0; });
  expect_fault("its left operand is not uint8",
               [](Schedule& s) { contraction(s).contraction->format = rt::TileFormat::u8s8; });
  expect_fault("its right operand in place is not what it reads",
               [](Schedule& s) { contraction(s).contraction->right_in_place = true; });
  expect_fault("rows are tiled by", [](Schedule& s) { contraction(s).contraction->tiling.left = 1; });
  expect_fault("no engine runs it", [](Schedule& s) { contraction(s).contraction->engine.clear(); });
}

// A schedule whose product is a call of the library.
TEST(VerifySchedule, CallsOfTheLibrary) {
  GraphMaker g;
  g.output(g.node("MatMul", {g.input("x", {6, 40}), weights(g, {40, 64})}));
  Options options;
  options.max_autotune_gemm_backends = {"ONEDNN"};
  Schedule s = scheduled(g, options);
  EXPECT_EQ(fault(s), "");
  auto& call = std::get<LibraryStep>(s.steps[0]);
  call.params[2] = s.program.index->loop("i", 4);
  EXPECT_NE(fault(s).find("a parameter depends on the loop variable"), std::string::npos);
  call.function.clear();
  EXPECT_NE(fault(s).find("it names no function or engine"), std::string::npos);
}

TEST(VerifySchedule, Repetitions) {
  GraphMaker g;
  const ValueId x = g.input("x", {10, 2, 32});
  g.output(g.node("LSTM", {x, weights(g, {1, 128, 32}), weights(g, {1, 128, 32})}, {{"hidden_size", int64_t(32)}}));
  Schedule s = scheduled(g);
  EXPECT_EQ(fault(s), "");
  for (ScheduledStep& step : s.steps)
    if (auto* repeated = std::get_if<RepeatedSteps>(&step)) repeated->body.pop_back();
  EXPECT_NE(fault(s).find("(repetition): no step stores b"), std::string::npos) << fault(s);
}

}  // namespace
}  // namespace cppgen::schedule
