// Views and shape arithmetic: results, symbolic dimensions, and index expressions that stay simple.
#include <gtest/gtest.h>

#include "cppgen/ops/shapes/reindex.h"
#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

using Dims = std::vector<int64_t>;

HostTensor iota(Dims dims) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(i);
  return tensor<int64_t>(std::move(dims), values);
}

HostTensor list(std::vector<int64_t> v) {
  int64_t n = int64_t(v.size());
  return tensor<int64_t>({n}, v);
}

struct ViewRow {
  const char* op;
  int opset;
  std::map<std::string, Attribute> attributes;
  std::vector<HostTensor> inputs;  // all after the first are constants
  Dims dims;
  std::vector<int64_t> expected;
};

const ViewRow kViews[] = {
    {"Reshape", 14, {}, {iota({2, 3}), list({3, -1})}, {3, 2}, {0, 1, 2, 3, 4, 5}},
    {"Reshape", 14, {}, {iota({2, 3}), list({0, 1, -1})}, {2, 1, 3}, {0, 1, 2, 3, 4, 5}},
    {"Reshape", 14, {{"allowzero", integer(1)}}, {iota({0, 3}), list({3, 0})}, {3, 0}, {}},
    {"Flatten", 13, {{"axis", integer(-1)}}, {iota({2, 1, 2})}, {2, 2}, {0, 1, 2, 3}},
    {"Squeeze", 13, {}, {iota({1, 2, 1}), list({-1})}, {1, 2}, {0, 1}},
    {"Squeeze", 11, {}, {iota({1, 2, 1})}, {2}, {0, 1}},
    {"Unsqueeze", 13, {}, {iota({2}), list({0, -1})}, {1, 2, 1}, {0, 1}},
    {"Transpose", 13, {{"perm", ints({1, 0})}}, {iota({2, 3})}, {3, 2}, {0, 3, 1, 4, 2, 5}},
    {"Expand", 13, {}, {iota({2, 1}), list({2, 1, 2})}, {2, 2, 2}, {0, 0, 1, 1, 0, 0, 1, 1}},
    {"Tile", 13, {}, {iota({1, 2}), list({2, 2})}, {2, 4}, {0, 1, 0, 1, 0, 1, 0, 1}},
    {"Slice", 13, {}, {iota({5}), list({-1}), list({-100}), list({0}), list({-2})}, {3}, {4, 2, 0}},
    // The start of a falling slice is clamped to the first element, the end to the one before.
    {"Slice", 13, {}, {iota({5}), list({-9}), list({-100}), list({0}), list({-1})}, {1}, {0}},
    {"Slice", 13, {}, {iota({5}), list({-9}), list({-5}), list({0}), list({-1})}, {0}, {}},
    {"Slice", 13, {}, {iota({0}), list({-9}), list({-100}), list({0}), list({-1})}, {0}, {}},
    {"Slice", 13, {}, {iota({0}), list({3}), list({-100}), list({0}), list({-1})}, {0}, {}},
    {"Slice", 13, {}, {iota({2, 3}), list({1}), list({1000}), list({1})}, {2, 2}, {1, 2, 4, 5}},
    {"Slice", 13, {}, {iota({4}), list({3}), list({1})}, {0}, {}},
    {"Slice", 9, {{"starts", ints({1})}, {"ends", ints({-1})}}, {iota({4})}, {2}, {1, 2}},
    {"Pad", 13, {}, {iota({3}), list({1, 1}), tensor<int64_t>({}, {9})}, {5}, {9, 0, 1, 2, 9}},
    {"Pad", 13, {{"mode", std::string("edge")}}, {iota({3}), list({2, 1})}, {6}, {0, 0, 0, 1, 2, 2}},
    {"Pad", 13, {{"mode", std::string("reflect")}}, {iota({3}), list({2, 2})}, {7}, {2, 1, 0, 1, 2, 1, 0}},
    {"Pad", 19, {{"mode", std::string("wrap")}}, {iota({3}), list({1, 2})}, {6}, {2, 0, 1, 2, 0, 1}},
    {"Pad", 13, {}, {iota({4}), list({-1, -1})}, {2}, {1, 2}},
    {"DepthToSpace", 13, {{"blocksize", integer(2)}}, {iota({1, 4, 1, 2})}, {1, 1, 2, 4}, {0, 2, 1, 3, 4, 6, 5, 7}},
    {"SpaceToDepth", 13, {{"blocksize", integer(2)}}, {iota({1, 1, 2, 4})}, {1, 4, 1, 2}, {0, 2, 1, 3, 4, 6, 5, 7}},
    {"Gather", 13, {{"axis", integer(1)}}, {iota({2, 3}), list({-1, 0})}, {2, 2}, {2, 0, 5, 3}},
    {"GatherElements",
     13,
     {{"axis", integer(1)}},
     {iota({2, 3}), tensor<int64_t>({2, 2}, {2, -3, 0, 1})},
     {2, 2},
     {2, 0, 3, 4}},
    {"GatherND",
     13,
     {{"batch_dims", integer(1)}},
     {iota({2, 2, 2}), tensor<int64_t>({2, 1}, {1, 0})},
     {2, 2},
     {2, 3, 4, 5}},
    {"ScatterElements",
     18,
     {{"axis", integer(0)}},
     {iota({4}), list({1, -1, 1}), list({10, 20, 30})},
     {4},
     {0, 30, 2, 20}},
    {"ScatterElements",
     18,
     {{"reduction", std::string("add")}},
     {iota({4}), list({1, 1}), list({10, 30})},
     {4},
     {0, 41, 2, 3}},
    {"ScatterND",
     18,
     {},
     {iota({3, 2}), tensor<int64_t>({2, 1}, {2, 0}), tensor<int64_t>({2, 2}, {7, 8, 9, 10})},
     {3, 2},
     {9, 10, 2, 3, 7, 8}},
    {"CumSum",
     14,
     {{"exclusive", integer(1)}, {"reverse", integer(1)}},
     {iota({4}), tensor<int64_t>({}, {0})},
     {4},
     {6, 5, 3, 0}},
    {"ReverseSequence",
     10,
     {{"time_axis", integer(1)}, {"batch_axis", integer(0)}},
     {iota({2, 3}), list({2, 3})},
     {2, 3},
     {1, 0, 2, 5, 4, 3}},
    {"OneHot", 11, {}, {list({0, -1}), tensor<int64_t>({}, {3}), list({5, 7})}, {2, 3}, {7, 5, 5, 5, 5, 7}},
    {"Trilu", 14, {{"upper", integer(0)}}, {iota({2, 3}), tensor<int64_t>({}, {1})}, {2, 3}, {0, 1, 0, 3, 4, 5}},
    {"EyeLike", 9, {{"k", integer(1)}}, {iota({2, 3})}, {2, 3}, {0, 1, 0, 0, 0, 1}},
    {"Range",
     11,
     {},
     {tensor<int64_t>({}, {10}), tensor<int64_t>({}, {3}), tensor<int64_t>({}, {-3})},
     {3},
     {10, 7, 4}},
    {"Shape", 15, {{"start", integer(-2)}}, {iota({2, 3, 4})}, {2}, {3, 4}},
    {"Size", 13, {}, {iota({2, 3, 4})}, {}, {24}},
    {"Resize",
     18,
     {{"mode", std::string("nearest")}, {"nearest_mode", std::string("floor")}, {"axes", ints({1})}},
     {iota({1, 3}), tensor<float>({0}, {}), tensor<float>({1}, {2})},
     {1, 6},
     {0, 0, 0, 1, 1, 2}},
};

