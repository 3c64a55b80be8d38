// How values are read from memory and written to it: addresses, conditions, indices that are values themselves.

#include <algorithm>

#include "cppgen/codegen/value_emitter.h"
#include "cppgen/ir/check_message.h"
#include "cppgen/schedule/kernels/loop_order.h"

namespace cppgen::codegen {

using ir::Guard;
using ir::IndexNode;
using schedule::Place;

bool KernelContext::around_caches(BufferId b) const {
  const auto& around = view.kernel.around_caches;
  return std::find(around.begin(), around.end(), b) != around.end();
}

// What people read when an index is outside of the variable's extent.
static std::string check_text(const ir::IndexNode& variable) {
  if (const auto sentence = ir::sentence_of(variable)) return *sentence;
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
    Code name = context_.fresh("x");
    int id = int(context_.checks.size());
    Code extent = names_.text(i.variable->extent);
    context_.checks.push_back(check_text(*i.variable));
    auto& out = lines[size_t(value.level)];
    if (per_lane) {
      out.push_back(plain(code("vec::i64 {}[vec::L];", name)));
      out.push_back(plain(code("const auto {0}v = vec::checked_indices({0}, {1}, {2}, args->error, {5} + {3}, {4});",
                               name, value.name, extent, id, lanes_, kFirstCheck)));
    } else {
      out.push_back(plain(code("const vec::i64 {} = vec::checked_index(vec::lane({}, 0), {}, args->error, {} + {});",
                               name, value.name, extent, kFirstCheck, id)));
    }
    indirects_[i.variable] = {name, value.level, per_lane};
    if (!per_lane) names_.set(i.variable, name);
    lane_names_.set(i.variable, per_lane ? name + "[i]" : name);
  }
}

ValueEmitter::Item ValueEmitter::condition(const std::vector<Guard>& guards,
                                           const std::vector<ir::Indirect>& indirects) {
  Code text;
  int level = 0;
  auto add = [&](const Code& part, int at, bool assumed = false) {
    text += code("{}{}", text.empty() ? "" : " && ", assumed ? code("({} || {})", assumed_flag_, part) : part);
    level = std::max(level, at);
  };
  for (const Guard& g : guards) {
    if (varies(g.index) || varies(g.lo) || varies(g.hi)) continue;
    int at = std::max({level_of(g.index), level_of(g.lo), level_of(g.hi)});
    const bool assumed = assumed_loop_ && ir::depends_on(g.index, assumed_loop_);
    Code index = names_.text(g.index);
    if (!ir::prove_less_equal(g.lo, g.index)) add(code("{} >= {}", index, names_.text(g.lo)), at, assumed);
    if (!ir::prove_less(g.index, g.hi)) add(code("{} < {}", index, names_.text(g.hi)), at, assumed);
  }
  for (const auto& i : indirects) {
    const Binding& b = indirects_.at(i.variable);
    if (!b.per_lane) add(b.name + " >= 0", b.level);
  }
  if (text.empty()) return {"", 0};
  auto [it, fresh] = conditions_.try_emplace(text.text());
  if (fresh) {
    it->second = {context_.fresh("g"), level};
    lines[size_t(level)].push_back(let(it->second.name, code("const bool {} = {};", it->second.name, text)));
  }
  return it->second;
}

Code ValueEmitter::lane_condition(const std::vector<Guard>& guards, const std::vector<ir::Indirect>& indirects) const {
  Code text;
  auto add = [&](const Code& part) { text += code("{}{}", text.empty() ? "" : " && ", part); };
  for (const Guard& g : guards) {
    if (!varies(g.index) && !varies(g.lo) && !varies(g.hi)) continue;
    Code index = lane_names_.text(g.index);
    add(code("{} >= {} && {} < {}", index, lane_names_.text(g.lo), index, lane_names_.text(g.hi)));
  }
  for (const auto& i : indirects)
    if (indirects_.at(i.variable).per_lane) add(lane_names_.text(IndexExpr(i.variable)) + " >= 0");
  return text;
}

ValueEmitter::Item ValueEmitter::local_load(Expr e, const schedule::Local&) {
  const Code& name = context_.pointers.at(e->buffer);
  bool lanes_are_points = context_.view.kernel.vector_outer;
  return {name, lanes_are_points ? innermost() : 0};
}

