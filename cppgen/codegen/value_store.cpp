// Stores of values.

#include "cppgen/codegen/value_emitter.h"
#include "cppgen/kernel/view.h"

namespace cppgen::codegen {

using schedule::Place;

// The value without its rounding to the type in memory, which the store does anyway.
static Expr without_rounding(Expr value, DType storage) {
  const auto rounding = ir::rounding_to(storage);
  return rounding && value->kind == ir::ExprKind::unary && value->unary == *rounding ? value->args[0] : value;
}

void ValueEmitter::store(const std::vector<ir::Store>& stores) {
  for (const auto& s : stores) item(stored_value(s));
  for (const auto& s : stores) store_one(s);
}

void ValueEmitter::store_interleaved(const std::vector<ir::Store>& stores, const ir::IndexNode* loop, int64_t count) {
  std::vector<std::vector<ir::Store>> at_points;  // by store, of which each has `count`
  for (const auto& s : stores) {
    at_points.emplace_back();
    for (int64_t point = 0; point < count; point++) {
      ir::Rewrite at;
      at.indices[loop] = point;
      ir::Store& here = at_points.back().emplace_back(s);
      here.value = ir::rewrite(*context_.view.program().exprs, s.value, at);
      for (IndexExpr& index : here.indices) index = ir::substitute(index, at.indices);
      item(stored_value(here));
    }
  }
  for (const auto& points : at_points) store_together(points);
}

// Stores of one element each, which lie side by side, for each lane.
void ValueEmitter::store_together(const std::vector<ir::Store>& points) {
  const IndexExpr offset = context_.view.offset(points[0].buffer, points[0].indices);
  Code values, holds;
  for (const auto& s : points) {
    values += ", " + item(stored_value(s)).name;
    int level = innermost();
    if (const Code hold = indices_hold("writes", s.buffer, s.indices, {}, {}, level); !hold.empty())
      holds = holds.empty() ? hold : code("{} && {}", holds, hold);
  }
  Code text = code("vec::st_interleaved({}, {}{})", sum(context_.pointers.at(points[0].buffer), names_.text(offset)),
                   lanes_, values);
  if (!holds.empty()) text = code("{} ? {} : (void)0", holds, text);
  lines.back().push_back(plain(text + ";"));
}

Expr ValueEmitter::stored_value(const ir::Store& s) const {
  const auto* l = context_.view.local(s.buffer);
  const bool in_memory = !l || l->place != Place::value;
  return in_memory ? without_rounding(s.value, context_.view.type_of(s.buffer)) : s.value;
}

void ValueEmitter::store_one(const ir::Store& s) {
  Item value = item(stored_value(s));
  auto& out = lines.back();
  const Code& pointer = context_.pointers.at(s.buffer);
  if (const auto* l = context_.view.local(s.buffer); l && l->place == Place::value) {
    out.push_back(plain(code("{} = {};", pointer, value.name)));
    return;
  }
  IndexExpr offset = context_.view.offset(s.buffer, s.indices);
  const std::string type(storage_type(context_.view.type_of(s.buffer)));
  auto stride = vector_ ? lane_stride(offset) : std::nullopt;
  Code text;
  if (!varies(offset)) {
    text = code("vec::st({}, {}, vec::Tail{{1}})", sum(pointer, names_.text(offset)), value.name);
  } else if (stride && stride->is_constant(1)) {
    text = code("vec::{}({}, {}, {})", context_.non_temporal(s.buffer) ? "st_non_temporal" : "st",
                sum(pointer, names_.text(offset)), value.name, lanes_);
  } else if (stride) {
    text = code("vec::st_strided({}, {}, {}, {})", sum(pointer, names_.text(offset)), names_.text(*stride), value.name,
                lanes_);
    note_by_lane(innermost(), "strided stores");
  } else {
    note_by_lane(innermost(), "stores at computed indices");
    const Code address = sum(pointer, lane_names_.text(offset));
    text = code("vec::st_lanes<{}>({}, {}, {})", type, value.name, lanes_, function("int i", address, type + "*"));
  }
  int level = innermost();
  if (const Code hold = indices_hold("writes", s.buffer, s.indices, {}, {}, level); !hold.empty())
    text = code("{} ? {} : (void)0", hold, text);
  text += ";";
  if (side_by_side_) text = code("vec::repeat(width, {});", action("const int u", text));
  out.push_back(plain(std::move(text)));
}

}  // namespace cppgen::codegen
