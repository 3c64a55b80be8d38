#pragma once
#include <memory>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "cppgen/ir/program/constant_data.h"
#include "cppgen/ir/values/expr.h"

namespace cppgen::ir {

// A lowered model: buffers, and statements that compute them, in order.

enum class BufferKind : uint8_t { input, output, constant, temporary };

// A tensor in memory. Indices in loads and stores are logical, one per dimension; the positions of elements (the
// layout) are decided later, by the schedule. Every element is stored before it is loaded; a buffer may have several
// storing statements if they store disjoint elements.
struct Buffer {
  BufferId id;
  std::string name;  // from the model, for messages only
  DType type;        // storage type
  std::vector<IndexExpr> shape;
  BufferKind kind;
  ConstantData data;  // of constants
};

struct Loop {
  IndexExpr var;  // a VarKind::loop variable
  IndexExpr extent;
};

// The number of points of the loops.
IndexExpr points(const std::vector<Loop>&);

// Combines `value` over all points of the nest's reduced loops. The empty reduction gives the identity: 0, 1, the
// greatest and least value of the type (infinities for floats), false, true. argmin and argmax give the int64 value
// of `position` at the least / greatest value; ties: the first in loop order, or the last with select_last; NaN counts
// as least / greatest. min and max: NaN if any value is NaN. max_number: the greatest value that is not NaN, the
// identity if there is none; of zeros any, so it is for uses that do not distinguish them.
struct Reduction {
  ReduceOp op;
  DType type;  // of the result: value->type, or i64 for argmin and argmax
  Expr value;
  IndexExpr position{};
  bool select_last = false;
};

// The operation that combines the values of two parts of a reduction; nullopt for argmin and argmax.
std::optional<BinaryOp> combining(ReduceOp);
bool gives_position(ReduceOp);  // argmin and argmax

struct Store {
  BufferId buffer;
  std::vector<IndexExpr> indices;
  Expr value;  // converted to the buffer's storage type, which has this value type
};

// The role of each loop in a contraction out[batch, rows, columns] = sum over k of lhs[batch, rows, k] *
// rhs[batch, columns, k]. A convolution has its output positions as rows, its output channels as columns, groups as
// batch, and taps and input channels as k.
enum class AxisRole : uint8_t { none, batch, rows, columns, k };

// For each point of `loops`, runs the reductions over all points of `reduced`, then the stores, whose values may use
// the results (accumulator expressions). Points are independent of each other and may run in any order; a nest loads
// nothing that it stores. Reduced loops run in order, the last innermost.
struct LoopNest {
  std::string name;  // stable, an identifier made from operator names: never from the model's text
  std::vector<Loop> loops, reduced;
  std::vector<Reduction> reductions;
  std::vector<Store> stores;
  // A contraction: roles of `loops` then `reduced`. It has one reduction, a sum of lhs load x rhs load. Loads may
  // be replaced by values of several loads, such as weight_at of ir/program/n_bits.h, or bytes times the scale of their
  // block.
  std::vector<AxisRole> roles;
  std::vector<std::string> origins;  // the nodes it came from, as the model names them

  bool is_contraction() const { return !roles.empty(); }
};

// An operator that is not a loop nest. Its meaning is the function of this name in the table of library calls.
struct LibraryCall {
  std::string function;
  std::vector<BufferId> inputs, outputs;
  std::vector<IndexExpr> params;  // integers: attributes and dimensions
  std::vector<double> numbers;    // float attributes
  std::vector<std::string> origins;
};

struct Repetition;
using Statement = std::variant<LoopNest, LibraryCall, Repetition>;

// A state that is passed from step to step: at step 0, `before` has the contents of `initial`, later what the previous
// step stored in `after`. The three have the same type and shape.
struct Carried {
  BufferId initial, before, after;
};

// Runs its statements for step = 0, 1 ... steps - 1. Outside, `before` is not read, and `after` has the contents that
// the last step stored; it is undefined if there were no steps. Other buffers may be stored step by step; within a
// step, as everywhere, buffers are stored before they are read.
struct Repetition {
  IndexExpr step;  // a symbol of this repetition only
  IndexExpr steps;
  std::vector<Carried> carried;
  std::vector<Statement> body;
  std::vector<std::string> origins;
};

struct Program {
  std::shared_ptr<IndexArena> index = std::make_shared<IndexArena>();
  std::shared_ptr<ExprArena> exprs = std::make_shared<ExprArena>();
  std::vector<Buffer> buffers;
  std::vector<Statement> statements;
  std::vector<BufferId> inputs, outputs;  // in the model's order

