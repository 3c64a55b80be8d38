#include "cppgen/graph/graph_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "cppgen/graph/host_dims.h"
#include "cppgen/text/graph_reader.h"
#include "runtime/base/errors.h"
#include "tests/text/same_graph.h"

namespace cppgen {
namespace {

// Texts that are printed as they are read.
void expect_stable(const std::string& text) { EXPECT_EQ(graph_text(text::read_graph(text, "t")), text); }

TEST(GraphText, IsReadAsItIsPrinted) {
  expect_stable(R"(graph "main" onnx@17 com.microsoft@1 {
  symbol N in 1..64
  symbol step in 2..
  symbol "rows#0" fresh
  assume N <= step
  input %x : float32[N, 3]
  input %"any name" : int64[] is [floordiv(N, 2) + 3*step]
  input %p : float16[2] = [1.5, -0.0]
  input %s : sequence string[*]
  input %o : optional float32[?, 3]
  input %r : int8["rows#0"]
  constant %w : float32[3] = [1.0, nan, bits(0x7fa00001)]
  %y = Mul(%x, %w) : float32[N, 3]
  %z, - = com.microsoft.Gelu(%y, -) {alpha = 0.5} [on_host] : float32[N, 3], ?  # "a node"
  %y#1 = "a b" "c"@3(%z)
  %n = Shape(%x) : int64[2] is [N, 3]
  return %y#1, %n
}
)");
}

TEST(GraphText, BodiesAreGraphs) {
  expect_stable(R"(graph "main" onnx@17 {
  input %c : bool[]
  input %x : float32[2]
  %y = If(%c, %x) {else_branch = graph "else" {
    input %x : float32[2]
    %r = Neg(%x)
    return %r
  }, then_branch = graph "then" onnx@18 {
    input %x : float32[2]
    return %x
  }} [captures else_branch = [1], captures then_branch = [1]]
  return %y
}
)");
}

TEST(GraphText, StatesFollowTheOutputs) {
  const std::string text = R"(graph "main" onnx@17 {
  input %p : float32[P]
  input %p#1 : float32[P]
  %keep = Relu(%p)
  %keep#1 = Relu(%p#1)
  return %keep, %keep#1
  keep %keep in %p#1 capacity 16
  keep %keep#1 in %p capacity 9223372036854775807
}
)";
  expect_stable(text);
  const Graph g = text::read_graph(text, "t");
  EXPECT_EQ(g.states, (std::vector<KeptOutput>{{0, 1, 16}, {1, 0, std::numeric_limits<int64_t>::max()}}));
  EXPECT_EQ(deep_copy(g).states, g.states);
}

TEST(GraphText, CommentsAndBlanksAreSkipped) {
  const Graph g = text::read_graph("// first\ngraph \"g\" onnx@17 { // second\n return\n}\n\n", "t");
  EXPECT_EQ(graph_text(g), "graph \"g\" onnx@17 {\n  return\n}\n");
}

TEST(GraphText, ExpressionsAreSimplified) {
  const Graph g =
      text::read_graph("graph \"g\" { input %x : float32[4*(N + 1) - 4, min(M, M), floordiv(8*N, 4)] return %x }", "t");
  EXPECT_EQ(to_string(*g.value(0).type), "float32[4*N, M, 2*N]");
}

TEST(GraphText, LargeConstants) {
  Graph g;
  std::vector<double> ramp(100);
  for (size_t i = 0; i < ramp.size(); i++) ramp[i] = double(i);
  g.add_constant("ramp", make_floats(DType::f32, {10, 10}, ramp));
  g.add_constant("same", make_floats(DType::bf16, {300, 2}, std::vector<double>(600, 1.5)));
  g.outputs = {0, 1};
  const std::string text = graph_text(g);
  EXPECT_NE(text.find("constant %same : bfloat16[300, 2] = splat 1.5\n"), text.npos);
  EXPECT_NE(text.find("dense \"000000000000803f00000040"), text.npos);
  expect_round_trip(g);
  // The text for people leaves out large values.
  EXPECT_NE(graph_text(g, 128).find("constant %ramp : float32[10, 10] = elided\n"), text.npos);
}

