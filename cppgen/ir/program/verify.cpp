#include <algorithm>
#include <unordered_set>

#include "cppgen/ir/program/program.h"
#include "cppgen/ir/values/op_table.h"
#include "runtime/base/checked.h"

namespace cppgen::ir {

namespace {

using Scope = std::unordered_set<const IndexNode*>;

bool is_identifier(const std::string& s) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !s.empty() && letter(s[0]) &&
         std::all_of(s.begin(), s.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// A sum of multiples of variables, whose range is therefore exact.
bool is_affine(IndexExpr e) {
  if (e.is_constant() || e.node()->op == IndexOp::variable) return true;
  return e.node()->op == IndexOp::sum && std::all_of(e.node()->terms.begin(), e.node()->terms.end(),
                                                     [](auto& t) { return t.node->op == IndexOp::variable; });
}

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program), stored_(program.buffers.size()) {}

  void run() {
    where_ = "the buffers";
    for (size_t i = 0; i < program_.buffers.size(); i++) check_buffer(program_.buffers[i], static_cast<BufferId>(i));
    check_statements(program_.statements, "statement");
    where_ = "the program's inputs and outputs";
    for (BufferId id : program_.inputs)
      require(program_.buffer(id).kind == BufferKind::input, "b{} is listed as an input but is not one", id);
    for (BufferId id : program_.outputs) require_available(id);
  }

 private:
  const Program& program_;
  std::vector<bool> stored_;
  std::string where_;

  void check_statements(const std::vector<Statement>& statements, const std::string& prefix) {
    for (size_t i = 0; i < statements.size(); i++) {
      const Statement& s = statements[i];
      if (const auto* nest = std::get_if<LoopNest>(&s)) {
        where_ = fmt::format("{} {} (nest {})", prefix, i, nest->name);
        check_nest(*nest);
      } else if (const auto* call = std::get_if<LibraryCall>(&s)) {
        where_ = fmt::format("{} {} (call {})", prefix, i, call->function);
        check_call(*call);
      } else {
        where_ = fmt::format("{} {} (repetition)", prefix, i);
        check_repetition(std::get<Repetition>(s), where_);
      }
    }
  }

  void check_repetition(const Repetition& r, const std::string& where) {
    const IndexNode* v = r.step.node();
    require(v && v->op == IndexOp::variable && v->kind == VarKind::symbol, "its step is not a symbol");
    require_scope(r.steps, {});
    for (const Carried& c : r.carried) {
      require_available(c.initial);
      for (BufferId id : {c.before, c.after}) {
        require_storable(id);
        const Buffer &state = program_.buffers[size_t(id)], &initial = program_.buffers[size_t(c.initial)];
        require(state.kind == BufferKind::temporary, "the state b{} is not a temporary", id);
        require(state.type == initial.type && state.shape == initial.shape, "b{} and b{} differ", id, c.initial);
      }
      stored_[size_t(c.before)] = true;
    }
    check_statements(r.body, where + ", statement");
    for (const Carried& c : r.carried) require(stored_[size_t(c.after)], "no statement stores b{}", c.after);
  }

  // Texts of expressions are made only for an error: verifying takes a part of every compilation.
  template <class... Args>
  void require(bool ok, fmt::format_string<Args...> format, Args&&... args) const {
    if (!ok) internal_error("loop IR, {}: {}", where_, fmt::format(format, std::forward<Args>(args)...));
  }

  void require_id(BufferId id) const {
    require(id >= 0 && static_cast<size_t>(id) < program_.buffers.size(), "there is no buffer {}", id);
  }

  void require_available(BufferId id) const {
    require_id(id);
    const BufferKind kind = program_.buffers[id].kind;
    require(kind == BufferKind::input || kind == BufferKind::constant || stored_[id], "b{} is read before it is stored",
            id);
  }

  void require_storable(BufferId id) const {
    require_id(id);
    const BufferKind kind = program_.buffers[id].kind;
    require(kind == BufferKind::output || kind == BufferKind::temporary, "b{} is an input or constant, yet stored", id);
  }

  void require_scope(IndexExpr e, const Scope& scope) const {
    if (e.is_constant()) return;
    if (const IndexNode* v = e.node(); v->op == IndexOp::variable && (v->kind == VarKind::symbol || scope.count(v)))
      return;
    for (const IndexNode* v : variables_of(e))
      if (v->kind != VarKind::symbol && !scope.count(v))
        require(false, "{} is out of scope in {}", v->name, to_string(e));
  }

