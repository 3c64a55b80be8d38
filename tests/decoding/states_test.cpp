// Runs with states give the bits of the same runs without.
#include "tests/decoding/decoder.h"

namespace cppgen::decoding {
namespace {

struct Sessions {
  std::unique_ptr<rt::Session> kept, plain;

  explicit Sessions(const DecoderForm& form, int threads = 1, int64_t capacity = 64)
      : kept(session_of(DecoderGraph(form).take(), states_of(form.layers, capacity), threads)),
        plain(session_of(DecoderGraph(form).take(), {}, threads)) {}
};

rt::Tensor x_of(const DecoderForm& form, int64_t batch, int64_t rows, uint32_t seed) {
  return tensor(form.type, {batch, rows, form.heads * form.head_size}, seed);
}

void run_steps(const Sessions& sessions, const DecoderForm& form, int64_t batch, const std::vector<int64_t>& rows) {
  Sequence sequence(*sessions.kept, *sessions.plain, batch);
  uint32_t seed = 7;
  int64_t length = 0;
  for (const int64_t n : rows) {
    std::vector<rt::Tensor> inputs;
    inputs.push_back(x_of(form, batch, n, seed++));
    sequence.step(inputs);
    EXPECT_EQ(sequence.state().length(), length += n);
  }
}

const std::vector<int64_t> kRows{1, 1, 5, 1, 17, 0, 1, 2, 30, 6};  // fills the capacity

TEST(States, StepsHaveTheBitsOfRunsWithoutStates) {
  for (const int threads : {1, 2}) {
    const DecoderForm form;
    const Sessions sessions(form, threads);
    for (const int64_t batch : {1, 3}) run_steps(sessions, form, batch, kRows);
  }
}

TEST(States, OtherSizesAndTypes) {
  for (const DecoderForm& form : {DecoderForm{1, 3, 5}, DecoderForm{1, 12, 64}, DecoderForm{2, 2, 16, DType::f16}}) {
    const Sessions sessions(form);
    run_steps(sessions, form, 1, kRows);
    run_steps(sessions, form, 2, {20, 1, 1});
  }
}

TEST(States, OtherNodesReadWhatTheyHold) {
  const DecoderForm form{.reads_past = true};
  for (const int threads : {1, 2}) run_steps(Sessions(form, threads), form, 2, kRows);
}

TEST(States, EmptyBatch) {
  const DecoderForm form;
  run_steps(Sessions(form), form, 0, {1, 2});
}

TEST(States, AgreeWithTheInterpreter) {
  const DecoderForm form;
  Graph graph = DecoderGraph(form).take();
  const auto kept = session_of(DecoderGraph(form).take(), states_of(form.layers, 64));
  const auto state = kept->make_state();
  std::vector<ir::HostTensor> inputs(1 + size_t(form.layers) * 2, {form.type, {2, form.heads, 0, form.head_size}, {}});
  for (uint32_t step = 0; step < 6; step++) {
    inputs[0] = sample(form.type, {2, step % 3 + 1, form.heads * form.head_size}, step);
    const std::vector<ir::HostTensor> expected = ir::interpret(ops::lower(graph), inputs);
    const rt::TensorView x{form.type, inputs[0].dims, inputs[0].bytes.data()};
    const std::vector<rt::Tensor> found = kept->run(*state, {&x, 1});
    ASSERT_EQ(found[0].dims(), expected[0].dims);
    const auto* values = reinterpret_cast<const float*>(expected[0].bytes.data());
    for (int64_t i = 0; i < found[0].elements(); i++) EXPECT_NEAR(found[0].as<float>()[i], values[i], 1e-4);
    for (size_t i = 1; i < inputs.size(); i++) inputs[i] = expected[i];
  }
}

TEST(States, TwoInTurn) {
  const DecoderForm form;
  const Sessions sessions(form);
  Sequence first(*sessions.kept, *sessions.plain, 1), second(*sessions.kept, *sessions.plain, 3);
  for (uint32_t step = 0; step < 5; step++) {
    std::vector<rt::Tensor> one, three;
    one.push_back(x_of(form, 1, 2, step)), three.push_back(x_of(form, 3, step + 1, step + 50));
    first.step(one), second.step(three);
  }
  EXPECT_EQ(first.state().length(), 10);
  EXPECT_EQ(second.state().length(), 15);
}

TEST(States, RollBackAndStartAgain) {
  const DecoderForm form;
  const Sessions sessions(form);
  Sequence sequence(*sessions.kept, *sessions.plain, 2);
  const auto step = [&](int64_t rows, uint32_t seed) {
    std::vector<rt::Tensor> inputs;
    inputs.push_back(x_of(form, 2, rows, seed));
    sequence.step(inputs);
  };
  step(7, 1), step(3, 2);
  sequence.roll_back(5);
  EXPECT_EQ(sequence.state().length(), 5);
  step(4, 3), step(1, 4);
  sequence.roll_back(0);
  step(2, 5);
  EXPECT_EQ(sequence.state().length(), 2);
  sequence.state().set_length(0);  // another batch may follow
  const rt::Tensor x = x_of(form, 1, 2, 9);
  const rt::TensorView view = x.view();
  const std::vector<rt::Tensor> found = sessions.kept->run(sequence.state(), {&view, 1});
  EXPECT_EQ(found[0].dims(), (std::vector<int64_t>{1, 2, 16}));
}

TEST(States, WhatIsWrittenIsContinued) {
  const DecoderForm form;
  const Sessions sessions(form);
  Sequence sequence(*sessions.kept, *sessions.plain, 2);
  std::vector<rt::Tensor> inputs;
  inputs.push_back(x_of(form, 2, 5, 1));
  sequence.step(inputs);
  std::vector<rt::Tensor> contents;
  for (size_t i = 0; i < sequence.state().count(); i++) contents.push_back(sequence.state().read(i));
  const auto other = sessions.kept->make_state();
  other->write(views(contents));
  EXPECT_EQ(other->length(), 5);
  const auto next = views(inputs);
  const std::vector<rt::Tensor> a = sessions.kept->run(*other, next), b = sessions.kept->run(sequence.state(), next);
  expect_same(a[0], b[0], "y");
}

// The work of the steps that store into states does not depend on what these hold already.
TEST(States, NoStepCopiesTheCache) {
  const auto kept = session_of(DecoderGraph({}).take(), states_of(2, 64));
  const rt::Plan& plan = kept->plan();
  const auto past = std::find_if(plan.symbols.begin(), plan.symbols.end(), [](const auto& s) { return s.name == "P"; });
  ASSERT_NE(past, plan.symbols.end());
  size_t found = 0;
  for (const rt::Step& step : plan.steps)
    for (size_t b = step.buffers.size() - size_t(step.output_count); b < step.buffers.size(); b++) {
      const rt::PlanBuffer& buffer = plan.buffers[size_t(step.buffers[b])];
      if (buffer.kind != rt::PlanBufferKind::output || !rt::state_of_output(plan, buffer.slot)) continue;
      found++;
      for (const rt::DimExpr* size : {&step.range, &step.unit_work, &step.bytes})
        EXPECT_FALSE(rt::uses_symbol(*size, past - plan.symbols.begin())) << step.name;
    }
  EXPECT_EQ(found, 4u);
}

}  // namespace
}  // namespace cppgen::decoding
