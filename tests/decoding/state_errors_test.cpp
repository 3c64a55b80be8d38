// Errors of states are clear and leave the state as it was.
#include "tests/decoding/decoder.h"

namespace cppgen::decoding {
namespace {

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

std::string compile_error(const std::vector<StateOption>& states, Graph graph = DecoderGraph({.layers = 1}).take()) {
  return error_of([&] { session_of(std::move(graph), states); });
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), text.npos) << text;
}

TEST(StateErrors, Options) {
  EXPECT_EQ(parse_state_option("a=b"), (StateOption{"a", "b", 2048}));
  EXPECT_EQ(parse_state_option("a=b:7"), (StateOption{"a", "b", 7}));
  EXPECT_EQ(parse_state_option("a:0=b:0"), (StateOption{"a:0", "b:0", 2048}));
  EXPECT_EQ(parse_state_option("a=b:1:9"), (StateOption{"a", "b:1", 9}));
  for (const char* text : {"", "a", "a=", "=b", "=b:3"})
    expect_contains(error_of([&] { parse_state_option(text); }), "expected OUTPUT=INPUT or OUTPUT=INPUT:CAPACITY");
}

TEST(StateErrors, Compilation) {
  expect_contains(compile_error({{"present_k", "past_k0"}}),
                  "--state: the model has no output 'present_k'; did you mean 'present_k0'?");
  expect_contains(compile_error({{"present_k0", "x1"}}), "--state: the model has no input 'x1'");
  expect_contains(compile_error({{"present_k0", "past_k0"}, {"present_v0", "past_k0"}}),
                  "a tensor is part of two states");
  expect_contains(compile_error({{"present_k0", "x"}}), "must differ in one dimension");
  expect_contains(compile_error({{"present_k0", "past_v0"}}), "--state present_k0=past_v0:2048: node 'Concat");
  expect_contains(compile_error({{"present_k0", "past_k0", 0}}), "the capacity is 0; allowed are 1 to");
}

Graph concatenation(bool past_last, bool constant, bool doubled) {
  GraphMaker g;
  const IndexExpr length = constant ? IndexExpr(4) : g.symbol("P");
  const ValueId past = g.input("past", {2, length}), fresh = g.input("x", {2, 1});
  const ValueId kept = doubled ? g.node("Add", {past, past}) : past;
  const ValueId all =
      g.node("Concat", past_last ? std::vector{fresh, kept} : std::vector{kept, fresh}, {{"axis", int64_t{1}}});
  g.g.value(all).name = "present";
  g.output(all);
  return std::move(g.g);
}

TEST(StateErrors, WhatIsNoState) {
  const std::vector<StateOption> states{{"present", "past"}};
  const std::string otherwise = "does not copy the input to the same positions of the output and add others behind";
  expect_contains(compile_error(states, concatenation(true, false, false)), otherwise);
  expect_contains(compile_error(states, concatenation(false, false, true)), otherwise);
  expect_contains(compile_error(states, concatenation(false, true, false)), "axis 1 of the input must be symbolic");
  EXPECT_EQ(compile_error(states, concatenation(false, false, false)), "none");
}

TEST(StateErrors, SizesThatOnlyStatesHave) {
  GraphMaker g;
  const IndexExpr batch = g.symbol("B");
  const ValueId past = g.input("past", {batch, g.symbol("P")});
  const ValueId row = g.node("ReduceSum", {past, g.ints({1})}, {{"keepdims", int64_t{1}}});
  const ValueId all = g.node("Concat", {past, row}, {{"axis", int64_t{1}}});
  g.g.value(all).name = "present";
  g.output(all);
  expect_contains(compile_error({{"present", "past"}}, std::move(g.g)),
                  "no input but those of states has the dimension B");
}

class RunErrors : public testing::Test {
 protected:
  const std::unique_ptr<rt::Session> kept = session_of(DecoderGraph({}).take(), states_of(2, 8));
  const std::unique_ptr<rt::SessionState> state = kept->make_state();
  const rt::Tensor x = tensor(DType::f32, {2, 3, 16}, 1);

  std::string error(rt::SessionState& of, const rt::Tensor& input) {
    const rt::TensorView view = input.view();
    return error_of([&] { kept->run(of, {&view, 1}); });
  }
  void SetUp() override {
    ASSERT_EQ(error(*state, x), "none");
    ASSERT_EQ(error(*state, x), "none");
  }
};

TEST_F(RunErrors, CapacityExceeded) {
  std::vector<rt::Tensor> before;
  for (size_t i = 0; i < state->count(); i++) before.push_back(state->read(i));
  expect_contains(error(*state, x),
                  "'present_k0' would have 9 positions along axis 2; the state was compiled for up to 8");
  EXPECT_EQ(state->length(), 6);
  for (size_t i = 0; i < state->count(); i++) expect_same(state->read(i), before[i], "contents");
  EXPECT_EQ(error(*state, tensor(DType::f32, {2, 2, 16}, 2)), "none");
  EXPECT_EQ(state->length(), 8);
}

TEST_F(RunErrors, AnotherBatch) {
  expect_contains(error(*state, tensor(DType::f32, {1, 1, 16}, 1)),
                  "'present_k0' would have the shape [1, 2, 7, 8], but the state continues one of shape [2, 2, 6, 8]");
  EXPECT_EQ(state->length(), 6);
  state->set_length(0);
  EXPECT_EQ(error(*state, tensor(DType::f32, {1, 1, 16}, 1)), "none");
}

TEST_F(RunErrors, Tensors) {
  expect_contains(error(*state, tensor(DType::f32, {2, 16}, 1)), "'x' has shape [2, 16]");
  expect_contains(error(*state, tensor(DType::f64, {2, 1, 16}, 1)), "'x' has type float64");
  expect_contains(error_of([&] { kept->run(*state, std::span<const rt::TensorView>()); }),
                  "0 inputs are given; the model has 1 besides those of states");
  const rt::TensorView view = x.view();
  expect_contains(error_of([&] { kept->run({&view, 1}); }), "a run needs a state object of its session");
  EXPECT_EQ(state->length(), 6);
}

TEST_F(RunErrors, OtherSessions) {
  const auto other = session_of(DecoderGraph({.layers = 1}).take(), states_of(1, 8));
  expect_contains(error(*other->make_state(), x), "the state belongs to another session");
  const auto plain = session_of(DecoderGraph({}).take(), {});
  expect_contains(error_of([&] { plain->make_state(); }), "the package was compiled without states");
}

TEST_F(RunErrors, Lengths) {
  for (const int64_t length : {-1, 7})
    expect_contains(error_of([&] { state->set_length(length); }), "can be set to 0 up to its present length 6");
  expect_contains(error_of([&] { kept->make_state()->read(0); }), "the state has no contents yet");
  const std::vector<rt::Tensor> none;
  expect_contains(error_of([&] { state->write(views(none)); }), "0 tensors are given for 4 states");
}

}  // namespace
}  // namespace cppgen::decoding