  void check_buffer(const Buffer& b, BufferId id) const {
    require(b.id == id, "buffer {} has the id {}", id, b.id);
    int64_t elements = 1;
    bool known = true;
    for (IndexExpr extent : b.shape) {
      require_scope(extent, {});
      if (extent.range().hi < 0) require(false, "b{} has the negative dimension {}", id, to_string(extent));
      known = known && extent.is_constant();
      if (known) elements = checked_mul(elements, extent.constant(), "size of a tensor");
    }
    if (b.kind != BufferKind::constant) return;
    require(known, "the constant b{} has a symbolic shape", id);
    const auto bytes = static_cast<size_t>(elements) * size_of(b.type);
    require(b.data.size == bytes && (b.data.bytes || bytes == 0), "the constant b{} has {} bytes of {}", id,
            b.data.size, bytes);
  }

  void check_loops(const std::vector<Loop>& loops, Scope& scope) const {
    for (const Loop& l : loops) {
      const IndexNode* v = l.var.node();
      if (!v || v->op != IndexOp::variable || v->kind != VarKind::loop)
        require(false, "{} is not a loop variable", to_string(l.var));
      if (!(v->extent == l.extent))
        require(false, "loop {} runs to {}, but its variable to {}", v->name, to_string(l.extent),
                to_string(v->extent));
      require_scope(l.extent, {});
      require(scope.insert(v).second, "loop variable {} occurs twice", v->name);
    }
  }

  void check_nest(const LoopNest& nest) {
    require(is_identifier(nest.name), "its name is not an identifier");
    require(!nest.stores.empty(), "it stores nothing");
    require(nest.reduced.empty() || !nest.reductions.empty(), "it has reduced loops but no reduction");
    Scope outer;
    check_loops(nest.loops, outer);
    Scope inner = outer;
    check_loops(nest.reduced, inner);
    for (const Reduction& r : nest.reductions) check_reduction(r, nest, inner);
    for (const Store& s : nest.stores) check_store(s, nest, outer);
    if (nest.is_contraction()) check_roles(nest);
    for (const Store& s : nest.stores) stored_[s.buffer] = true;
  }

  void check_reduction(const Reduction& r, const LoopNest& nest, const Scope& scope) const {
    require(r.value != nullptr, "a reduction has no value");
    const bool arg = gives_position(r.op);
    require(allows(row_of(r.op).operands, r.value->type), "{} of {}", name_of(r.op), name_of(r.value->type));
    require(r.type == (arg ? DType::i64 : r.value->type), "a reduction of {} yields {}", name_of(r.value->type),
            name_of(r.type));
    if (arg) require_scope(r.position, scope);
    check_value(r.value, nest, scope, /*accumulators=*/false);
  }

  void check_store(const Store& s, const LoopNest& nest, const Scope& loops) const {
    require_storable(s.buffer);
    const Buffer& b = program_.buffers[s.buffer];
    require(s.value != nullptr, "a store has no value");
    require(s.value->type == value_type(b.type), "b{} holds {}, but {} is stored", s.buffer, name_of(b.type),
            name_of(s.value->type));
    check_value(s.value, nest, loops, /*accumulators=*/true);
    require(s.indices.size() == b.shape.size(), "b{} has rank {} but is stored with {} indices", s.buffer,
            b.shape.size(), s.indices.size());
    const bool stores =
        std::none_of(nest.loops.begin(), nest.loops.end(), [](const Loop& l) { return l.extent.is_constant(0); });
    for (size_t d = 0; d < s.indices.size() && stores; d++) check_stays_inside(s, b, d, loops);
  }

  void check_stays_inside(const Store& s, const Buffer& b, size_t d, const Scope& scope) const {
    const IndexExpr i = s.indices[d];
    require_scope(i, scope);
    if (const IndexNode* v = i.node(); v && v->op == IndexOp::variable && v->kind == VarKind::loop)
      if (v->extent == b.shape[d]) return;
    // A loop without a round stores nothing.
    if (std::any_of(scope.begin(), scope.end(), [](const IndexNode* v) { return v->extent.is_constant(0); })) return;
    const IndexRange range = i.range(), extent = b.shape[d].range();
    const bool decided = is_affine(i) && range.lo != -kUnbounded && range.hi != kUnbounded && extent.hi != kUnbounded;
    const bool outside = range.hi < 0 || (extent.hi != kUnbounded && range.lo > 0 && range.lo >= extent.hi);
    if (!decided && !outside) return;
    if (outside || range.lo < 0 || (range.hi != 0 && !prove_less(i, b.shape[d])))
      require(false, "the store to b{} may leave dimension {}: {} is in [{}, {}], the extent is {}", s.buffer, d,
              to_string(i), range.lo, range.hi, to_string(b.shape[d]));
  }