TEST(Views, GiveTheExpectedElements) {
  for (const ViewRow& row : kViews) {
    SCOPED_TRACE(row.op + testing::PrintToString(row.inputs[0].dims));
    std::vector<bool> constant(row.inputs.size(), true);
    bool all = row.op == std::string("Range");
    constant[0] = all;
    auto y = run({row.op, row.opset, row.attributes, row.inputs, constant});
    EXPECT_EQ(y[0].dims, row.dims);
    EXPECT_EQ(values_of<int64_t>(y[0]), row.expected);
  }
}

TEST(Views, ConcatUndoesSplit) {
  NodeCase split{"Split", 18, {{"axis", integer(1)}, {"num_outputs", integer(3)}}, {iota({2, 5})}};
  split.outputs = 3;
  auto parts = run(split);
  EXPECT_EQ(parts[2].dims, (Dims{2, 1}));
  auto whole = run({"Concat", 13, {{"axis", integer(-1)}}, parts});
  EXPECT_EQ(values_of<int64_t>(whole[0]), values_of<int64_t>(iota({2, 5})));
}

// --- Indices

struct ReshapeRow {
  Dims from, to;
  std::string index;
};

const ReshapeRow kReshapes[] = {
    {{2, 12, 64}, {2, 768}, "a0, floordiv(a1, 64), mod(a1, 64)"},
    {{2, 768}, {2, 12, 64}, "a0, 64*a1 + a2"},
    {{2, 3, 1, 5}, {2, 3, 5}, "a0, a1, 0, a2"},
    {{4, 6, 5}, {6, 4, 5}, "floordiv(4*a0 + a1, 6), mod(4*a0 + a1, 6), a2"},
    {{1, 2, 3}, {2, 3, 1}, "0, a0, a1"},
};

