// Loads of values: addresses, conditions, and indices that are values themselves.

#include <algorithm>

#include "cppgen/codegen/value_emitter.h"
#include "cppgen/ir/program/check_message.h"
#include "cppgen/kernel/view.h"
#include "cppgen/schedule/kernels/loop_order.h"

namespace cppgen::codegen {

using ir::Guard;
using ir::IndexNode;
using schedule::Place;

bool KernelContext::non_temporal(BufferId b) const {
  const auto& buffers = view.kernel.non_temporal;
  return std::find(buffers.begin(), buffers.end(), b) != buffers.end();
}

// The message for an index that is outside of the variable's extent.
static std::string check_text(const ir::IndexNode& variable) {
  if (const auto sentence = ir::sentence_of(variable)) return *sentence;
  const IndexExpr extent = variable.extent;
  if (!extent.is_constant())
    return fmt::format("{}: an index is out of range; the size is {}", variable.purpose, ir::to_string(extent));
  if (extent.is_constant(0)) return fmt::format("{}: an index into a dimension of size 0", variable.purpose);
  return fmt::format("{}: an index is out of range for a dimension of size {} (allowed: {} to {})", variable.purpose,
                     extent.constant(), -extent.constant(), extent.constant() - 1);
}

// The index that a value gives. Checks with messages of their own are part of an operator's meaning, so settings do not
// remove them.
Code ValueEmitter::index_value(const ir::Indirect& i, const Item& value, const Code& name, bool per_lane) {
  const Code extent = names_.text(i.variable->extent);
  if (!context_.options.assert_indirect_indexing && !ir::sentence_of(*i.variable))
    return per_lane ? code("vec::known_indices({}, {}, {})", name, value.name, extent)
                    : code("vec::known_index(vec::lane({}, 0), {})", value.name, extent);
  const Code check = context_.new_check(check_text(*i.variable));
  return per_lane
             ? code("vec::checked_indices({}, {}, {}, args->error, {}, {})", name, value.name, extent, check, lanes_)
             : code("vec::checked_index(vec::lane({}, 0), {}, args->error, {})", value.name, extent, check);
}

void ValueEmitter::bind_indirects(const std::vector<ir::Indirect>& indirects) {
  for (const auto& i : indirects) {
    if (indirects_.count(i.variable)) continue;
    Item value = item(i.value);
    bool per_lane = vector_ && value.level >= level_of_variable_.at(vector_);
    Code name = context_.fresh("x");
    const Code index = index_value(i, value, name, per_lane);
    auto& out = lines[size_t(value.level)];
    if (per_lane) {
      out.push_back({Declaration{"vec::i64", name, "vec::L", {}}});
      out.push_back({Declaration{"const auto", name + "v", {}, index}});
    } else {
      out.push_back({Declaration{"const vec::i64", name, {}, index}});
    }
    indirects_[i.variable] = {name, value.level, per_lane};
    if (!per_lane) names_.set(i.variable, name);
    lane_names_.set(i.variable, per_lane ? name + "[i]" : name);
  }
}

ValueEmitter::Item ValueEmitter::condition(const std::vector<Guard>& guards,
                                           const std::vector<ir::Indirect>& indirects) {
  std::vector<Code> known, assumed;
  int level = 0;
  auto add = [&](Code part, int at, bool may_be_assumed = false) {
    (may_be_assumed ? assumed : known).push_back(std::move(part));
    level = std::max(level, at);
  };
  for (const Guard& g : guards) {
    if (varies(g.index) || varies(g.lo) || varies(g.hi)) continue;
    int at = std::max({level_of(g.index), level_of(g.lo), level_of(g.hi)});
    const bool flagged = assumed_loop_ && ir::depends_on(g.index, assumed_loop_);
    if (!ir::prove_less_equal(g.lo, g.index)) add(names_.at_least(g.index, g.lo), at, flagged);
    if (!ir::prove_less(g.index, g.hi)) add(names_.less(g.index, g.hi), at, flagged);
  }
  for (const auto& i : indirects) {
    const Binding& b = indirects_.at(i.variable);
    if (!b.per_lane) add(b.name + " >= 0", b.level);
  }
  if (!assumed.empty()) {
    const Code all = all_of(assumed);
    known.push_back(code("({} || {})", assumed_flag_, assumed.size() == 1 ? all : code("({})", all)));
  }
  if (known.empty()) return {"", 0};
  const Code text = all_of(known);
  auto [it, fresh] = conditions_.try_emplace(text.text());
  if (fresh) {
    it->second = {context_.fresh("g"), level};
    lines[size_t(level)].push_back(let("const bool", it->second.name, text));
  }
  return it->second;
}

Code ValueEmitter::lane_condition(const std::vector<Guard>& guards, const std::vector<ir::Indirect>& indirects) const {
  std::vector<Code> all;
  for (const Guard& g : guards) {
    if (!varies(g.index) && !varies(g.lo) && !varies(g.hi)) continue;
    all.push_back(lane_names_.at_least(g.index, g.lo));
    all.push_back(lane_names_.less(g.index, g.hi));
  }
  for (const auto& i : indirects)
    if (indirects_.at(i.variable).per_lane) all.push_back(lane_names_.text(IndexExpr(i.variable)) + " >= 0");
  return all_of(all);
}

ValueEmitter::Item ValueEmitter::local_load(Expr e, const schedule::Local&) {
  const Code& name = context_.pointers.at(e->buffer);
  bool lanes_are_points = context_.view.kernel.vector_outer;
  return {name, lanes_are_points ? innermost() : 0};
}

// A load of elements with a constant stride between lanes; empty for others, and for lanes with conditions of their
// own.
Code ValueEmitter::even_load(const Access& a) const {
  if (!a.lane_when.empty()) return "";
  if (!varies(a.offset) || (a.even && a.stride->is_constant(0)))
    return code("vec::ld_all({})", sum(a.pointer, names_.text(a.offset)));
  if (!a.even) return "";
  if (a.stride->is_constant(1)) return code("vec::ld({}, {})", sum(a.pointer, names_.text(a.offset)), lanes_);
  return code("vec::{}({}, {}, {})", schedule::moves_by_one_or_none(*a.stride) ? "ld_step" : "ld_strided",
              sum(a.pointer, names_.text(a.offset)), names_.text(*a.stride), lanes_);
}

// A load of elements that are each used by several neighbouring lanes; empty for others.
Code ValueEmitter::repeated_load(const Access& a) const {
  if (a.even || a.by_lane || !a.lane_when.empty() || !vector_) return "";
  const auto repeated = schedule::repeated_elements(a.offset, vector_);
  if (!repeated) return "";
  return code("vec::ld_repeated<{}, {}>({}, {}, {})", repeated->lanes, repeated->step,
              sum(a.pointer, names_.text(a.offset)), names_.text(ir::mod(repeated->lane, repeated->lanes)), lanes_);
}

// A load of elements with a constant stride, a range of which exists by one condition on an index; empty for others.
Code ValueEmitter::range_load(const Access& a, const std::vector<Guard>& guards, const Code& fallback) const {
  std::vector<Guard> varying;
  for (const Guard& g : guards)
    if (varies(g.index) || varies(g.lo) || varies(g.hi)) varying.push_back(g);
  if (varying.size() != 1 || !vector_ || !a.even) return "";
  const Guard& g = varying[0];
  const auto step = ir::stride_of(g.index, vector_);
  if (!step || !step->is_constant() || step->constant() < 1 || varies(g.lo) || varies(g.hi)) return "";
  const auto first_lane_at = [&](IndexExpr limit) { return names_.text(ir::ceildiv(limit - g.index, *step)); };
  return code("vec::ld_range({}, {}, {}, {}, {}, {})", sum(a.pointer, names_.text(a.offset)), names_.text(*a.stride),
              first_lane_at(g.lo), first_lane_at(g.hi), lanes_, fallback);
}

// A load of elements with a constant stride along each index that is a value of the lanes, without further conditions;
// empty for others.
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
  return code("vec::ld_at({}, {}, {}{})", sum(a.pointer, names_.text(rest)), lanes_, fallback, parts);
}

// The best load for elements without a constant stride or with conditions.
ValueEmitter::LaneLoad ValueEmitter::lane_load(const Access& a, const std::vector<Guard>& guards,
                                               const Code& fallback) const {
  if (Code text = range_load(a, guards, fallback); !text.empty()) return {std::move(text), false};
  if (Code text = indexed_load(a, guards, fallback); !text.empty()) return {std::move(text), true};
  if (Code text = repeated_load(a); !text.empty()) return {std::move(text), false};
  Code address = sum(a.pointer, lane_names_.text(a.offset));
  if (!a.lane_when.empty()) address = code("{} ? {} : (const {}*)0", a.lane_when, address, a.type);
  return {code("vec::ld_lanes<{}>({}, {}, {})", a.type, lanes_, fallback,
               function("int i", address, code("const {}*", a.type))),
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
  if (const Code hold = indices_hold("reads", e->buffer, e->indices, e->guards, e->indirects, level); !hold.empty())
    text = code("{} ? {} : vec::Loaded<{}>{{}}", hold, text, a.type);
  if (!when.name.empty()) text = code("{} ? {} : {}", when.name, text, fallback);
  return define(level, text);
}

}  // namespace cppgen::codegen
