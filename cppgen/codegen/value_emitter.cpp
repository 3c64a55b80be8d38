#include "cppgen/codegen/value_emitter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cppgen/codegen/operation_text.h"
#include "runtime/base/errors.h"

namespace cppgen::codegen {

using ir::ExprKind;
using ir::Guard;
using ir::IndexNode;
using schedule::Place;

const schedule::Local* KernelContext::local(BufferId b) const {
  for (const auto& l : kernel.locals)
    if (l.buffer == b) return &l;
  return nullptr;
}

bool KernelContext::around_caches(BufferId b) const {
  return std::find(kernel.around_caches.begin(), kernel.around_caches.end(), b) != kernel.around_caches.end();
}

IndexExpr KernelContext::offset(BufferId b, const std::vector<IndexExpr>& indices) const {
  const auto& buffer = program.buffer(b);
  const auto* l = local(b);
  if (!l || l->place != Place::row) return schedule::offset_of(buffer, layouts[size_t(b)], indices);
  auto is_outer = [&](IndexExpr index) {
    return std::any_of(kernel.outer.begin(), kernel.outer.end(),
                       [&](const ir::Loop& loop) { return ir::depends_on(index, loop.var.node()); });
  };
  IndexExpr offset = 0, step = 1;
  const auto& order = layouts[size_t(b)].order;
  for (size_t i = order.size(); i-- > 0;) {
    size_t d = size_t(order[i]);
    if (is_outer(indices[d])) continue;
    offset = offset + indices[d] * step;
    step = step * buffer.shape[d];
  }
  return offset;
}

ValueEmitter::ValueEmitter(KernelContext& context, std::vector<const IndexNode*> loops,
                           const IndexNode* vector_variable, std::string lanes)
    : lines(loops.size() + 1),
      context_(context),
      vector_(vector_variable),
      lanes_(std::move(lanes)),
      names_(context.names),
      lane_names_(context.names) {
  for (size_t i = 0; i < loops.size(); i++) level_of_variable_[loops[i]] = int(i) + 1;
  if (vector_) lane_names_.set(vector_, "(" + names_.text(IndexExpr(vector_)) + " + i)");
}

void ValueEmitter::compute_side_by_side() {
  side_by_side_ = true;
  std::string point = fmt::format("({} + u * vec::L)", names_.text(IndexExpr(vector_)));
  names_.set(vector_, point);
  lane_names_.set(vector_, fmt::format("({} + i)", point));
}

void ValueEmitter::align_lanes(int lanes) {
  auto& arena = *context_.program.index;
  const IndexExpr lane = arena.loop("lane", lanes);
  aligned_ = arena.loop("vector", ir::ceildiv(IndexExpr(vector_).node()->extent, lanes)) * lanes + lane;
  lane_ = lane.node();
}

std::optional<IndexExpr> ValueEmitter::lane_stride(IndexExpr offset) const {
  auto stride = ir::stride_of(offset, vector_);
  if (stride || !lane_) return stride;
  return ir::stride_of(ir::substitute(offset, {{vector_, aligned_}}), lane_);
}

void ValueEmitter::assume_inside(const IndexNode* loop, std::string flag) {
  assumed_loop_ = loop, assumed_flag_ = std::move(flag);
}

void ValueEmitter::bind_accumulator(int index, std::string name, int level) {
  accumulators_[index] = {std::move(name), level};
}
void ValueEmitter::bind_load(Expr load, std::string text) { bound_loads_[load] = std::move(text); }

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

ValueEmitter::Item ValueEmitter::define(int level, const std::string& text, const char* prefix) {
  std::string name = context_.fresh(prefix);
  if (side_by_side_ && level == innermost()) {
    lines.back().push_back(
        fmt::format("const auto {} = vec::each(width, [&](const int u) CPPGEN_LAMBDA {{ return {}; }});", name, text));
    return {name + "[u]", level};
  }
  lines[size_t(level)].push_back(fmt::format("const auto {} = {};", name, text));
  return {name, level};
}

std::string ValueEmitter::emit(Expr e) { return item(e).name; }

ValueEmitter::Item ValueEmitter::item(Expr e) {
  if (auto it = done_.find(e); it != done_.end()) return it->second;
  // Operands first, without deep recursion: long chains are common.
  for (Expr x : ir::postorder({&e, 1}))
    if (!done_.count(x)) done_[x] = compute(x);
  return done_.at(e);
}

std::string ValueEmitter::constant_text(Expr e) const {
  if (e->type == DType::boolean) return literal(e->type, e);
  return fmt::format("vec::set1<{}>({})", lane_type(e->type), literal(e->type, e));
}

// x where the value is an int32 of a narrower integer of float32 x, which then need not become narrower.
static Expr saturated(Expr cast) {
  Expr narrow = cast->args[0];
  const bool narrower = narrow->kind == ExprKind::cast && !is_float(narrow->type) && narrow->type != DType::boolean &&
                        size_of(narrow->type) < 4;
  return cast->type == DType::i32 && narrower && narrow->args[0]->type == DType::f32 ? narrow->args[0] : nullptr;
}

// Bounds and offset are constants outside of all loops.
ValueEmitter::Item ValueEmitter::rounded(Expr e, const RoundedInRange& r) {
  auto bound = [&](const char* type, int64_t value) {
    return define(0, fmt::format("vec::set1<{}>({})", type, value)).name;
  };
  const Item x = done_.at(r.x);
  std::string text =
      fmt::format("vec::nearest_in({}, {}, {})", x.name, bound("float", r.least), bound("float", r.most));
  if (r.offset != 0) text += " + " + bound("vec::i32", r.offset);
  return define(x.level, e->type == DType::i32 ? text : fmt::format("vec::convert<{}>({})", lane_type(e->type), text));
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
      return define(a.level, codegen::unary_text(e, a.name));
    }
    case ExprKind::binary: {
      Item a = done_.at(e->args[0]), b = done_.at(e->args[1]);
      return define(std::max(a.level, b.level), codegen::binary_text(e, a.name, b.name));
    }
    case ExprKind::select: {
      Item c = done_.at(e->args[0]), a = done_.at(e->args[1]), b = done_.at(e->args[2]);
      return define(std::max({c.level, a.level, b.level}),
                    fmt::format("vec::select({}, {}, {})", c.name, a.name, b.name));
    }
    case ExprKind::cast: {
      if (Expr wide = saturated(e)) {
        Item a = done_.at(wide);
        return define(a.level, fmt::format("vec::saturate<{}>({})", lane_type(e->args[0]->type), a.name));
      }
      Item a = done_.at(e->args[0]);
      return define(a.level, fmt::format("vec::cast<{}>({})",
                                         e->type == DType::boolean ? "vec::b8" : lane_type(e->type), a.name));
    }
  }
  internal_error("codegen: unknown value");
}

