// Buffers that get gaps between their rows.
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

// relu(x) * w, with rows of `K` floats; small_target() has tiles of 6 rows.
GraphMaker product(int64_t K) {
  GraphMaker g;
  const ValueId exp = g.node("Softmax", {g.input("x", {96, K})});
  g.output(g.node("MatMul", {exp, g.input("w", {K, 64})}));
  return g;
}

int64_t most_padding(GraphMaker g, const Options& options = {}) {
  const Schedule s = scheduled(g, options);
  int64_t most = 0;
  for (const Layout& layout : s.layouts) most = std::max(most, layout.pad);
  return most;
}

TEST(PadRows, WhereRowsFallIntoTheSameSets) {
  EXPECT_EQ(most_padding(product(1024)), 16);
  EXPECT_EQ(most_padding(product(3072)), 16);
  EXPECT_EQ(most_padding(product(1000)), 0);
  EXPECT_EQ(most_padding(product(512)), 0);  // three of the six rows in each set
}

TEST(PadRows, NotWithoutLayoutOptimization) {
  Options off;
  off.layout_optimization = false;
  EXPECT_EQ(most_padding(product(1024), off), 0);
}

TEST(PadRows, NotOfInputsAndOutputs) {
  GraphMaker input, output;
  input.output(input.node("MatMul", {input.input("x", {96, 1024}), input.input("w", {1024, 64})}));
  EXPECT_EQ(most_padding(input), 0);
  const ValueId softmax = output.node("Softmax", {output.input("x", {96, 1024})});
  output.output(softmax).output(output.node("MatMul", {softmax, output.input("w", {1024, 64})}));
  EXPECT_EQ(most_padding(output), 0);
}

TEST(PadRows, NotOfWhatALibraryFunctionReads) {
  Options onednn;
  onednn.max_autotune_gemm_backends = {"ONEDNN", "CPP"};
  EXPECT_EQ(most_padding(product(1024), onednn), 0);
}

TEST(PadRows, StorageCountsTheGaps) {
  ir::Buffer buffer;
  ir::IndexArena arena;
  buffer.shape = {IndexExpr(3), IndexExpr(5), IndexExpr(7)};
  Layout layout = with_last(3, 1);
  EXPECT_EQ(storage_elements(buffer, layout).constant(), 105);
  layout.pad = 4;
  EXPECT_EQ(storage_elements(buffer, layout).constant(), 3 * 7 * (5 + 4));
}

rt::TileFormat format_of(GraphMaker g) {
  const Schedule s = scheduled(g);
  for (const auto& step : s.steps)
    if (const auto* kernel = std::get_if<FusedKernel>(&step); kernel && kernel->contraction)
      return kernel->contraction->format;
  ADD_FAILURE() << "no contraction";
  return {};
}

TEST(PadRows, RowsOfInputsAreCopiedInstead) {
  const auto format = [](int64_t K) {
    GraphMaker g;
    g.output(g.node("MatMul", {g.input("x", {96, K}), g.input("w", {K, 64})}));
    return format_of(std::move(g));
  };
  EXPECT_EQ(format(1024), rt::TileFormat::f32_copied);
  EXPECT_EQ(format(1000), rt::TileFormat::f32);
  EXPECT_EQ(format_of(product(1024)), rt::TileFormat::f32);  // a temporary, whose rows are padded
}

}  // namespace
}  // namespace cppgen::schedule
