#include "cppgen/passes/learner.h"

#include <algorithm>
#include <cmath>

#include "cppgen/ops/common.h"
#include "cppgen/passes/passes.h"

namespace cppgen::passes {
namespace {

int64_t onnx_type(DType type) {
  if (type == DType::f32) return 1;
  if (type == DType::i64) return 7;
  if (type == DType::f64) return 11;
  internal_error("there is no number of type {}", name_of(type));
}

// A float scalar of the type that scores have.
struct ScoreMath {
  Learner& e;
  DType type;

  ValueId number(double value) { return e.graph.add_constant(e.old.name + " number", make_floats(type, {}, {value})); }
  ValueId unary(const char* op, ValueId x) { return e.add(op, {x}); }
  ValueId binary(const char* op, ValueId a, ValueId b) { return e.add(op, {a, b}); }
};

// sqrt(2) times the inverse of erf at 2 x - 1, by Winitzki's approximation.
ValueId probit(ScoreMath m, ValueId x) {
  constexpr double kA = 0.147, kPi = 3.14159;
  const ValueId one = m.number(1), y = m.binary("Sub", m.binary("Mul", x, m.number(2)), one);
  const ValueId product = m.binary("Mul", m.binary("Sub", one, y), m.binary("Add", one, y));
  const ValueId log = m.unary("Log", product);
  const ValueId v = m.binary("Add", m.number(2 / (kPi * kA)), m.binary("Mul", log, m.number(0.5)));
  const ValueId inner = m.binary("Sub", m.binary("Mul", v, v), m.binary("Mul", log, m.number(1 / kA)));
  const ValueId root = m.unary("Sqrt", m.binary("Sub", m.unary("Sqrt", inner), v));
  const ValueId negative = m.binary("Less", y, m.number(0));
  const ValueId factor = m.e.add("Where", {negative, m.number(-std::sqrt(2.0)), m.number(std::sqrt(2.0))});
  return m.binary("Mul", factor, root);
}

// A softmax in which scores of zero stay zero.
ValueId softmax_zero(ScoreMath m, ValueId x) {
  constexpr double kZero = 1e-7;
  const ValueId axis = m.e.integers({1});
  const ValueId greatest = m.e.add("ReduceMax", {x, axis}, {{"keepdims", int64_t(1)}});
  const ValueId counts = m.binary("Greater", m.unary("Abs", x), m.number(kZero));
  const ValueId power = m.unary("Exp", m.binary("Sub", x, greatest));
  const ValueId sum =
      m.e.add("ReduceSum", {m.e.add("Where", {counts, power, m.number(0)}), axis}, {{"keepdims", int64_t(1)}});
  const ValueId small = m.binary("Mul", x, m.unary("Exp", m.unary("Neg", greatest)));
  return m.binary("Div", m.e.add("Where", {counts, power, small}), sum);
}

}  // namespace

const Tensor* Learner::tensor(const char* name) const {
  const auto found = old.attributes.find(name);
  if (found == old.attributes.end()) return nullptr;
  if (const auto* held = std::get_if<Tensor>(&found->second)) return held;
  fail(std::string("attribute '") + name + "' is not a numeric tensor");
}

int Learner::choice(const char* name, const std::string& otherwise, const std::vector<std::string>& allowed) const {
  const std::string given = text(name, otherwise);
  const auto found = std::find(allowed.begin(), allowed.end(), given);
  if (found == allowed.end()) {
    std::string list;
    for (const std::string& a : allowed) list += (list.empty() ? "" : ", ") + a;
    fail(std::string("attribute '") + name + "' is " + quoted(given) + "; allowed are " + list);
  }
  return int(found - allowed.begin());
}

ValueId Learner::reals(const std::vector<float>& values, std::vector<int64_t> dims) {
  return graph.add_constant(old.name + " numbers",
                            make_floats(DType::f32, std::move(dims), {values.begin(), values.end()}));
}

ValueId Learner::doubles(const std::vector<double>& values, std::vector<int64_t> dims) {
  return graph.add_constant(old.name + " numbers", make_floats(DType::f64, std::move(dims), values));
}

ValueId Learner::integers(const std::vector<int64_t>& values, std::vector<int64_t> dims) {
  Tensor t = make_ints(values);
  t.dims = std::move(dims);
  return graph.add_constant(old.name + " integers", std::move(t));
}

ValueId Learner::texts(const std::vector<std::string>& values) {
  return add("StringConstant", {}, {{"dims", std::vector<int64_t>{int64_t(values.size())}}, {"elements", values}},
             kOwn);
}

ValueId Learner::cast(ValueId x, DType to) { return add("Cast", {x}, {{"to", onnx_type(to)}}); }

ValueId Learner::features(size_t i, bool keep_double) {
  if (input(i) == kNoValue) fail("input " + std::to_string(i) + " is missing");
  return add("FeatureRows", {input(i)}, {{"keep_double", int64_t(keep_double)}}, kOwn);
}

void Learner::give(const std::vector<ValueId>& values) {
  const size_t count = old.outputs.size();
  if (count == 0 || count > values.size()) fail("it has " + std::to_string(count) + " outputs");
  for (size_t i = count; i-- > 1;) Expansion::give(i, "Identity", {values[i]});
  become("Identity", {values[0]}, {});
}

PostTransform post_transform(const Learner& e) {
  return PostTransform(e.choice("post_transform", "NONE", {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}));
}

ValueId transformed(Learner& e, ValueId scores, PostTransform transform, DType type) {
  switch (transform) {
    case PostTransform::none:
      return scores;
    case PostTransform::softmax:
      return e.add("Softmax", {scores}, {{"axis", int64_t(1)}});
    case PostTransform::logistic:
      return e.add("Sigmoid", {scores});
    case PostTransform::softmax_zero:
      return softmax_zero({e, type}, scores);
    case PostTransform::probit:
      return probit({e, type}, scores);
  }
  return scores;
}

ValueId two_columns(Learner& e, ValueId score, PostTransform transform, bool mirrored) {
  ScoreMath m{e, DType::f32};
  if (transform == PostTransform::probit) return e.concat({probit(m, score), e.add("Mul", {score, m.number(0)})});
  const bool logistic = transform == PostTransform::logistic;
  ValueId other = logistic || mirrored ? m.unary("Neg", score) : m.binary("Sub", m.number(1), score);
  if (logistic) other = m.unary("Sigmoid", other), score = m.unary("Sigmoid", score);
  return e.concat({other, score});
}

Labels labels_of(const Learner& e, const char* ints_name) {
  Labels labels{e.strings("classlabels_strings"), e.ints(ints_name)};
  if (labels.strings.empty() == labels.ints.empty())
    e.fail(std::string("one of classlabels_strings and ") + ints_name + " must list the classes");
  return labels;
}

ValueId labels_at(Learner& e, const Labels& labels, ValueId positions) {
  bool same = labels.strings.empty();
  for (size_t i = 0; i < labels.ints.size(); i++) same = same && labels.ints[i] == int64_t(i);
  if (same) return positions;
  return e.add("Gather", {labels.strings.empty() ? e.integers(labels.ints) : e.texts(labels.strings), positions});
}

ValueId greatest_column(Learner& e, ValueId scores) {
  return e.add("ArgMax", {scores}, {{"axis", int64_t(1)}, {"keepdims", int64_t(0)}});
}

ValueId exceeds(Learner& e, ValueId column, double threshold) {
  const ValueId flat = e.add("Reshape", {e.cast(column, DType::f64), e.integers({-1})});
  return e.cast(e.add("Greater", {flat, e.doubles({threshold}, {})}), DType::i64);
}

static const std::vector<LearnerRow>& learners() {
  static const std::vector<LearnerRow> rows = [] {
    std::vector<LearnerRow> all;
    for (const auto& family : {preprocessing_expansions(), encoder_expansions(), linear_expansions(),
                               support_vector_expansions(), tree_expansions()})
      all.insert(all.end(), family.begin(), family.end());
    return all;
  }();
  return rows;
}

void expand_learners(Graph& graph, const PassOptions&) {
  NodeOrder order(graph);
  order.each_node([&](NodeId id) {
    const Node& node = graph.nodes[size_t(id)];
    if (node.domain != kLearners) return;
    const auto row =
        std::find_if(learners().begin(), learners().end(), [&](const auto& r) { return node.op == r.name; });
    if (row == learners().end()) return;
    Learner learner(graph, order, id);
    row->expand(learner);
  });
}

std::vector<ExpandedOperator> expanded_learners() { return without_row_in_table(learners()); }

}  // namespace cppgen::passes