ValueEmitter::Item ValueEmitter::index_value(IndexExpr e) {
  int level = level_of(e);
  if (!varies(e)) return define(level, fmt::format("vec::set1<vec::i64>({})", names_.text(e)));
  if (vector_) {
    auto stride = ir::stride_of(e, vector_);
    bool indirect = std::any_of(indirects_.begin(), indirects_.end(),
                                [&](const auto& b) { return b.second.per_lane && ir::depends_on(e, b.first); });
    if (stride && stride->is_constant(1) && !indirect)
      return define(level, fmt::format("vec::iota<vec::i64>({})", names_.text(e)));
    if (stride && !indirect)
      return define(level, fmt::format("vec::iota<vec::i64>(0) * vec::set1<vec::i64>({}) + vec::set1<vec::i64>({})",
                                       names_.text(*stride), names_.text(e)));
  }
  return define(level, fmt::format("vec::index_lanes([&](int i) CPPGEN_LAMBDA {{ return {}; }})", lane_names_.text(e)));
}

// What people read when an index is outside of the variable's extent.
static std::string check_text(const ir::IndexNode& variable) {
  const IndexExpr extent = variable.extent;
  if (!extent.is_constant())
    return fmt::format("{}: an index is out of range; the size is {}", variable.purpose, ir::to_string(extent));
  if (extent.is_constant(0)) return fmt::format("{}: an index into a dimension of size 0", variable.purpose);
  return fmt::format("{}: an index is out of range for a dimension of size {} (allowed: {} to {})", variable.purpose,
                     extent.constant(), -extent.constant(), extent.constant() - 1);
}