  BufferId add_buffer(std::string name, DType, std::vector<IndexExpr> shape, BufferKind, ConstantData = {});
  const Buffer& buffer(BufferId) const;
};

// InternalError naming the statement if a rule above is broken: ids, ranks, types, variables out of scope, a load
// before its store, a store whose index may be out of range (as far as ranges show), roles of a contraction.
void verify(const Program&);

std::string to_string(const Program&);
std::string to_string(const LoopNest&, const Program&);

// Calls f for each nest of a list of statements, those of repetitions included, in order.
template <class Statements, class F>
void each_nest(Statements& statements, const F& f) {
  for (auto& s : statements) {
    if (auto* nest = std::get_if<LoopNest>(&s)) f(*nest);
    if (auto* repetition = std::get_if<Repetition>(&s)) each_nest(repetition->body, f);
  }
}

// Which fields of loop structures hold values (Expr) and index expressions (IndexExpr) is known here alone:
// each_value(x, f) calls f for every value and index expression that x holds itself, in order: x is a reduction, a
// store, a list of either, or a nest, whose reductions come first. Extents of loops are not among them. f may take only
// one of the two types; it may replace what it gets unless x is const. Segments and kernels have an each_value of their
// own (schedule/kernel.h), and the functions below work with all of them.

template <class T, class Named>
concept Is = std::is_same_v<std::remove_const_t<T>, Named>;

// Calls f if it takes the field.
template <class T, class F>
void visit_field(T& field, const F& f) {
  using Value = std::conditional_t<std::is_const_v<T>, const Expr, Expr>;
  using Index = std::conditional_t<std::is_const_v<T>, const IndexExpr, IndexExpr>;
  static_assert(std::is_invocable_v<const F&, Value&> || std::is_invocable_v<const F&, Index&>,
                "the function takes neither values nor index expressions of this structure");
  if constexpr (std::is_invocable_v<const F&, T&>) f(field);
}

template <Is<Reduction> T, class F>
void each_value(T& reduction, const F& f) {
  visit_field(reduction.value, f);
  visit_field(reduction.position, f);
}

template <Is<Store> T, class F>
void each_value(T& store, const F& f) {
  visit_field(store.value, f);
  for (auto& index : store.indices) visit_field(index, f);
}

template <class List, class F>
requires requires(List& list) { list.begin(); }
void each_value(List& list, const F& f) {
  for (auto& item : list) each_value(item, f);
}

template <Is<LoopNest> T, class F>
void each_value(T& nest, const F& f) {
  each_value(nest.reductions, f);
  each_value(nest.stores, f);
}

// The index expressions of a value itself, not of its operands.
template <class F>
void each_index(Expr e, const F& f) {
  for (IndexExpr index : e->indices) f(index);
  for (const Indirect& i : e->indirects) f(i.variable->extent);
  for (const Guard& g : e->guards) f(g.index), f(g.lo), f(g.hi);
}

// Rewrites all values of x, and substitutes index variables in its index expressions.
template <class T>
requires std::is_class_v<T>
void rewrite(ExprArena& arena, T& x, const Rewrite& rules) {
  each_value(x, [&]<class Field>(Field& field) {
    if constexpr (std::is_same_v<Field, IndexExpr>)
      field = substitute(field, rules.indices);
    else
      field = rewrite(arena, field, rules);
  });
}

// The values that x holds itself.
template <class T>
std::vector<Expr> roots_of(const T& x) {
  std::vector<Expr> roots;
  each_value(x, [&](Expr root) { roots.push_back(root); });
  return roots;
}

// All values that x computes, each once, operands first.
template <class T>
std::vector<Expr> values_of(const T& x) {
  return postorder(roots_of(x));
}

// The loads among these, including those that give indices.
template <class T>
std::vector<Expr> loads_of(const T& x) {
  std::vector<Expr> loads = values_of(x);
  std::erase_if(loads, [](Expr e) { return e->kind != ExprKind::load; });
  return loads;
}

template <class T>
bool reads(const T& x, BufferId buffer) {
  for (Expr load : loads_of(x))
    if (load->buffer == buffer) return true;
  return false;
}

}  // namespace cppgen::ir