  void check_value(Expr root, const LoopNest& nest, const Scope& loops, bool accumulators) const {
    for (Expr e : postorder({&root, 1})) {
      if (e->kind == ExprKind::index) require_scope(e->indices[0], loops);
      if (e->kind == ExprKind::load) check_load(e, nest, loops);
      if (e->kind == ExprKind::accumulator) check_accumulator(e, nest, accumulators);
    }
  }

  void check_accumulator(Expr e, const LoopNest& nest, bool allowed) const {
    require(allowed, "a reduction uses the result of a reduction");
    require(e->accumulator >= 0 && static_cast<size_t>(e->accumulator) < nest.reductions.size(),
            "there is no reduction {}", e->accumulator);
    const DType type = nest.reductions[e->accumulator].type;
    require(type == e->type, "reduction {} yields {} but is used as {}", e->accumulator, name_of(type),
            name_of(e->type));
  }

  void check_load(Expr e, const LoopNest& nest, const Scope& loops) const {
    require_available(e->buffer);
    const Buffer& b = program_.buffers[e->buffer];
    for (const Store& s : nest.stores) require(s.buffer != e->buffer, "it loads b{}, which it stores", e->buffer);
    require(e->type == value_type(b.type), "b{} holds {} but is loaded as {}", e->buffer, name_of(b.type),
            name_of(e->type));
    require(e->indices.size() == b.shape.size(), "b{} has rank {} but is loaded with {} indices", e->buffer,
            b.shape.size(), e->indices.size());
    Scope own;
    if (!e->indirects.empty()) own = loops;
    for (const Indirect& i : e->indirects) {
      require_scope(i.variable->extent, loops);
      own.insert(i.variable);
    }
    const Scope& scope = e->indirects.empty() ? loops : own;
    for (IndexExpr i : e->indices) require_scope(i, scope);
    for (const Guard& g : e->guards)
      for (IndexExpr i : {g.index, g.lo, g.hi}) require_scope(i, scope);
  }

  static Expr without_casts(Expr e) {
    while (e->kind == ExprKind::cast) e = e->args[0];
    return e;
  }

  // A load, or the product of two: of a number and the scale of its block.
  static bool is_operand(Expr e) {
    if (e->kind == ExprKind::load) return true;
    const auto is_load = [](Expr factor) { return without_casts(factor)->kind == ExprKind::load; };
    return e->kind == ExprKind::binary && e->binary == BinaryOp::mul && is_load(e->args[0]) && is_load(e->args[1]);
  }

  void check_roles(const LoopNest& nest) const {
    require(nest.roles.size() == nest.loops.size() + nest.reduced.size(), "there are {} roles for {} loops",
            nest.roles.size(), nest.loops.size() + nest.reduced.size());
    require(nest.reductions.size() == 1 && nest.reductions[0].op == ReduceOp::sum,
            "a contraction must have exactly one sum");
    const Expr value = nest.reductions[0].value;
    require(value->kind == ExprKind::binary && value->binary == BinaryOp::mul, "a contraction must sum products");
    const Expr lhs = without_casts(value->args[0]), rhs = without_casts(value->args[1]);
    require(is_operand(lhs) || is_operand(rhs), "no factor of a contraction is a load");
    for (size_t i = 0; i < nest.roles.size(); i++) {
      const bool reduced = i >= nest.loops.size();
      const IndexNode* v = (reduced ? nest.reduced[i - nest.loops.size()] : nest.loops[i]).var.node();
      const AxisRole role = nest.roles[i];
      require(reduced == (role == AxisRole::k), "only reduced loops may be k: {} is wrong", v->name);
      require(role != AxisRole::rows || !load_depends_on(rhs, v), "{} is a row, but the right operand uses it",
              v->name);
      require(role != AxisRole::columns || !load_depends_on(lhs, v), "{} is a column, but the left operand uses it",
              v->name);
    }
  }

  static bool load_depends_on(Expr load, const IndexNode* v) {
    return std::any_of(load->indices.begin(), load->indices.end(), [&](IndexExpr i) { return depends_on(i, v); }) ||
           std::any_of(load->guards.begin(), load->guards.end(), [&](auto& g) { return depends_on(g.index, v); });
  }

  void check_call(const LibraryCall& call) {
    for (BufferId id : call.inputs) require_available(id);
    for (IndexExpr p : call.params) require_scope(p, {});
    for (BufferId id : call.outputs) {
      require_storable(id);
      require(std::find(call.inputs.begin(), call.inputs.end(), id) == call.inputs.end(),
              "it reads b{}, which it stores", id);
      stored_[id] = true;
    }
  }
};

}  // namespace

void verify(const Program& program) { Verifier(program).run(); }

}  // namespace cppgen::ir
