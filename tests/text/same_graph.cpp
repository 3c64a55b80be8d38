#include "tests/text/same_graph.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "cppgen/graph/graph_text.h"
#include "cppgen/ir/text/exact_text.h"
#include "cppgen/text/graph_reader.h"

namespace cppgen {
namespace {

class Comparison {
 public:
  Comparison(const Graph& a, const Graph& b) : a_(a), b_(b) {}

  void run() {
    ASSERT_EQ(a_.name, b_.name);
    ASSERT_EQ(a_.opsets, b_.opsets);
    ASSERT_EQ(a_.inputs.size(), b_.inputs.size());
    ASSERT_EQ(a_.nodes.size(), b_.nodes.size());
    ids_[kNoValue] = kNoValue;
    for (size_t i = 0; i < a_.inputs.size(); i++) pair(a_.inputs[i], b_.inputs[i]);
    pair_constants();
    for (size_t i = 0; i < a_.nodes.size(); i++) compare(a_.nodes[i], b_.nodes[i]);
    compare(a_.outputs, b_.outputs);
    ASSERT_EQ(a_.states, b_.states);
  }

 private:
  const Graph &a_, &b_;
  std::map<ValueId, ValueId> ids_;

  static std::vector<ValueId> constants_of(const Graph& g) {
    std::vector<ValueId> ids;
    for (const Value& v : g.values)
      if (v.constant) ids.push_back(v.id);
    return ids;
  }

  void pair_constants() {
    const std::vector<ValueId> a = constants_of(a_), b = constants_of(b_);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); i++) pair(a[i], b[i]);
  }

  void pair(ValueId a, ValueId b) {
    ids_[a] = b;
    ASSERT_EQ(a == kNoValue, b == kNoValue);
    if (a != kNoValue) compare(a_.value(a), b_.value(b));
  }

  static std::string numbered(IndexExpr e) {
    std::set<std::string> variables;
    if (!e.is_constant())
      for (const ir::IndexNode* v : ir::variables_of(e))
        variables.insert(fmt::format("{}{}{}..{}", v->name, v->fresh ? " fresh " : " ", v->range.lo, v->range.hi));
    return fmt::format("{} with {}", ir::exact_text(e), fmt::join(variables, ", "));
  }
  static std::vector<std::string> texts(const std::vector<IndexExpr>& all) {
    std::vector<std::string> texts;
    for (IndexExpr e : all) texts.push_back(numbered(e));
    return texts;
  }

  static void compare(const Tensor& a, const Tensor& b) {
    ASSERT_EQ(a.dtype, b.dtype);
    ASSERT_EQ(a.dims, b.dims);
    ASSERT_EQ(a.data.size, b.data.size);
    if (a.data.size) ASSERT_EQ(std::memcmp(a.data.bytes, b.data.bytes, a.data.size), 0);
  }
  static void compare(const std::optional<Tensor>& a, const std::optional<Tensor>& b) {
    ASSERT_EQ(a.has_value(), b.has_value());
    if (a) compare(*a, *b);
  }

  // Known contents of constants are computed from them when they are needed.
  void compare(const Value& a, const Value& b) {
    SCOPED_TRACE("value " + a.name);
    ASSERT_EQ(a.name, b.name);
    ASSERT_EQ(a.producer, b.producer);
    ASSERT_EQ(a.type.has_value(), b.type.has_value());
    if (a.type) ASSERT_EQ(a.type->dtype, b.type->dtype);
    if (a.type) ASSERT_EQ(texts(a.type->shape), texts(b.type->shape));
    ASSERT_EQ(a.host, b.host);
    compare(a.constant, b.constant);
    compare(a.preset, b.preset);
    if (a.constant) return;
    ASSERT_EQ(a.contents.has_value(), b.contents.has_value());
    if (a.contents) ASSERT_EQ(texts(*a.contents), texts(*b.contents));
  }

  void compare(const std::vector<ValueId>& a, const std::vector<ValueId>& b) {
    std::vector<ValueId> expected;
    for (ValueId id : a) expected.push_back(ids_.at(id));
    ASSERT_EQ(expected, b);
  }

  void compare(const Node& a, const Node& b) {
    SCOPED_TRACE("node " + a.name);
    ASSERT_EQ(a.name, b.name);
    ASSERT_EQ(a.op, b.op);
    ASSERT_EQ(a.domain, b.domain);
    ASSERT_EQ(a.opset, b.opset);
    compare(a.inputs, b.inputs);
    ASSERT_EQ(a.outputs.size(), b.outputs.size());
    for (size_t i = 0; i < a.outputs.size(); i++) pair(a.outputs[i], b.outputs[i]);
    ASSERT_TRUE(a.facts == b.facts);
    ASSERT_EQ(a.attributes.size(), b.attributes.size());
    for (const auto& [name, attribute] : a.attributes) {
      SCOPED_TRACE("attribute " + name);
      ASSERT_TRUE(b.attributes.count(name));
      compare(attribute, b.attributes.at(name));
    }
  }

  static bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

  static void compare(const Attribute& a, const Attribute& b) {
    ASSERT_EQ(a.index(), b.index());
    if (const auto* tensor = std::get_if<Tensor>(&a)) return compare(*tensor, std::get<Tensor>(b));
    if (const auto* body = std::get_if<std::shared_ptr<Graph>>(&a))
      return Comparison(**body, *std::get<std::shared_ptr<Graph>>(b)).run();
    if (const auto* number = std::get_if<float>(&a)) ASSERT_TRUE(same_bits(*number, std::get<float>(b)));
    if (const auto* numbers = std::get_if<std::vector<float>>(&a)) {
      const auto& others = std::get<std::vector<float>>(b);
      ASSERT_TRUE(std::equal(numbers->begin(), numbers->end(), others.begin(), others.end(), same_bits));
    }
    if (const auto* v = std::get_if<int64_t>(&a)) ASSERT_EQ(*v, std::get<int64_t>(b));
    if (const auto* v = std::get_if<std::string>(&a)) ASSERT_EQ(*v, std::get<std::string>(b));
    if (const auto* v = std::get_if<std::vector<int64_t>>(&a)) ASSERT_EQ(*v, std::get<std::vector<int64_t>>(b));
    if (const auto* v = std::get_if<std::vector<std::string>>(&a)) ASSERT_EQ(*v, std::get<std::vector<std::string>>(b));
  }
};

}  // namespace

void expect_same_graph(const Graph& a, const Graph& b) {
  Comparison(a, b).run();
  std::vector<std::string> assumed_a, assumed_b;
  for (const auto& bound : a.index->assumptions())
    assumed_a.push_back(ir::exact_text(bound.least) + " <= " + ir::exact_text(bound.most));
  for (const auto& bound : b.index->assumptions())
    assumed_b.push_back(ir::exact_text(bound.least) + " <= " + ir::exact_text(bound.most));
  EXPECT_EQ(assumed_a, assumed_b);
}

void expect_round_trip(const Graph& graph) {
  const std::string text = graph_text(graph);
  try {
    const Graph read = text::read_graph(text, "printed", graph.custom_operators);
    expect_same_graph(graph, read);
    EXPECT_EQ(graph_text(read), text);
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what() << "\n" << text;
  }
  if (testing::Test::HasFailure()) std::puts(text.c_str());
}

}  // namespace cppgen
