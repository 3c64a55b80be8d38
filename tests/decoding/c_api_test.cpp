// States through the C API of the runtime and its classes.
#include "tests/decoding/decoder.h"

// Behind it, because the compiler has names of its own that are equal.
#include "runtime/session/cppgen.hpp"

namespace cppgen::decoding {
namespace {

class StatesOfC : public testing::Test {
 protected:
  const CompiledModel model_ = compiled(DecoderGraph({.layers = 1}).take(), states_of(1, 8));
  v0::Session session_{model_.package};
  std::vector<float> x_ = std::vector<float>(2 * 16, 0.25f), y_ = x_;

  v0::Tensor input(int64_t rows = 2) { return {{1, rows, 16}, x_.data()}; }
};

TEST_F(StatesOfC, AreDescribed) {
  const std::vector<v0::StateInfo> states = session_.states();
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[1].input, session_.input("past_v0"));
  EXPECT_EQ(states[1].output, session_.output("present_v0"));
  EXPECT_EQ(states[1].axis, 2u);
  EXPECT_EQ(states[1].capacity, 8);
  cppgen_error error;
  EXPECT_EQ(cppgen_session_state(session_.get(), 2, nullptr, nullptr, nullptr, nullptr, &error), CPPGEN_USER_ERROR);
  EXPECT_STREQ(error.message, "there is no state 2; the model has 2");
}

TEST_F(StatesOfC, RunsContinue) {
  v0::State state(session_), other(session_);
  session_.run(state, {input()}, {v0::Tensor({1, 2, 16}, y_.data())});
  const v0::Results results = session_.run(other, {input()});
  EXPECT_EQ(std::memcmp(results.tensor(0).as<float>(), y_.data(), y_.size() * sizeof(float)), 0);
  EXPECT_EQ(state.length(), 2);
  const v0::Results contents = state.read();
  EXPECT_EQ(contents.tensor(1).dims(), (std::vector<int64_t>{1, 2, 2, 8}));
  session_.run(state, {input()});
  EXPECT_EQ(state.length(), 4);
  other.write({contents.tensor(0), contents.tensor(1)});
  EXPECT_EQ(other.length(), 2);
  state.set_length(1);
  EXPECT_EQ(state.length(), 1);
  EXPECT_THROW(state.set_length(2), v0::Error);
}

TEST_F(StatesOfC, Errors) {
  v0::State state(session_);
  for (int i = 0; i < 4; i++) session_.run(state, {input()});
  EXPECT_THROW(session_.run(state, {input()}), v0::Error);
  EXPECT_EQ(state.length(), 8);
  EXPECT_THROW(session_.run({input()}), v0::Error);
  cppgen_error error;
  EXPECT_EQ(cppgen_session_run_state(session_.get(), nullptr, nullptr, 0, nullptr, 0, nullptr, &error),
            CPPGEN_USER_ERROR);
  EXPECT_STREQ(error.message, "the argument 'state' is null");
  cppgen_state_free(nullptr);
  EXPECT_EQ(cppgen_state_length(nullptr), 0);
}

}  // namespace
}  // namespace cppgen::decoding