// The elements where neighbouring lanes lie evenly apart; empty if they do not, or exist under conditions of their own.
Code ValueEmitter::even_load(const Access& a) const {
  if (!a.lane_when.empty()) return "";
  if (!varies(a.offset) || (a.even && a.stride->is_constant(0)))
    return code("vec::ld_all({})", at(a.pointer, names_.text(a.offset)));
  if (!a.even) return "";
  if (a.stride->is_constant(1)) return code("vec::ld({}, {})", at(a.pointer, names_.text(a.offset)), lanes_);
  return code("vec::{}({}, {}, {})", schedule::moves_by_one_or_none(*a.stride) ? "ld_step" : "ld_strided",
              at(a.pointer, names_.text(a.offset)), names_.text(*a.stride), lanes_);
}

// Elements of which each serves some neighbouring lanes; empty if these are none.
Code ValueEmitter::repeated_load(const Access& a) const {
  if (a.even || a.by_lane || !a.lane_when.empty() || !vector_) return "";
  const auto repeated = schedule::repeated_elements(a.offset, vector_);
  if (!repeated) return "";
  return code("vec::ld_repeated<{}, {}>({}, {}, {})", repeated->lanes, repeated->step,
              at(a.pointer, names_.text(a.offset)), names_.text(ir::mod(repeated->lane, repeated->lanes)), lanes_);
}

// Elements that lie evenly apart, where one condition on an index of the lanes says which of them exist; else empty.
Code ValueEmitter::range_load(const Access& a, const std::vector<Guard>& guards, const Code& fallback) const {
  std::vector<Guard> varying;
  for (const Guard& g : guards)
    if (varies(g.index) || varies(g.lo) || varies(g.hi)) varying.push_back(g);
  if (varying.size() != 1 || !vector_ || !a.even) return "";
  const Guard& g = varying[0];
  const auto step = ir::stride_of(g.index, vector_);
  if (!step || !step->is_constant() || step->constant() < 1 || varies(g.lo) || varies(g.hi)) return "";
  const auto first_lane_at = [&](IndexExpr limit) { return names_.text(ir::ceildiv(limit - g.index, *step)); };
  return code("vec::ld_range({}, {}, {}, {}, {}, {})", at(a.pointer, names_.text(a.offset)), names_.text(*a.stride),
              first_lane_at(g.lo), first_lane_at(g.hi), lanes_, fallback);
}

// Elements that lie evenly apart along each of the indices that are values of the lanes, without further conditions;
// else empty.
Code ValueEmitter::indexed_load(const Access& a, const std::vector<Guard>& guards, const Code& fallback) const {
  if (!a.by_lane || !vector_) return "";
  for (const Guard& g : guards)
    if (varies(g.index) || varies(g.lo) || varies(g.hi)) return "";
  Code parts;
  IndexExpr rest = a.offset;
  for (const IndexNode* v : ir::variables_of(a.offset)) {
    const auto it = indirects_.find(v);
    const bool is_index = it != indirects_.end() && it->second.per_lane;
    if (!is_index && v != vector_) continue;
    const auto step = ir::stride_of(a.offset, v);
    if (!step || varies(*step)) return "";
    parts += code(", vec::LaneIndices{{{}, {}}}", is_index ? it->second.name + "v" : "vec::iota<vec::i64>(0)",
                  names_.text(*step));
    if (is_index) rest = ir::substitute(rest, {{v, 0}});
  }
  return code("vec::ld_at({}, {}, {}{})", at(a.pointer, names_.text(rest)), lanes_, fallback, parts);
}

// The elements one by one; those of which a range exists, as such.
ValueEmitter::LaneLoad ValueEmitter::lane_load(const Access& a, const std::vector<Guard>& guards,
                                               const Code& fallback) const {
  if (Code text = range_load(a, guards, fallback); !text.empty()) return {std::move(text), false};
  if (Code text = indexed_load(a, guards, fallback); !text.empty()) return {std::move(text), true};
  if (Code text = repeated_load(a); !text.empty()) return {std::move(text), false};
  Code address = at(a.pointer, lane_names_.text(a.offset));
  if (!a.lane_when.empty()) address = code("{} ? {} : (const {}*)0", a.lane_when, address, a.type);
  return {code("vec::ld_lanes<{}>({}, {}, [&](int i) CPPGEN_LAMBDA -> const {}* {{ return {}; }})", a.type, lanes_,
               fallback, a.type, address),
          true};
}

