#pragma once
#include <memory>
#include <string>
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
  std::vector<Indirect> indirects;
};

// The role of each loop in a contraction out[batch, rows, columns] = sum over depth of lhs[batch, rows, depth] *
// rhs[batch, columns, depth]. A convolution has its output positions as rows, its output channels as columns, groups as
// batch, and taps and input channels as depth.
enum class AxisRole : uint8_t { none, batch, rows, columns, depth };

// For each point of `loops`: run the reductions over all points of `reduced`, then the stores, whose values may use
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

// Root values of a nest: reduction values, stored values, and the values that indirect stores are bound to.
std::vector<Expr> roots_of(const LoopNest&);

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

// Calls f(const LoopNest&) for each nest, those of repetitions included, in order.
template <class F>
void each_nest(const std::vector<Statement>& statements, const F& f) {
  for (const Statement& s : statements) {
    if (const auto* nest = std::get_if<LoopNest>(&s)) f(*nest);
    if (const auto* repetition = std::get_if<Repetition>(&s)) each_nest(repetition->body, f);
  }
}

}  // namespace cppgen::ir
