#include "cppgen/passes/recognize_embedding_bags.h"

#include <algorithm>

#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

constexpr int kOpset = 1;  // of cppgen's own operators

// A body's values, seen together with those around it.
class BodyView {
 public:
  BodyView(const Graph& outer, const Node& loop)
      : outer_(outer), loop_(loop), body_(*std::get<std::shared_ptr<Graph>>(loop.attributes.at("body"))) {
    captures_ = loop.captures("body");
    first_capture_ = body_.inputs.size() - captures_.size();
  }

  const Graph& graph() const { return body_; }
  size_t own_inputs() const { return first_capture_; }
  size_t given_inputs() const { return loop_.inputs.size() - captures_.size(); }

  // The node that computes `v` if it is this operator of ONNX.
  const Node* node(ValueId v, std::string_view op) const {
    if (v == kNoValue || body_.value(v).producer < 0) return nullptr;
    const Node& node = body_.nodes[size_t(body_.value(v).producer)];
    return node.op == op && node.domain.empty() ? &node : nullptr;
  }
  // The value outside that `v` captures, or kNoValue.
  ValueId captured(ValueId v) const {
    const auto at = std::find(body_.inputs.begin(), body_.inputs.end(), v) - body_.inputs.begin();
    if (size_t(at) >= body_.inputs.size() || size_t(at) < first_capture_) return kNoValue;
    return loop_.inputs[size_t(captures_[size_t(at) - first_capture_])];
  }
  const Tensor* constant(ValueId v) const {
    if (v == kNoValue) return nullptr;
    if (body_.value(v).constant) return &*body_.value(v).constant;
    const ValueId outside = captured(v);
    return outside != kNoValue && outer_.value(outside).constant ? &*outer_.value(outside).constant : nullptr;
  }
  // Constant integers, or nothing.
  std::optional<std::vector<int64_t>> integers(ValueId v) const {
    const Tensor* t = constant(v);
    if (!t || is_float(t->dtype) || t->elements() > 8) return std::nullopt;
    return integers_of(*t);
  }
  // A parameter of an operator that is an attribute or, in later versions, input `i`.
  std::optional<std::vector<int64_t>> argument(const Node& node, const char* name, size_t i) const {
    const auto found = node.attributes.find(name);
    if (found != node.attributes.end()) {
      const auto* list = std::get_if<std::vector<int64_t>>(&found->second);
      return list ? std::optional(*list) : std::nullopt;
    }
    return i < node.inputs.size() ? integers(node.inputs[i]) : std::nullopt;
  }

 private:
  const Graph& outer_;
  const Node& loop_;
  const Graph& body_;
  std::vector<int64_t> captures_;
  size_t first_capture_ = 0;
};

using Ints = std::vector<int64_t>;

// A list outside the body that each round slices, and the offsets of the slices.
struct Sliced {
  ValueId list, starts, ends;
  bool operator==(const Sliced&) const = default;
};

struct Bags {
  std::string mode;
  ValueId table = kNoValue;              // outside, or
  std::optional<Tensor> table_constant;  // in the body
  Sliced indices{};
  ValueId factors = kNoValue;
};

class Matcher {
 public:
  explicit Matcher(const BodyView& view) : view_(view) {}

  std::optional<Bags> match() const {
    const Graph& body = view_.graph();
    if (view_.given_inputs() != 2 || view_.own_inputs() != 2 || body.outputs.size() != 2) return std::nullopt;
    if (!goes_on(body.outputs[0])) return std::nullopt;
    for (const auto& [op, mode] : {std::pair("ReduceSum", "sum"), {"ReduceMean", "mean"}, {"ReduceMax", "max"}})
      if (const Node* reduce = view_.node(body.outputs[1], op)) return reduced(*reduce, mode);
    return std::nullopt;
  }

 private:
  const BodyView& view_;

  ValueId round() const { return view_.graph().inputs[0]; }

  // The condition of the next round: constantly true, or the one of this round.
  bool goes_on(ValueId v) const {
    for (const char* op : {"Cast", "Identity"})
      if (const Node* node = view_.node(v, op)) return goes_on(node->inputs[0]);
    if (v == view_.graph().inputs[1]) return true;
    const auto known = view_.integers(v);
    return known && *known == Ints{1};
  }

  std::optional<Bags> reduced(const Node& reduce, const char* mode) const {
    if (view_.argument(reduce, "axes", 1) != Ints{0} || integer_attribute(reduce, "keepdims", 1) != 0)
      return std::nullopt;
    if (const Node* product = view_.node(reduce.inputs[0], "Mul")) {
      for (const size_t rows : {0, 1}) {
        auto bags = gathered(product->inputs[rows], mode);
        const auto factors = factor_slice(product->inputs[1 - rows]);
        if (!bags || !factors || factors->starts != bags->indices.starts || factors->ends != bags->indices.ends)
          continue;
        bags->factors = factors->list;
        return bags;
      }
      return std::nullopt;
    }
    return gathered(reduce.inputs[0], mode);
  }