ValueEmitter::Access ValueEmitter::access(BufferId buffer, const std::vector<IndexExpr>& indices,
                                          const std::vector<Guard>& guards,
                                          const std::vector<ir::Indirect>& indirects) const {
  Access a;
  a.offset = context_.view.offset(buffer, indices);
  a.pointer = context_.pointers.at(buffer);
  a.type = storage_type(context_.view.type_of(buffer));
  a.lane_when = lane_condition(guards, indirects);
  a.stride = vector_ ? lane_stride(a.offset) : std::optional<IndexExpr>(int64_t{0});
  a.by_lane = std::any_of(indirects.begin(), indirects.end(),
                          [&](const auto& i) { return indirects_.at(i.variable).per_lane; });
  a.even = a.stride && (!varies(a.offset) || !a.by_lane);
  return a;
}

ValueEmitter::Item ValueEmitter::load(Expr e) {
  if (auto it = bound_loads_.find(e); it != bound_loads_.end()) return define(innermost(), it->second);
  if (const auto* l = context_.view.local(e->buffer); l && l->place == Place::value) return local_load(e, *l);
  bind_indirects(e->indirects);
  Item when = condition(e->guards, e->indirects);
  const Access a = access(e->buffer, e->indices, e->guards, e->indirects);
  int level = std::max(when.level, level_of(a.offset));
  for (const Guard& g : e->guards) level = std::max({level, level_of(g.index), level_of(g.lo), level_of(g.hi)});
  Code fallback = code("vec::Loaded<{}>{{}}", a.type);
  if (!e->guards.empty()) {
    Item f = done_.at(e->args[0]);
    fallback = f.name, level = std::max(level, f.level);
  }
  Code text = even_load(a);
  if (text.empty()) {
    LaneLoad lanes = lane_load(a, e->guards, fallback);
    text = std::move(lanes.text);
    level = std::max(level, level_of_variable_.count(vector_) ? level_of_variable_.at(vector_) : 0);
    if (lanes.apart) note_by_lane(level, why_apart(a, e->indirects));
  }
  note_strided(a, context_.view.type_of(e->buffer));
  if (!when.name.empty()) text = code("{} ? {} : {}", when.name, text, fallback);
  return define(level, text);
}

// Storing rounds by itself.
static Expr without_rounding(Expr value, DType storage) {
  const auto rounding = ir::rounding_to(storage);
  return rounding && value->kind == ir::ExprKind::unary && value->unary == *rounding ? value->args[0] : value;
}

void ValueEmitter::store(const std::vector<ir::Store>& stores) {
  for (const auto& s : stores) item(stored_value(s));
  for (const auto& s : stores) store_one(s);
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
  bind_indirects(s.indirects);
  Item when = condition({}, s.indirects);
  Code lane_when = lane_condition({}, s.indirects);
  IndexExpr offset = context_.view.offset(s.buffer, s.indices);
  const std::string type(storage_type(context_.view.type_of(s.buffer)));
  auto stride = vector_ ? lane_stride(offset) : std::nullopt;
  Code text;
  if (!varies(offset)) {
    text = code("vec::st({}, {}, vec::Tail{{1}});", at(pointer, names_.text(offset)), value.name);
  } else if (stride && stride->is_constant(1) && lane_when.empty()) {
    text = code("vec::{}({}, {}, {});", context_.around_caches(s.buffer) ? "st_around" : "st",
                at(pointer, names_.text(offset)), value.name, lanes_);
  } else if (stride && lane_when.empty()) {
    text = code("vec::st_strided({}, {}, {}, {});", at(pointer, names_.text(offset)), names_.text(*stride), value.name,
                lanes_);
    note_by_lane(innermost(), "strided stores");
  } else {
    note_by_lane(innermost(), "stores at computed indices");
    text = code("vec::st_lanes<{}>({}, {}, [&](int i) CPPGEN_LAMBDA -> {}* {{ return {}{} + {}{}; }});", type,
                value.name, lanes_, type, lane_when.empty() ? Code() : lane_when + Code(" ? "), pointer,
                lane_names_.text(offset), lane_when.empty() ? Code() : code(" : ({}*)0", type));
  }
  if (!when.name.empty()) text = code("if ({}) {}", when.name, text);
  if (side_by_side_) text = code("vec::repeat(width, [&](const int u) CPPGEN_LAMBDA {{ {} }});", text);
  out.push_back(plain(std::move(text)));
}

}  // namespace cppgen::codegen
