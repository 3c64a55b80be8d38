#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cppgen/ir/index/index_expr.h"
#include "runtime/base/dtype.h"

namespace cppgen::ir {

// Typed values computed at one point of a loop nest; a DAG, hash-consed in an ExprArena (so equal values are one
// node and common subexpressions are computed once).
//
// Semantics
// - Types: a value is float32, float64, an integer or bool. float16, bfloat16 and the float8 types exist only as
//   storage: loading one gives float32, storing rounds to nearest even, beyond the largest number to infinity, or to
//   NaN where there is none (see value_type); `round_f16` ... (rounding_to) round a float32 to what such storage would
//   keep. Integers of four and two bits exist only as storage, too: int8 and uint8 values, of which only those in range
//   are stored. float4e2m1 and float8e8m0 are uint8 values here: their codes.
// - Both operands of a binary operation have one type, which is the result's, except comparisons, which give bool.
// - Integers wrap. Division: floats IEEE; integers toward zero, by zero gives 0, MIN / -1 gives MIN. mod_trunc has the
//   sign of the dividend (C's % and fmod), mod_floor that of the divisor (Python's %); integer mod by zero gives 0.
// - min and max: NaN if an operand is NaN; -0 < +0. max_number(a, b) is b > a ? b : a, so a where b is NaN.
// - Shifts by at least the width give 0 (for an arithmetic right shift of a negative number, -1).
// - cast float -> int truncates, saturates out of range, NaN gives 0; int -> int wraps; to bool: x != 0.
// - round is to nearest even. sign(0) = 0, sign(NaN) = NaN.

// The type in which values of this storage type are computed: float32 for narrower floats, bytes for codes and for
// integers of fewer than eight bits, else the type itself.
constexpr DType value_type(DType storage) { return dtype_row(storage).value; }

enum class UnaryOp : uint8_t {
#define CPPGEN_UNARY(op, ...) op,
#include "cppgen/ir/values/operations.def"
};
enum class BinaryOp : uint8_t {
#define CPPGEN_BINARY(op, ...) op,
#include "cppgen/ir/values/operations.def"
};
enum class ReduceOp : uint8_t {
#define CPPGEN_REDUCTION(op, ...) op,
#define CPPGEN_POSITION_REDUCTION(op, ...) op,
#include "cppgen/ir/values/operations.def"
};

// The rounding that storing to this type applies to a float32 value; nullopt if all values are preserved.
constexpr std::optional<UnaryOp> rounding_to(DType storage) {
  switch (storage) {
#define CPPGEN_ROUNDING(op, type) \
  case DType::type:               \
    return UnaryOp::op;
#include "cppgen/ir/values/operations.def"
    default:
      return std::nullopt;
  }
}
constexpr bool is_rounding(UnaryOp op) {
  switch (op) {
#define CPPGEN_ROUNDING(op, type) case UnaryOp::op:
#include "cppgen/ir/values/operations.def"
    return true;
    default:
      return false;
  }
}
bool is_comparison(BinaryOp);
std::string_view name_of(UnaryOp);
std::string_view name_of(BinaryOp);
std::string_view name_of(ReduceOp);

using BufferId = int32_t;
struct ExprNode;
using Expr = const ExprNode*;

// lo <= index < hi
struct Guard {
  IndexExpr index, lo, hi;
  bool operator==(const Guard&) const = default;
};

// Binds an indirect variable of a load's indices to a value: v = value < 0 ? value + extent : value, and an
// error that stops the run unless 0 <= v < extent, the extent of the variable.
struct Indirect {
  const IndexNode* variable;
  Expr value;  // int64
  bool operator==(const Indirect&) const = default;
};

enum class ExprKind : uint8_t { constant, load, index, unary, binary, select, cast, accumulator };

struct ExprNode {
  ExprKind kind;
  DType type;
  uint32_t id;  // order of creation: operands come before their users
  // constant: the bits of a double (floats), or of an int64 / uint64 (integers, bool)
  uint64_t bits = 0;
  UnaryOp unary{};
  BinaryOp binary{};
  std::vector<Expr> args;  // unary 1, binary 2, select 3 (condition, then, else), cast 1, guarded load 1 (fallback)
  // load: element `indices` of `buffer` (one index per dimension of its shape). With guards: args[0] if one fails, and
  // then nothing is read.
  BufferId buffer = -1;
  std::vector<IndexExpr> indices;  // index: indices[0], as int64
  std::vector<Guard> guards;
  std::vector<Indirect> indirects;
  int accumulator = -1;  // result of the nest's reductions[accumulator]

  double float_value() const;  // of a float constant
  int64_t int_value() const;   // of an integer or bool constant
};

class ExprArena {
 public:
  ExprArena();
  ~ExprArena();
  ExprArena(const ExprArena&) = delete;
  ExprArena& operator=(const ExprArena&) = delete;

  // All builders check types (InternalError) and fold operations that can be folded exactly: operations on integer
  // constants, cast of a constant, x + 0 and x * 1 for integers, select of a constant condition.
  Expr constant(DType, double);
  Expr constant_int(DType, int64_t);
  Expr zero(DType);
  Expr load(BufferId, DType storage, std::vector<IndexExpr> indices, std::vector<Guard> guards = {},
            Expr fallback = nullptr, std::vector<Indirect> indirects = {});
  Expr index(IndexExpr);  // int64
  Expr unary(UnaryOp, Expr);
  Expr binary(BinaryOp, Expr, Expr);
  Expr select(Expr condition, Expr then, Expr otherwise);
  Expr cast(DType, Expr);
  Expr accumulator(int, DType);

  // The variable that replaces the indirect `variable` once its value has become `value` and its extent `extent`:
  // always the same one for the same three, so rewritten loads stay equal.
  IndexExpr rebind(const IndexNode* variable, Expr value, IndexExpr extent);

 private:
  Expr intern(ExprNode);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Replaces index variables, and loads for which `replace_load` returns a value (it receives the load after substitution
// of its indices; null keeps the load). Indirect bindings get fresh variables if their value changes.
struct Rewrite {
  IndexMap indices;
  std::function<Expr(Expr load)> replace_load;
  std::function<Expr(Expr accumulator)> replace_accumulator;
};
Expr rewrite(ExprArena&, Expr, const Rewrite&);

// Every node reachable from the roots once, operands first.
std::vector<Expr> postorder(std::span<const Expr> roots);

std::string to_string(Expr);

}  // namespace cppgen::ir
