// The step that transforms inputs for Winograd's algorithm: its loops, as the interpreter runs them, mean what the
// functions of the runtime compute.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "cppgen/ir/interpreter/interpreter.h"
#include "runtime/contraction/tile.h"
#include "runtime/contraction/winograd.h"
#include "tests/engines/run_engine.h"

namespace cppgen::engines {
namespace {

using rt::winograd::Form;

constexpr int64_t kImages = 2, kChannels = 20, kHeight = 9, kWidth = 7;

float input(int64_t i) { return float(i * 37 % 101 - 50) / 64; }

ValueId convolution(GraphMaker& g, ValueId x, Form form) {
  std::vector<double> weights;
  for (int64_t i = 0; i < kChannels * kChannels * form.taps * form.taps; i++) weights.push_back(double(i % 7 - 3) / 4);
  const int64_t pad = form.taps / 2;
  return g.node("Conv", {x, g.floats({kChannels, kChannels, form.taps, form.taps}, weights)},
                {{"pads", std::vector<int64_t>{pad, pad, pad, pad}},
                 {"strides", std::vector<int64_t>{form.stride, form.stride}}});
}

ValueId images(GraphMaker& g) { return g.input("x", {kImages, kChannels, kHeight, kWidth}); }

schedule::Schedule schedule_of(GraphMaker& g, Form form) {
  Machine machine = this_machine();
  machine.target.l2_bytes = 1 << 10;
  schedule::Options options;
  options.max_autotune_conv_backends = {fmt::format("WINOGRAD_{0}X{0}", form.side)};
  return schedule::make_schedule(ops::lower(g.g), options, machine.target);
}

// The program that consists of this nest: from the images, read as they were before any copy, to their transforms.
ir::Program program_of(const ir::Program& all, const ir::LoopNest& nest) {
  ir::Program program = all;
  program.statements = {nest};
  for (const ir::Expr load : loads_of(nest)) {
    ir::Buffer& buffer = program.buffers[size_t(load->buffer)];
    if (buffer.kind == ir::BufferKind::constant) continue;
    buffer.kind = ir::BufferKind::input, program.inputs = {buffer.id};
  }
  program.outputs = {nest.stores[0].buffer};
  program.buffers[size_t(program.outputs[0])].kind = ir::BufferKind::output;
  return program;
}

// [product][channel] of the patch whose first input is at this position.
std::vector<float> transformed(Form form, const std::vector<float>& images, int64_t image, int64_t y0, int64_t x0) {
  const int64_t window = rt::winograd::window(form), row = 32;
  std::vector<float> channels(size_t(window * window * row)), result(channels.size());
  std::vector<const float*> points;
  for (int64_t y = 0; y < window; y++)
    for (int64_t x = 0; x < window; x++) {
      float* const at = &channels[size_t((y * window + x) * row)];
      const bool inside = y0 + y >= 0 && y0 + y < kHeight && x0 + x >= 0 && x0 + x < kWidth;
      for (int64_t c = 0; inside && c < kChannels; c++)
        at[c] = images[size_t(((image * kChannels + c) * kHeight + y0 + y) * kWidth + x0 + x)];
      points.push_back(at);
    }
  rt::runtime_table("scalar")->winograd_input[rt::winograd::number_of(form)](points.data(), kChannels, result.data(),
                                                                             row);
  return result;
}

TEST(WinogradInputs, AreWhatTheirLoopsMean) {
  std::vector<float> values;
  for (int64_t i = 0; i < kImages * kChannels * kHeight * kWidth; i++) values.push_back(input(i));
  ir::HostTensor x{DType::f32, {kImages, kChannels, kHeight, kWidth}, {}};
  x.bytes.resize(values.size() * sizeof(float));
  std::memcpy(x.bytes.data(), values.data(), x.bytes.size());
  for (const Form form : rt::winograd::kForms) {
    if (form.flat) continue;
    SCOPED_TRACE(fmt::format("side {}, {} taps, stride {}", form.side, form.taps, form.stride));
    GraphMaker g;
    g.output(convolution(g, images(g), form));
    const schedule::Schedule schedule = schedule_of(g, form);
    const ir::LoopNest* nest = nullptr;
    ir::each_nest(schedule.program.statements, [&](const ir::LoopNest& n) {
      if (n.name == "transform_inputs") nest = &n;
    });
    ASSERT_TRUE(nest);
    const ir::HostTensor got = ir::interpret(program_of(schedule.program, *nest), {x}).at(0);
    const int64_t side = form.side, pad = form.taps / 2, products = rt::winograd::products(form);
    const auto patches_along = [&](int64_t size) { return ((size - 1) / form.stride + side) / side; };
    const int64_t down = patches_along(kHeight), across = patches_along(kWidth);
    for (int64_t patch = 0; patch < kImages * down * across; patch++) {
      const int64_t step = side * form.stride, y0 = patch / across % down * step - pad,
                    x0 = patch % across * step - pad;
      const std::vector<float> want = transformed(form, values, patch / (down * across), y0, x0);
      for (int64_t p = 0; p < products; p++)
        for (int64_t c = 0; c < kChannels; c++) {
          float value;
          const int64_t at = (p * got.dims[1] + patch) * got.dims[2] + c;
          std::memcpy(&value, got.bytes.data() + size_t(at) * sizeof value, sizeof value);
          ASSERT_NEAR(value, want[size_t(p * 32 + c)], 1e-5) << "patch " << patch << ", product " << p;
        }
    }
  }
}

// Convolutions of the same image share its transforms, others do not.
TEST(WinogradInputs, AreTransformedOnce) {
  constexpr Form kForm{2, 3};
  GraphMaker g;
  const ValueId first = convolution(g, images(g), kForm), second = convolution(g, first, kForm);
  for (int i = 0; i < 3; i++) g.output(convolution(g, second, kForm));
  g.output(convolution(g, second, {2, 3, false, 2}));
  const schedule::Schedule schedule = schedule_of(g, kForm);
  int transforms = 0, readers = 0;
  ir::each_nest(schedule.program.statements,
                [&](const ir::LoopNest& nest) { transforms += nest.name == "transform_inputs"; });
  schedule::each_kernel(schedule.steps, [&](const schedule::FusedKernel& kernel) {
    readers += kernel.contraction && kernel.contraction->transformed >= 0;
  });
  EXPECT_EQ(readers, 6);
  EXPECT_EQ(transforms, 4);
}

}  // namespace
}  // namespace cppgen::engines