// Every bit pattern of the types of 8 and 16 bits, and special values of the others.
TEST(GraphText, ElementsAreExact) {
  for (int t = 0; t < kDTypeCount; t++) {
    const DType type = DType(t);
    const size_t width = size_of(type), count = width == 1 ? 256 : width == 2 ? 65536 : 256;
    std::vector<std::byte> bytes;
    for (size_t i = 0; i < count; i++) {
      uint64_t bits = i;
      if (width == 4) bits = uint32_t(i * 0x01010101u + (i % 7) * 0x00800000u);
      if (width == 8) bits = i * 0x0101010101010101u + (i % 7) * 0x0010000000000000u;
      for (size_t b = 0; b < width; b++) bytes.push_back(std::byte(bits >> (8 * b)));
    }
    for (size_t at = 0; at < count; at += 64) {  // short enough to be listed
      Graph g;
      std::vector<std::byte> part(bytes.begin() + long(at * width), bytes.begin() + long((at + 64) * width));
      g.add_constant("c", make_tensor(type, {64}, std::move(part)));
      g.outputs = {0};
      const Graph read = text::read_graph(graph_text(g), "t");
      expect_same_graph(g, read);
      if (HasFailure()) FAIL() << graph_text(g);
    }
  }
}

TEST(GraphText, AllAttributes) {
  Graph g;
  g.name = "quotes \" and \\ and \n and \xc3\xa9";
  g.opsets["a.b"] = 3;
  Node& n = g.add_node("Op", {kNoValue}, {g.add_value("")}, 3);
  n.domain = "a.b";
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  n.attributes["int"] = std::numeric_limits<int64_t>::min();
  n.attributes["float"] = 0.1f;
  n.attributes["whole"] = 3.0f;
  n.attributes["payload"] = std::bit_cast<float>(0xffc00123u);
  n.attributes["string"] = std::string("\0\xff\n\"", 4);
  n.attributes["ints"] = std::vector<int64_t>{std::numeric_limits<int64_t>::max(), -1};
  n.attributes["floats"] = std::vector<float>{nan, -nan, inf, -inf, -0.0f, 1e-45f, 3.4e38f};
  n.attributes["strings"] = std::vector<std::string>{"", "a, b"};
  n.attributes["no ints"] = std::vector<int64_t>{};
  n.attributes["no floats"] = std::vector<float>{};
  n.attributes["no strings"] = std::vector<std::string>{};
  n.attributes["tensor"] = make_ints({1, 2});
  n.attributes["scalar"] = make_floats(DType::f16, {}, {2.5});
  n.attributes["empty"] = make_floats(DType::f64, {0, 3}, {});
  auto body = std::make_shared<Graph>();
  body->index = g.index, body->opsets = g.opsets;
  body->add_constant("k", make_ints({7}));
  body->outputs = {0, 0};
  n.attributes["body"] = body;
  n.facts.captures["body"] = {};
  n.facts.declared[1] = {2, 3};
  n.facts.run_time_symbols = std::vector<std::string>{"", "N#1"};
  n.facts.resolves = n.facts.appends = n.facts.on_host = n.facts.refused = n.facts.hoisted = true;
  n.name = "# \"";
  g.outputs = {n.outputs[0]};
  expect_round_trip(g);
}

TEST(GraphText, HostTypes) {
  Graph g;
  const std::optional<std::vector<int64_t>> dims[] = {std::nullopt, std::vector<int64_t>{}, std::vector<int64_t>{-1, 3},
                                                      std::vector<int64_t>{kOneOfRanks, 2, 3},
                                                      std::vector<int64_t>{kNothing}};
  for (const ValueKind kind :
       {ValueKind::tensor, ValueKind::strings, ValueKind::sequence, ValueKind::optional, ValueKind::optional_sequence})
    for (const auto& d : dims)
      for (const bool strings : {false, true}) {
        const ValueId id = g.add_value(fmt::format("v{}", g.values.size()));
        g.value(id).host = HostType{kind, strings ? DType::f32 : DType::u8, strings, d};
        g.inputs.push_back(id);
      }
  expect_round_trip(g);
}

// Terms are printed in alphabetical order, whichever symbol was made first.
TEST(GraphText, DoesNotDependOnTheArena) {
  Graph g;
  const IndexExpr z = g.index->symbol("z"), a = g.index->symbol("a"), odd = g.index->symbol("batch size");
  const ValueId x = g.add_value("x");
  g.value(x).type =
      TensorType{DType::f32, {z + a, z * a * 3 - 2, floordiv(z + a, 4) + z, min(z, a) + max(odd, z), odd}};
  g.inputs = g.outputs = {x};
  EXPECT_EQ(graph_text(g), R"(graph "" {
  input %x : float32[a + z, 3*a*z - 2, floordiv(a + z, 4) + z, max("batch size", z) + min(a, z), "batch size"]
  return %x
}
)");
  expect_round_trip(g);
}

}  // namespace
}  // namespace cppgen