void ValueEmitter::bind_indirects(const std::vector<ir::Indirect>& indirects) {
  for (const auto& i : indirects) {
    if (indirects_.count(i.variable)) continue;
    Item value = item(i.value);
    bool per_lane = vector_ && value.level >= level_of_variable_.at(vector_);
    std::string name = context_.fresh("x");
    int id = int(context_.checks.size());
    std::string extent = names_.text(i.variable->extent);
    context_.checks.push_back(check_text(*i.variable));
    auto& out = lines[size_t(value.level)];
    if (per_lane) {
      out.push_back(fmt::format("vec::i64 {}[vec::L];", name));
      out.push_back(fmt::format("vec::checked_indices({}, {}, {}, args->error, check0 + {}, {});", name, value.name,
                                extent, id, lanes_));
    } else {
      out.push_back(
          fmt::format("const vec::i64 {} = vec::checked_index(vec::lane({}, 0), {}, args->error, check0 + {});", name,
                      value.name, extent, id));
    }
    indirects_[i.variable] = {name, value.level, per_lane};
    if (!per_lane) names_.set(i.variable, name);
    lane_names_.set(i.variable, per_lane ? name + "[i]" : name);
  }
}

ValueEmitter::Item ValueEmitter::condition(const std::vector<Guard>& guards,
                                           const std::vector<ir::Indirect>& indirects) {
  std::string text;
  int level = 0;
  auto add = [&](const std::string& part, int at, bool assumed = false) {
    text += (text.empty() ? "" : " && ") + (assumed ? fmt::format("({} || {})", assumed_flag_, part) : part);
    level = std::max(level, at);
  };
  for (const Guard& g : guards) {
    if (varies(g.index) || varies(g.lo) || varies(g.hi)) continue;
    int at = std::max({level_of(g.index), level_of(g.lo), level_of(g.hi)});
    const bool assumed = assumed_loop_ && ir::depends_on(g.index, assumed_loop_);
    std::string index = names_.text(g.index);
    if (!ir::prove_less_equal(g.lo, g.index)) add(fmt::format("{} >= {}", index, names_.text(g.lo)), at, assumed);
    if (!ir::prove_less(g.index, g.hi)) add(fmt::format("{} < {}", index, names_.text(g.hi)), at, assumed);
  }
  for (const auto& i : indirects) {
    const Binding& b = indirects_.at(i.variable);
    if (!b.per_lane) add(b.name + " >= 0", b.level);
  }
  if (text.empty()) return {"", 0};
  auto [it, fresh] = conditions_.try_emplace(text);
  if (fresh) {
    it->second = {context_.fresh("g"), level};
    lines[size_t(level)].push_back(fmt::format("const bool {} = {};", it->second.name, text));
  }
  return it->second;
}

std::string ValueEmitter::lane_condition(const std::vector<Guard>& guards,
                                         const std::vector<ir::Indirect>& indirects) const {
  std::string text;
  auto add = [&](const std::string& part) { text += (text.empty() ? "" : " && ") + part; };
  for (const Guard& g : guards) {
    if (!varies(g.index) && !varies(g.lo) && !varies(g.hi)) continue;
    std::string index = lane_names_.text(g.index);
    add(fmt::format("{} >= {} && {} < {}", index, lane_names_.text(g.lo), index, lane_names_.text(g.hi)));
  }
  for (const auto& i : indirects)
    if (indirects_.at(i.variable).per_lane) add(lane_names_.text(IndexExpr(i.variable)) + " >= 0");
  return text;
}

ValueEmitter::Item ValueEmitter::local_load(Expr e, const schedule::Local&) {
  const std::string& name = context_.pointers.at(e->buffer);
  bool lanes_are_points = context_.kernel.vector_outer;
  return {name, lanes_are_points ? innermost() : 0};
}

