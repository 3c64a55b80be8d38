#include "cppgen/passes/expand_transform.h"

#include <limits>

#include "cppgen/ops/common.h"

namespace cppgen::passes {
namespace {

constexpr int64_t kInt64OfOnnx = 7;  // TensorProto.DataType

// Lists of integers that are made of the input's shape and the axis.
struct ShapeMath {
  Expansion& e;

  ValueId list(const std::vector<int64_t>& v) const {
    return e.graph.add_constant(e.old.name + " constant", ops::tensor_of(v, {int64_t(v.size())}));
  }
  ValueId number(int64_t v) const { return e.graph.add_constant(e.old.name + " constant", ops::tensor_of({v}, {})); }
  ValueId part(ValueId from, int64_t begin, int64_t end) const {
    return e.add("Slice", {from, list({begin}), list({end})});
  }
  ValueId joined(std::vector<ValueId> lists) const { return e.add("Concat", std::move(lists), {{"axis", int64_t(0)}}); }
  ValueId product_where(ValueId condition, ValueId dims) const {
    return e.add("ReduceProd", {e.add("Where", {condition, dims, list({1})})}, {{"keepdims", int64_t(1)}});
  }
  ValueId shaped(ValueId x, ValueId dims) const { return e.add("Reshape", {x, dims}, {{"allowzero", int64_t(1)}}); }
};

bool is_known(const Expansion& e, ValueId v) {
  if (v == kNoValue || e.graph.value(v).constant) return true;
  const NodeId producer = e.graph.value(v).producer;
  return producer >= 0 && e.graph.nodes[size_t(producer)].op == "Constant";
}

}  // namespace

void expand_transform(Expansion& e) {
  if (e.old.opset < 20 || is_known(e, e.input(2))) return;
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  const ShapeMath m{e};
  const ValueId shape = e.add("Shape", {e.input(0)}), rank = e.add("Size", {shape});
  const ValueId places = e.add("Range", {m.number(0), rank, m.number(1)});
  const ValueId given = e.add("Reshape", {e.add("Cast", {e.input(2)}, {{"to", kInt64OfOnnx}}), m.list({1})});
  const ValueId axis = e.add("Where", {e.add("Less", {given, m.number(0)}), e.add("Add", {given, rank}), given});
  // An axis that does not exist, or that of real and imaginary parts, reads past the end, which the run refuses.
  const ValueId checked = e.add("Where", {e.add("Less", {axis, m.number(0)}), rank, axis});
  const ValueId along = e.add("Gather", {m.part(shape, 0, -1), checked}), parts = m.part(shape, -1, kEnd);
  const ValueId before = m.product_where(e.add("Less", {places, axis}), shape);
  const ValueId after = m.product_where(e.add("Greater", {places, axis}), shape);
  const ValueId flat = m.shaped(e.input(0), m.joined({before, along, after}));
  const ValueId x = e.add("Reshape", {flat, m.joined({m.list({0, 0, -1}), parts})});
  const ValueId y = e.add("DFT", {x, e.input(1), m.number(1)}, e.old.attributes);
  const ValueId bins = m.part(e.add("Shape", {y}), 1, 2);
  const ValueId dims = m.part(e.add("Where", {e.add("Equal", {places, axis}), bins, shape}), 0, -1);
  const bool real = e.integer("inverse", 0) != 0 && e.integer("onesided", 0) != 0;
  const ValueId parts_of_result = m.list({real ? 1 : 2});
  const ValueId result = m.shaped(y, m.joined({dims, parts_of_result}));
  // Makes the last dimension known, whatever the other ones are at run time.
  const ValueId kept = e.add("Mul", {m.part(shape, 0, -1), m.number(0)});
  e.become("Reshape", {result, m.joined({kept, parts_of_result})}, {});
}

}  // namespace cppgen::passes
