#include <algorithm>
#include <cmath>
#include <limits>

#include "cppgen/graph/users.h"
#include "cppgen/passes/channel_affine.h"
#include "cppgen/passes/node_order.h"
#include "cppgen/passes/passes.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

struct Chain {
  std::vector<NodeId> steps;  // in order
  ValueId input;
  ChannelAffine affine;
};

class AffineFolder {
 public:
  explicit AffineFolder(Graph& graph) : graph_(graph), order_(graph), users_(graph) {}

  void run() {
    const auto count = NodeId(graph_.nodes.size());
    for (NodeId i = 0; i < count; i++) {
      if (!order_.has(i)) continue;
      auto chain = chain_from(i);
      if (!chain) continue;
      if (!fold_into_conv(*chain) && has_batch_normalization(*chain)) merge(*chain);
    }
  }

 private:
  std::optional<Chain> chain_from(NodeId);
  bool has_batch_normalization(const Chain&) const;
  bool fold_into_conv(const Chain&);
  void merge(const Chain&);
  const Tensor* parameter(const Node&, size_t i) const;
  ValueId add_per_channel(const Chain&, const char* suffix, const std::vector<double>& values);
  void erase(NodeId);

  Graph& graph_;
  NodeOrder order_;
  Users users_;
};

void AffineFolder::erase(NodeId id) {
  users_.remove(graph_.nodes[size_t(id)]);
  order_.erase(id);
}

std::optional<Chain> AffineFolder::chain_from(NodeId first) {
  Chain chain;
  for (NodeId at = first; at >= 0; at = users_.only_node(graph_.nodes[size_t(chain.steps.back())].outputs[0])) {
    auto step = as_affine_step(graph_, graph_.nodes[size_t(at)]);
    if (!step) break;
    if (chain.steps.empty()) chain.input = step->input;
    ChannelAffine next = chain.affine.then(step->affine);
    if (!next.is_finite()) break;
    chain.affine = std::move(next);
    chain.steps.push_back(at);
  }
  if (chain.steps.empty()) return std::nullopt;
  return chain;
}

const Tensor* AffineFolder::parameter(const Node& node, size_t i) const {
  const Value& v = graph_.value(node.inputs[i]);
  return v.constant ? &*v.constant : nullptr;
}

bool fits(DType type, const std::vector<double>& values) {
  double limit = type == DType::f32 ? double(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max();
  return std::all_of(values.begin(), values.end(), [&](double v) { return std::fabs(v) <= limit; });
}

std::vector<double> widen_to(std::vector<double> v, size_t channels) {
  if (v.size() == 1) v.resize(channels, v[0]);
  return v;
}

bool AffineFolder::fold_into_conv(const Chain& chain) {
  if (users_.count(chain.input) != 1 || graph_.value(chain.input).producer < 0) return false;
  Node& conv = graph_.nodes[size_t(graph_.value(chain.input).producer)];
  if (conv.op != "Conv" || !conv.domain.empty()) return false;
  const Tensor* weights = parameter(conv, 1);
  bool has_bias = conv.inputs.size() > 2 && conv.inputs[2] != kNoValue;
  const Tensor* bias = has_bias ? parameter(conv, 2) : nullptr;
  if (!weights || weights->dims.empty() || (has_bias && !bias)) return false;

  auto channels = size_t(weights->dims[0]);
  std::vector<double> w = numbers_of(*weights), b(channels, 0.0);
  if (bias) b = numbers_of(*bias);
  std::vector<double> scale = widen_to(chain.affine.scale, channels), shift = widen_to(chain.affine.shift, channels);
  if (b.size() != channels || scale.size() != channels || shift.size() != channels) return false;
  size_t row = channels ? w.size() / channels : 0;
  for (size_t c = 0; c < channels; c++) {
    for (size_t i = 0; i < row; i++) w[c * row + i] *= scale[c];
    b[c] = b[c] * scale[c] + shift[c];
  }
  if (!fits(weights->dtype, w) || !fits(weights->dtype, b)) return false;

  DType type = weights->dtype;
  Tensor new_weights = make_floats(type, weights->dims, w), new_bias = make_floats(type, {int64_t(channels)}, b);
  std::string bias_name = bias ? graph_.value(conv.inputs[2]).name : conv.name + "/bias";
  ValueId weights_id = graph_.add_constant(graph_.value(conv.inputs[1]).name, std::move(new_weights));
  ValueId bias_id = graph_.add_constant(std::move(bias_name), std::move(new_bias));
  users_.remove(conv);
  conv.inputs.resize(3, kNoValue);
  conv.inputs[1] = weights_id;
  conv.inputs[2] = bias_id;
  users_.add(conv);
  // The Conv now gives the chain's result.
  ValueId result = graph_.nodes[size_t(chain.steps.back())].outputs[0];
  conv.outputs[0] = result;
  graph_.value(result).producer = conv.id;
  for (NodeId step : chain.steps) erase(step);
  return true;
}

bool AffineFolder::has_batch_normalization(const Chain& chain) const {
  return std::any_of(chain.steps.begin(), chain.steps.end(),
                     [&](NodeId step) { return graph_.nodes[size_t(step)].op == "BatchNormalization"; });
}

// A constant that broadcasts along dimension 1 of the chain's input.
ValueId AffineFolder::add_per_channel(const Chain& chain, const char* suffix, const std::vector<double>& values) {
  const TensorType& type = *graph_.value(chain.input).type;
  std::vector<int64_t> dims(type.shape.size() - 1, 1);
  dims[0] = int64_t(values.size());
  std::string name = graph_.nodes[size_t(chain.steps.back())].name + suffix;
  return graph_.add_constant(std::move(name), make_floats(type.dtype, std::move(dims), values));
}

// The last step becomes the Add; the Mul goes in before it, the other steps go away.
void AffineFolder::merge(const Chain& chain) {
  DType dtype = graph_.value(chain.input).type->dtype;
  if (!fits(dtype, chain.affine.scale) || !fits(dtype, chain.affine.shift)) return;
  ValueId scale = add_per_channel(chain, "/scale", chain.affine.scale);
  ValueId shift = add_per_channel(chain, "/shift", chain.affine.shift);
  NodeId at = chain.steps.back();
  std::string name = graph_.nodes[size_t(at)].name;
  ValueId scaled = graph_.add_value(name + "/scaled");
  graph_.value(scaled).type = graph_.value(chain.input).type;
  for (NodeId step : chain.steps)
    if (step != at) erase(step);

  Node& mul = order_.insert_before(at, "Mul", {chain.input, scale}, {scaled});
  mul.name = name + "/scale";
  users_.add(mul);
  Node& add = graph_.nodes[size_t(at)];
  users_.remove(add);
  add.op = "Add";
  add.inputs = {scaled, shift};
  add.outputs.resize(1);
  add.attributes.clear(), add.facts = {};
  users_.add(add);
}

}  // namespace

void fold_affine(Graph& graph, const PassOptions&) {
  AffineFolder(graph).run();
  compact(graph, std::vector<bool>(graph.nodes.size(), true));
}

}  // namespace cppgen::passes
