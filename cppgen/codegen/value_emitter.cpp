#include "cppgen/codegen/value_emitter.h"

#include <algorithm>

#include "cppgen/codegen/operation_text.h"
#include "cppgen/kernel/view.h"
#include "runtime/base/errors.h"

namespace cppgen::codegen {

using ir::ExprKind;
using ir::IndexNode;

ValueEmitter::ValueEmitter(KernelContext& context, std::vector<const IndexNode*> loops,
                           const IndexNode* vector_variable, Code lanes)
    : lines(loops.size() + 1),
      context_(context),
      vector_(vector_variable),
      lanes_(std::move(lanes)),
      names_(context.names),
      lane_names_(context.names) {
  for (size_t i = 0; i < loops.size(); i++) level_of_variable_[loops[i]] = int(i) + 1;
  if (vector_) lane_names_.set_sum(vector_, code("{} + i", names_.text(IndexExpr(vector_))));
}

void ValueEmitter::compute_side_by_side() {
  side_by_side_ = true;
  const Code point = code("{} + u * vec::L", names_.text(IndexExpr(vector_)));
  names_.set_sum(vector_, point);
  lane_names_.set_sum(vector_, code("{} + i", point));
}

void ValueEmitter::align_lanes(int lanes) {
  auto& arena = *context_.view.program().index;
  const IndexExpr lane = arena.loop("lane", lanes);
  aligned_ = arena.loop("vector", ir::ceildiv(IndexExpr(vector_).node()->extent, lanes)) * lanes + lane;
  lane_ = lane.node();
}

std::optional<IndexExpr> ValueEmitter::lane_stride(IndexExpr offset) const {
  auto stride = ir::stride_of(offset, vector_);
  if (stride || !lane_) return stride;
  return ir::stride_of(ir::substitute(offset, {{vector_, aligned_}}), lane_);
}

void ValueEmitter::assume_inside(const IndexNode* loop, Code flag) {
  assumed_loop_ = loop, assumed_flag_ = std::move(flag);
}

void ValueEmitter::bind_accumulator(int index, Code name, int level) {
  accumulators_[index] = {std::move(name), level};
}
void ValueEmitter::bind_load(Expr load, Code text) { bound_loads_[load] = std::move(text); }

int ValueEmitter::level_of(IndexExpr e) const {
  int level = 0;
  for (const IndexNode* v : ir::variables_of(e)) {
    if (auto it = level_of_variable_.find(v); it != level_of_variable_.end()) level = std::max(level, it->second);
    if (auto it = indirects_.find(v); it != indirects_.end()) level = std::max(level, it->second.level);
  }
  return level;
}

bool ValueEmitter::varies(IndexExpr e) const {
  for (const IndexNode* v : ir::variables_of(e)) {
    if (v == vector_) return true;
    if (auto it = indirects_.find(v); it != indirects_.end() && it->second.per_lane) return true;
  }
  return false;
}

ValueEmitter::Item ValueEmitter::define(int level, const Code& value, const char* prefix) {
  const Code name = context_.fresh(prefix);
  const bool each = side_by_side_ && level == innermost();
  const Code all = each ? code("vec::each(width, {})", function("const int u", value)) : value;
  lines[size_t(level)].push_back(let("const auto", name, all));
  return {each ? name + "[u]" : name, level};
}

Code ValueEmitter::emit(Expr e) { return item(e).name; }

ValueEmitter::Item ValueEmitter::item(Expr e) {
  if (auto it = done_.find(e); it != done_.end()) return it->second;
  // Operands first, without deep recursion: long chains are common.
  for (Expr x : ir::postorder({&e, 1}))
    if (!done_.count(x)) done_[x] = compute(x);
  return done_.at(e);
}

Code ValueEmitter::constant_text(Expr e) const {
  if (e->type == DType::boolean) return literal(e->type, e);
  return code("vec::set1<{}>({})", lane_type(e->type), literal(e->type, e));
}

// x, if the value is float32 x cast to a narrower integer and then to int32: the narrow integer is not needed.
static Expr saturated(Expr cast) {
  Expr narrow = cast->args[0];
  const bool narrower = narrow->kind == ExprKind::cast && !is_float(narrow->type) && narrow->type != DType::boolean &&
                        size_of(narrow->type) < 4;
  return cast->type == DType::i32 && narrower && narrow->args[0]->type == DType::f32 ? narrow->args[0] : nullptr;
}

// The bounds and the offset are constants outside of all loops.
ValueEmitter::Item ValueEmitter::rounded(Expr e, const RoundedInRange& r) {
  auto bound = [&](const char* type, int64_t value) { return define(0, code("vec::set1<{}>({})", type, value)).name; };
  const Item x = done_.at(r.x);
  if (e->type == DType::u8 && r.least + r.offset == 0 && r.most + r.offset == 255)
    return define(x.level,
                  code("vec::nearest_byte({}, {}, {})", x.name, bound("float", r.least), bound("vec::i32", r.offset)));
  Code text = code("vec::nearest_in({}, {}, {})", x.name, bound("float", r.least), bound("float", r.most));
  if (r.offset != 0) text += " + " + bound("vec::i32", r.offset);
  return define(x.level, e->type == DType::i32 ? text : code("vec::convert<{}>({})", lane_type(e->type), text));
}

ValueEmitter::Item ValueEmitter::compute(Expr e) {
  if (auto r = rounded_in_range(e)) return rounded(e, *r);
  switch (e->kind) {
    case ExprKind::constant:
      return define(0, constant_text(e));
    case ExprKind::load:
      return load(e);
    case ExprKind::index:
      return index_value(e->indices[0]);
    case ExprKind::accumulator: {
      auto it = accumulators_.find(e->accumulator);
      check(it != accumulators_.end(), "codegen: an accumulator is used before its reduction");
      return it->second;
    }
    case ExprKind::unary: {
      Item a = done_.at(e->args[0]);
      note_by_lane(a.level, lane_operation(e));
      return define(a.level, with_bug(e, codegen::unary_text(e, a.name, context_.options)));
    }
    case ExprKind::binary: {
      Item a = done_.at(e->args[0]), b = done_.at(e->args[1]);
      note_by_lane(std::max(a.level, b.level), lane_operation(e));
      return define(std::max(a.level, b.level), with_bug(e, codegen::binary_text(e, a.name, b.name)));
    }
    case ExprKind::select: {
      Item c = done_.at(e->args[0]), a = done_.at(e->args[1]), b = done_.at(e->args[2]);
      return define(std::max({c.level, a.level, b.level}), code("vec::select({}, {}, {})", c.name, a.name, b.name));
    }
    case ExprKind::cast: {
      if (Expr wide = saturated(e)) {
        Item a = done_.at(wide);
        return define(a.level, code("vec::saturate<{}>({})", lane_type(e->args[0]->type), a.name));
      }
      Item a = done_.at(e->args[0]);
      return define(a.level,
                    code("vec::cast<{}>({})", e->type == DType::boolean ? "vec::b8" : lane_type(e->type), a.name));
    }
  }
  internal_error("codegen: unknown value");
}

ValueEmitter::Item ValueEmitter::index_value(IndexExpr e) {
  int level = level_of(e);
  if (!varies(e)) return define(level, code("vec::set1<vec::i64>({})", names_.text(e)));
  if (vector_) {
    auto stride = ir::stride_of(e, vector_);
    bool indirect = std::any_of(indirects_.begin(), indirects_.end(),
                                [&](const auto& b) { return b.second.per_lane && ir::depends_on(e, b.first); });
    if (stride && stride->is_constant(1) && !indirect)
      return define(level, code("vec::iota<vec::i64>({})", names_.text(e)));
    if (stride && !indirect)
      return define(level, code("vec::iota<vec::i64>(0) * vec::set1<vec::i64>({}) + vec::set1<vec::i64>({})",
                                names_.text(*stride), names_.text(e)));
  }
  note_by_lane(level, "positions computed by division or minimum");
  return define(level, code("vec::index_lanes({})", function("int i", lane_names_.text(e))));
}

}  // namespace cppgen::codegen