ValueEmitter::Item ValueEmitter::load(Expr e) {
  if (auto it = bound_loads_.find(e); it != bound_loads_.end()) return define(innermost(), it->second);
  if (const auto* l = context_.local(e->buffer); l && l->place == Place::value) return local_load(e, *l);
  bind_indirects(e->indirects);
  IndexExpr offset = context_.offset(e->buffer, e->indices);
  std::string pointer = context_.pointers.at(e->buffer);
  std::string type(storage_type(context_.program.buffer(e->buffer).type));
  Item when = condition(e->guards, e->indirects);
  std::string lane_when = lane_condition(e->guards, e->indirects);
  int level = std::max(when.level, level_of(offset));
  for (const Guard& g : e->guards) level = std::max({level, level_of(g.index), level_of(g.lo), level_of(g.hi)});
  std::string fallback;
  if (!e->guards.empty()) {
    Item f = done_.at(e->args[0]);
    fallback = f.name, level = std::max(level, f.level);
  } else {
    fallback = fmt::format("vec::Loaded<{}>{{}}", type);
  }

  std::string text;
  auto stride = vector_ ? lane_stride(offset) : std::optional<IndexExpr>(int64_t{0});
  bool even = stride && (!varies(offset) || std::none_of(e->indirects.begin(), e->indirects.end(), [&](const auto& i) {
                return indirects_.at(i.variable).per_lane;
              }));
  if (lane_when.empty() && (!varies(offset) || (even && stride->is_constant(0)))) {
    text = fmt::format("vec::ld_all({} + {})", pointer, names_.text(offset));
  } else if (lane_when.empty() && even && stride->is_constant(1)) {
    text = fmt::format("vec::ld({} + {}, {})", pointer, names_.text(offset), lanes_);
  } else if (lane_when.empty() && even) {
    text = fmt::format("vec::ld_strided({} + {}, {}, {})", pointer, names_.text(offset), names_.text(*stride), lanes_);
  } else {
    std::vector<Guard> varying;
    for (const Guard& g : e->guards)
      if (varies(g.index) || varies(g.lo) || varies(g.hi)) varying.push_back(g);
    auto step = varying.size() == 1 && vector_ ? ir::stride_of(varying[0].index, vector_) : std::nullopt;
    if (even && stride->is_constant(1) && step && step->is_constant(1) && !varies(varying[0].lo) &&
        !varies(varying[0].hi)) {
      text = fmt::format("vec::ld_range({} + {}, {}, {}, {}, {})", pointer, names_.text(offset),
                         names_.text(varying[0].lo - varying[0].index), names_.text(varying[0].hi - varying[0].index),
                         lanes_, fallback);
    } else {
      std::string address = fmt::format("{} + {}", pointer, lane_names_.text(offset));
      if (!lane_when.empty()) address = fmt::format("{} ? {} : (const {}*)0", lane_when, address, type);
      text = fmt::format("vec::ld_lanes<{}>({}, {}, [&](int i) CPPGEN_LAMBDA -> const {}* {{ return {}; }})", type,
                         lanes_, fallback, type, address);
    }
    level = std::max(level, level_of_variable_.count(vector_) ? level_of_variable_.at(vector_) : 0);
  }
  if (!when.name.empty()) text = fmt::format("{} ? {} : {}", when.name, text, fallback);
  return define(level, text);
}

void ValueEmitter::store(const std::vector<ir::Store>& stores) {
  for (const auto& s : stores) item(s.value);
  for (const auto& s : stores) store_one(s);
}

void ValueEmitter::store_one(const ir::Store& s) {
  Item value = item(s.value);
  auto& out = lines.back();
  const std::string& pointer = context_.pointers.at(s.buffer);
  if (const auto* l = context_.local(s.buffer); l && l->place == Place::value) {
    out.push_back(fmt::format("{} = {};", pointer, value.name));
    return;
  }
  bind_indirects(s.indirects);
  Item when = condition({}, s.indirects);
  std::string lane_when = lane_condition({}, s.indirects);
  IndexExpr offset = context_.offset(s.buffer, s.indices);
  std::string type(storage_type(context_.program.buffer(s.buffer).type));
  auto stride = vector_ ? lane_stride(offset) : std::nullopt;
  std::string text;
  if (!varies(offset))
    text = fmt::format("vec::st({} + {}, {}, vec::Tail{{1}});", pointer, names_.text(offset), value.name);
  else if (stride && stride->is_constant(1) && lane_when.empty())
    text = fmt::format("vec::{}({} + {}, {}, {});", context_.around_caches(s.buffer) ? "st_around" : "st", pointer,
                       names_.text(offset), value.name, lanes_);
  else if (stride && lane_when.empty())
    text = fmt::format("vec::st_strided({} + {}, {}, {}, {});", pointer, names_.text(offset), names_.text(*stride),
                       value.name, lanes_);
  else
    text = fmt::format("vec::st_lanes<{}>({}, {}, [&](int i) CPPGEN_LAMBDA -> {}* {{ return {}{} + {}{}; }});", type,
                       value.name, lanes_, type, lane_when.empty() ? "" : lane_when + " ? ", pointer,
                       lane_names_.text(offset), lane_when.empty() ? "" : fmt::format(" : ({}*)0", type));
  if (!when.name.empty()) text = fmt::format("if ({}) {}", when.name, text);
  if (side_by_side_) text = fmt::format("vec::repeat(width, [&](const int u) CPPGEN_LAMBDA {{ {} }});", text);
  out.push_back(text);
}

}  // namespace cppgen::codegen
