#include <algorithm>

#include "cppgen/passes/passes.h"
#include "cppgen/passes/quantization.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

constexpr int64_t kHalf = 128;

class Relabelling {
 public:
  Relabelling(Graph& graph) : graph_(graph), fits_(graph.values.size(), false) {
    for (const Value& v : graph.values) fits_[size_t(v.id)] = v.type && v.type->dtype == DType::i8 && !v.constant;
  }

  void run() {
    for (ValueId v : graph_.inputs) fits_[size_t(v)] = false;
    for (ValueId v : graph_.outputs) fits_[size_t(v)] = false;
    note_right_operands();
    while (refuse_some()) {
    }
    if (std::find(fits_.begin(), fits_.end(), true) == fits_.end()) return;
    for (Node& node : graph_.nodes) relabel(node);
    for (size_t v = 0; v < fits_.size(); v++)
      if (fits_[v]) graph_.values[v].type->dtype = DType::u8;
  }

 private:
  Graph& graph_;
  std::vector<bool> fits_;  // by value

  bool fits(ValueId v) const { return v != kNoValue && fits_[size_t(v)]; }

  void note_right_operands() {
    for (const Node& node : graph_.nodes) {
      if (node.op != "MatMul" && node.op != "Gemm") continue;
      if (auto right = dequantized(graph_, node.inputs[1])) fits_[size_t(right->x)] = false;
    }
  }

  // Returns whether the node, which produces or reads relabelled values, would do the same with them.
  bool follows(const Node& node) const {
    if (node.op == "QuantizeLinear" || node.op == "DequantizeLinear") {
      auto q = quantization_of(graph_, node);
      return q && q->per_tensor();
    }
    if (!moves_elements(node)) return false;
    const size_t data = node.op == "Concat" ? node.inputs.size() : 1;
    return std::all_of(node.inputs.begin(), node.inputs.begin() + long(data), [&](ValueId v) { return fits(v); }) &&
           std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId v) { return fits(v); });
  }

  bool refuse_some() {
    bool changed = false;
    for (const Node& node : graph_.nodes) {
      std::vector<ValueId> values = node.inputs;
      values.insert(values.end(), node.outputs.begin(), node.outputs.end());
      std::erase_if(values, [&](ValueId v) { return !fits(v); });
      if (values.empty() || follows(node)) continue;
      for (ValueId v : values) fits_[size_t(v)] = false;
      changed = true;
    }
    return changed;
  }

  void relabel(Node& node) {
    const bool quantizes = node.op == "QuantizeLinear" && fits(node.outputs[0]);
    const bool dequantizes = node.op == "DequantizeLinear" && fits(node.inputs[0]);
    if (!quantizes && !dequantizes) return;
    const int64_t zero = quantization_of(graph_, node)->zeros[0] + kHalf;
    const std::vector<int64_t> dims = graph_.value(node.inputs[1]).constant->dims;
    const ValueId id = graph_.add_constant(node.name + "/zero_point", make_tensor(DType::u8, dims, {std::byte(zero)}));
    node.inputs.resize(3, kNoValue);
    node.inputs[2] = id;
    node.attributes.erase("output_dtype");
  }
};

}  // namespace

void use_unsigned_activations(Graph& graph, const PassOptions&) { Relabelling(graph).run(); }

}  // namespace cppgen::passes
