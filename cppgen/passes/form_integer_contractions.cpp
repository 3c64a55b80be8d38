#include <algorithm>
#include <optional>

#include "cppgen/ops/op.h"
#include "cppgen/passes/node_order.h"
#include "cppgen/passes/passes.h"
#include "cppgen/passes/quantization.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

// The computation of a node: scale * op(x, w) + bias.
struct Contraction {
  const char* op;  // on bytes
  Dequantized x, w;
  ValueId bias = kNoValue;  // float32
  double alpha = 1, beta = 1;
  bool transpose_right = false;
};

class Former {
 public:
  Former(Graph& graph, NodeOrder& order, NodeId id)
      : graph_(graph), order_(order), id_(id), node_(graph.nodes[size_t(id)]) {}

  std::optional<Contraction> recognise() const {
    if (!node_.domain.empty()) return std::nullopt;
    if (node_.op == "Conv") return convolution();
    if (node_.op == "MatMul") return product(false);
    if (node_.op == "Gemm" && integer_attribute(node_, "transA", 0) == 0) return gemm();
    return std::nullopt;
  }

  void rewrite(const Contraction& c) {
    ValueId w = c.w.x;
    if (c.transpose_right) w = add("Transpose", {w});
    std::vector<ValueId> inputs = {c.x.x, w, c.x.parameters.zero_input, c.w.parameters.zero_input};
    while (inputs.back() == kNoValue) inputs.pop_back();
    const ValueId sum = add(c.op, inputs, convolves() ? node_.attributes : std::map<std::string, Attribute>{});
    const ValueId number = add("Cast", {sum}, {{"to", int64_t{1}}});
    if (c.bias == kNoValue) {
      become("Mul", {number, scale(c)});
    } else {
      const ValueId scaled = add("Mul", {number, scale(c)});
      become("Add", {scaled, bias(c)});
    }
  }

 private:
  Graph& graph_;
  NodeOrder& order_;
  NodeId id_;
  Node node_;  // as it was

  bool convolves() const { return node_.op == "Conv"; }
  const Shape& shape(ValueId v) const { return graph_.value(v).type->shape; }

  std::optional<Contraction> operands(const char* op, int column_axis, bool transposed) const {
    auto x = dequantized(graph_, node_.inputs[0]), w = dequantized(graph_, node_.inputs[1]);
    if (!x || !w || !x->parameters.per_tensor() || !is_bytes(x->parameters.type) || !is_bytes(w->parameters.type))
      return std::nullopt;
    if (!w->parameters.per_tensor() && w->parameters.axis != column_axis) return std::nullopt;
    if (!sum_fits(graph_, w->x, convolves(), transposed)) return std::nullopt;
    return Contraction{op, *x, *w};
  }

  std::optional<Contraction> convolution() const {
    auto c = operands("ConvInteger", 0, false);
    if (!c || node_.inputs.size() < 3 || node_.inputs[2] == kNoValue) return c;
    c->bias = node_.inputs[2];
    return bias_values(c->bias) ? c : std::nullopt;
  }

  std::optional<Contraction> product(bool transposed) const {
    const auto right = shape(node_.inputs[1]).size();
    if (right < 2 || shape(node_.inputs[0]).empty()) return std::nullopt;
    return operands("MatMulInteger", transposed ? 0 : int(right) - 1, transposed);
  }

  std::optional<Contraction> gemm() const {
    const bool transposed = integer_attribute(node_, "transB", 0) != 0;
    auto c = product(transposed);
    if (!c) return c;
    c->transpose_right = transposed;
    c->alpha = double(float_attribute(node_, "alpha", 1));
    c->beta = double(float_attribute(node_, "beta", 1));
    const bool biased = node_.inputs.size() > 2 && node_.inputs[2] != kNoValue && c->beta != 0;
    if (biased) c->bias = node_.inputs[2];
    return c->beta == 1 || !biased || bias_values(c->bias) ? c : std::nullopt;
  }

  // A bias that is constant, dequantized or not.
  std::optional<std::vector<double>> bias_values(ValueId v) const {
    const Value& value = graph_.value(v);
    if (value.constant) {
      if (value.constant->dtype != DType::f32) return std::nullopt;
      return numbers_of(*value.constant);
    }
    auto d = dequantized(graph_, v);
    if (!d || !graph_.value(d->x).constant || shape(v).size() > 1) return std::nullopt;
    std::vector<int64_t> q = integers_of(*graph_.value(d->x).constant);
    const auto& p = d->parameters;
    std::vector<double> values(q.size());
    for (size_t i = 0; i < q.size(); i++)
      values[i] = double(q[i] - p.zeros[p.per_tensor() ? 0 : i]) * p.scales[p.per_tensor() ? 0 : i];
    return values;
  }

  // Dimensions of a constant with one number for each column: along dimension 1 of a convolution's result, else the
  // last one.
  std::vector<int64_t> column_dims(size_t count) const {
    std::vector<int64_t> dims(convolves() ? shape(node_.inputs[1]).size() - 1 : 1, 1);
    dims[0] = int64_t(count);
    return dims;
  }

  ValueId constant(const char* suffix, std::vector<int64_t> dims, const std::vector<double>& values) {
    return graph_.add_constant(node_.name + suffix, make_floats(DType::f32, std::move(dims), values));
  }

  ValueId scale(const Contraction& c) {
    std::vector<double> scales = c.w.parameters.scales;
    for (double& s : scales) s *= c.alpha * c.x.parameters.scales[0];
    if (scales.size() == 1) return constant("/scale", {}, scales);
    auto dims = column_dims(scales.size());
    return constant("/scale", std::move(dims), scales);
  }

  ValueId bias(const Contraction& c) {
    auto values = bias_values(c.bias);
    if (!values || (!convolves() && c.beta == 1 && graph_.value(c.bias).constant)) return c.bias;
    for (double& v : *values) v *= c.beta;
    if (convolves()) return constant("/bias", column_dims(values->size()), *values);
    std::vector<int64_t> dims;
    for (const IndexExpr& d : shape(c.bias)) dims.push_back(d.constant());
    return constant("/bias", std::move(dims), *values);
  }

  ValueId add(const char* op, std::vector<ValueId> inputs, std::map<std::string, Attribute> attributes = {}) {
    const ValueId out = graph_.add_value(node_.name + "/" + op);
    Node& n = order_.insert_before(id_, op, std::move(inputs), {out});
    n.name = node_.name;
    n.attributes = std::move(attributes);
    ops::infer_node(graph_, n.id);
    return out;
  }

  void become(const char* op, std::vector<ValueId> inputs) {
    Node& n = graph_.nodes[size_t(id_)];
    n.op = op;
    n.inputs = std::move(inputs);
    n.attributes.clear(), n.facts = {};
  }
};

}  // namespace

void form_integer_contractions(Graph& graph, const PassOptions&) {
  NodeOrder order(graph);
  order.each_node([&](NodeId id) {
    Former former(graph, order, id);
    if (auto contraction = former.recognise()) former.rewrite(*contraction);
  });
}

}  // namespace cppgen::passes