TEST(Reindex, LeavesUntouchedDimensionsAlone) {
  for (const ReshapeRow& row : kReshapes) {
    ir::IndexArena arena;
    std::vector<IndexExpr> at;
    for (int64_t d : row.to) at.push_back(arena.loop("a", d));
    std::string text;
    for (IndexExpr e :
         ops::reshaped_index(Shape(row.from.begin(), row.from.end()), Shape(row.to.begin(), row.to.end()), at)) {
      text += (text.empty() ? "" : ", ") + ir::to_string(e);
    }
    EXPECT_EQ(text, row.index);
  }
}

TEST(Symbols, DimensionsFlowThroughShapeArithmetic) {
  // Reshape(x, Concat(Shape(x)[0:2], [-1])) of x [N, S, 4, 8] is [N, S, 32], and no index needs a division by a symbol.
  Graph g;
  IndexExpr n = g.index->symbol("N"), s = g.index->symbol("S");
  ValueId x = g.add_value("x"), shape = g.add_value("shape"), target = g.add_value("target"), y = g.add_value("y");
  g.value(x).type = TensorType{DType::f32, {n, s, 4, 8}};
  int64_t rest = -1;
  std::vector<std::byte> bytes(8);
  std::memcpy(bytes.data(), &rest, 8);
  ValueId minus = g.add_constant("minus", make_tensor(DType::i64, {1}, bytes));
  g.inputs = {x};
  g.add_node("Shape", {x}, {shape}, 17).attributes["end"] = integer(2);
  g.add_node("Concat", {shape, minus}, {target}, 17).attributes["axis"] = integer(0);
  g.add_node("Reshape", {x, target}, {y}, 17);
  g.outputs = {y};
  ir::Program p = program_of(g);
  EXPECT_EQ(to_string(*g.value(y).type), "float32[N, S, 32]");
  EXPECT_EQ(p.statements.size(), 1u) << "shape arithmetic is not computed at run time";
  HostTensor in = ramp({2, 3, 4, 8});
  auto out = ir::interpret(p, {in});
  EXPECT_EQ(out[0].dims, (Dims{2, 3, 32}));
  EXPECT_EQ(out[0].bytes, in.bytes);
}

TEST(Symbols, KnownContentsThatArePassedOutAreStored) {
  Graph g;
  IndexExpr n = g.index->symbol("N");
  ValueId x = g.add_value("x"), shape = g.add_value("shape"), two = g.add_value("again");
  g.value(x).type = TensorType{DType::f32, {n, 3}};
  g.inputs = {x};
  g.add_node("Shape", {x}, {shape}, 17);
  g.add_node("Identity", {x}, {two}, 17);
  g.outputs = {shape, x, two, two};
  ir::Program p = program_of(g);
  HostTensor in = ramp({5, 3});
  auto out = ir::interpret(p, {in});
  EXPECT_EQ(values_of<int64_t>(out[0]), (std::vector<int64_t>{5, 3}));
  for (int i = 1; i < 4; ++i) EXPECT_EQ(out[i].bytes, in.bytes);
}

}  // namespace
}  // namespace cppgen::ops_test