  std::optional<Bags> gathered(ValueId v, const char* mode) const {
    const Node* gather = view_.node(v, "Gather");
    if (!gather || integer_attribute(*gather, "axis", 0) != 0) return std::nullopt;
    const auto indices = slice(gather->inputs[1]);
    if (!indices) return std::nullopt;
    Bags bags{mode, view_.captured(gather->inputs[0]), {}, *indices, kNoValue};
    if (bags.table == kNoValue) {
      const Tensor* constant = view_.constant(gather->inputs[0]);
      if (!constant) return std::nullopt;
      bags.table_constant = *constant;
    }
    return bags;
  }

  // One factor for each row: [members, 1].
  std::optional<Sliced> factor_slice(ValueId v) const {
    const Node* unsqueeze = view_.node(v, "Unsqueeze");
    if (!unsqueeze || view_.argument(*unsqueeze, "axes", 1) != Ints{1}) return std::nullopt;
    return slice(unsqueeze->inputs[0]);
  }

  std::optional<Sliced> slice(ValueId v) const {
    const Node* slice = view_.node(v, "Slice");
    if (!slice || slice->inputs.size() < 3) return std::nullopt;
    const bool along = slice->inputs.size() < 4 || view_.integers(slice->inputs[3]) == Ints{0};
    const bool by_one = slice->inputs.size() < 5 || view_.integers(slice->inputs[4]) == Ints{1};
    const Sliced sliced{view_.captured(slice->inputs[0]), offset(slice->inputs[1]), offset(slice->inputs[2])};
    if (!along || !by_one || sliced.list == kNoValue || sliced.starts == kNoValue || sliced.ends == kNoValue)
      return std::nullopt;
    return sliced;
  }

  // The list outside whose element of this round `v` is.
  ValueId offset(ValueId v) const {
    const Node* unsqueeze = view_.node(v, "Unsqueeze");
    if (!unsqueeze || view_.argument(*unsqueeze, "axes", 1) != Ints{0}) return kNoValue;
    const Node* gather = view_.node(unsqueeze->inputs[0], "Gather");
    if (!gather || integer_attribute(*gather, "axis", 0) != 0 || gather->inputs[1] != round()) return kNoValue;
    return view_.captured(gather->inputs[0]);
  }
};

const Shape* shape_of(const Graph& graph, ValueId v, size_t rank) {
  const Value& value = graph.value(v);
  return value.type && value.type->shape.size() == rank ? &value.type->shape : nullptr;
}

// There must be as many iterations as ends, each with a start, and tensors must have the ranks that ReduceBags accepts.
bool are_bags_of(const Graph& graph, const Node& loop, const Bags& bags) {
  const Shape* starts = shape_of(graph, bags.indices.starts, 1);
  const Shape* ends = shape_of(graph, bags.indices.ends, 1);
  const Shape* indices = shape_of(graph, bags.indices.list, 1);
  if (!starts || !ends || !indices || loop.inputs[0] == kNoValue) return false;
  const Value& rounds = graph.value(loop.inputs[0]);
  std::optional<IndexExpr> count;
  if (rounds.contents && rounds.contents->size() == 1) count = (*rounds.contents)[0];
  if (rounds.constant && rounds.constant->elements() == 1) count = integers_of(*rounds.constant)[0];
  if (!count || !ir::prove_equal(*count, (*ends)[0]) || !ir::prove_less_equal(*count, (*starts)[0])) return false;
  if (loop.inputs[1] != kNoValue) {
    const Value& condition = graph.value(loop.inputs[1]);
    if (!condition.constant || integers_of(*condition.constant) != Ints{1}) return false;
  }
  const Value* table = bags.table == kNoValue ? nullptr : &graph.value(bags.table);
  if (table &&
      (!table->type || table->type->shape.size() != (bags.factors == kNoValue ? table->type->shape.size() : 2)))
    return false;
  if (bags.table_constant && bags.factors != kNoValue && bags.table_constant->dims.size() != 2) return false;
  const DType type = table ? table->type->dtype : bags.table_constant->dtype;
  if (bags.factors == kNoValue) return is_float(type);
  const Shape* factors = shape_of(graph, bags.factors, 1);
  return is_float(type) && factors && ir::prove_equal((*factors)[0], (*indices)[0]);
}

}  // namespace

bool recognize_embedding_bag(Graph& graph, NodeOrder& order, NodeId id) {
  const Node loop = graph.nodes[size_t(id)];
  if (loop.op != "Loop" || !loop.domain.empty() || loop.inputs.size() < 2 || loop.outputs.size() != 1) return false;
  if (!loop.attributes.count("body")) return false;
  auto bags = Matcher(BodyView(graph, loop)).match();
  if (!bags || !are_bags_of(graph, loop, *bags)) return false;
  if (bags->table == kNoValue) bags->table = graph.add_constant(loop.name + " table", *bags->table_constant);
  const ValueId positions = graph.add_value(loop.name + " positions");
  Node find =
      new_node("BagPositions", kOpset, {bags->indices.list, bags->indices.starts, bags->indices.ends}, {positions});
  find.name = loop.name, find.domain = "cppgen";
  order.insert_before(id, std::move(find));
  Node& reduce = graph.nodes[size_t(id)];
  reduce.op = "ReduceBags", reduce.domain = "cppgen", reduce.opset = kOpset;
  reduce.inputs = {bags->table, bags->indices.list, positions};
  if (bags->factors != kNoValue) reduce.inputs.push_back(bags->factors);
  reduce.attributes = {{"mode", bags->mode}}, reduce.facts = {};
  return true;
}

}  // namespace cppgen::passes
