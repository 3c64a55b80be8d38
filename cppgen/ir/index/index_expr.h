#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace cppgen::ir {

// Integer expressions over loop variables and dimension symbols: constants, + * floordiv mod min max.
//
// Nodes are hash-consed in an IndexArena, so equal expressions are the same pointer, and every expression is kept in
// canonical form: a sum of coefficient x term, ordered by term id, plus a constant. Each node carries the range of its
// values; the simplifier (simplify_index.cpp) uses ranges to drop floordiv, mod, min and max that have no effect.
// Division rounds toward minus infinity, so floordiv(a, b) * b + mod(a, b) == a. Divisors must be positive; a divisor
// of 0 (a dimension of size 0, over which no loop runs) gives 0. Constants need no arena. Values are exact 64-bit
// integers; overflow while simplifying throws UserError.

struct IndexNode;
class IndexArena;

inline constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

struct IndexRange {
  int64_t lo, hi;  // inclusive; -kUnbounded and kUnbounded mean unknown
};

class IndexExpr {
 public:
  IndexExpr(int64_t constant = 0) : node_(nullptr), constant_(constant) {}
  explicit IndexExpr(const IndexNode* node) : node_(node), constant_(0) {}

  bool is_constant() const { return node_ == nullptr; }
  bool is_constant(int64_t value) const { return node_ == nullptr && constant_ == value; }
  int64_t constant() const;                        // InternalError unless is_constant()
  const IndexNode* node() const { return node_; }  // null for constants
  IndexRange range() const;

  bool operator==(const IndexExpr&) const = default;  // same expression; use prove_* for facts about values

 private:
  const IndexNode* node_;
  int64_t constant_;
};

enum class IndexOp : uint8_t { variable, sum, product, floordiv, mod, min, max };

// The meaning of a variable.
enum class VarKind : uint8_t {
  symbol,    // a named dimension of the model, at least 0, the same in the whole program
  loop,      // a loop of a nest, 0 <= v < extent
  indirect,  // a value read from a tensor and checked, 0 <= v < extent
};

struct IndexTerm {
  int64_t coefficient;
  const IndexNode* node;
};

struct IndexNode {
  IndexOp op;
  IndexRange range;
  uint32_t id;  // order of creation in the arena
  IndexArena* arena;
  // variable
  VarKind kind{};
  bool fresh = false;  // a symbol from fresh_symbol, for which the model has no name
  std::string name;
  IndexExpr extent;     // of loop and indirect variables
  std::string purpose;  // of indirect variables: the purpose of the index, for the message of a failed check
  // sum: terms ordered by node id, and a constant
  std::vector<IndexTerm> terms;
  int64_t constant = 0;
  // product (factors), floordiv and mod (dividend, divisor), min and max (operands)
  std::vector<IndexExpr> args;
};

// least <= most
struct IndexBound {
  IndexExpr least, most;
  bool operator==(const IndexBound&) const = default;
};

class IndexArena {
 public:
  IndexArena();
  ~IndexArena();
  IndexArena(const IndexArena&) = delete;
  IndexArena& operator=(const IndexArena&) = delete;

  // The symbol of this name: one per name and arena. The range given first holds (default: 0 or more).
  IndexExpr symbol(const std::string& name, int64_t lo = 0, int64_t hi = kUnbounded);
  // A new symbol for a dimension that is known only at run time; its name is the hint, '#' and a number.
  IndexExpr fresh_symbol(const std::string& hint);
  // A new symbol for the step of a repetition: 0 <= v < steps.
  IndexExpr step_symbol(IndexExpr steps);
  // A new loop variable 0 <= v < extent; the printed name is prefix + a number.
  IndexExpr loop(const std::string& prefix, IndexExpr extent);
  // A new variable for a checked value from a tensor, 0 <= v < extent. `purpose` is used in messages: "axis 0 of
  // 'table'".
  IndexExpr indirect(IndexExpr extent, std::string purpose = {});
  // A variable with the kind, name, range (of symbols), freshness, extent and purpose of `like`, for readers of text;
  // the functions above give this name to no other variable. There must be no symbol of this name.
  IndexExpr add_variable(const IndexNode& like);

  // Assumptions that hold for all values of the symbols: provers use them, and so do expressions that are made from now
  // on. They must be checked when the program runs (rt::Bound).
  void assume(IndexBound);
  const std::vector<IndexBound>& assumptions() const;
  void substitute_in_assumptions(const std::unordered_map<const IndexNode*, IndexExpr>&);

  // Hash-consing of canonical nodes; for the simplifier.
  const IndexNode* intern(IndexNode candidate);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

IndexExpr operator+(IndexExpr, IndexExpr);
IndexExpr operator-(IndexExpr, IndexExpr);
IndexExpr operator*(IndexExpr, IndexExpr);
IndexExpr floordiv(IndexExpr dividend, IndexExpr divisor);
IndexExpr mod(IndexExpr dividend, IndexExpr divisor);
IndexExpr min(IndexExpr, IndexExpr);
IndexExpr max(IndexExpr, IndexExpr);
IndexExpr ceildiv(IndexExpr dividend, IndexExpr divisor);
IndexExpr product(std::span<const IndexExpr>);  // 1 for none

// Facts that hold for all values of the variables; false means "not proved".
bool prove_equal(IndexExpr, IndexExpr);
bool prove_less(IndexExpr, IndexExpr);        // a < b
bool prove_less_equal(IndexExpr, IndexExpr);  // a <= b

using IndexMap = std::unordered_map<const IndexNode*, IndexExpr>;  // variable, or other node but a sum -> replacement
IndexExpr substitute(IndexExpr, const IndexMap&);

using IndexEnv = std::function<int64_t(const IndexNode& variable)>;
int64_t evaluate(IndexExpr, const IndexEnv&);

// Variables that occur, each once, in order of first occurrence.
std::vector<const IndexNode*> variables_of(IndexExpr);
bool depends_on(IndexExpr, const IndexNode* variable);
bool is_fresh_symbol(IndexExpr);           // whether it is from fresh_symbol
bool depends_on_fresh_symbols(IndexExpr);  // whether such a symbol occurs
// The c in  e = c * variable + rest  with c and rest free of the variable; nullopt if e is not of that form.
std::optional<IndexExpr> stride_of(IndexExpr, const IndexNode* variable);

std::string to_string(IndexExpr);
std::string to_string(const IndexBound&);  // "N <= 4"

}  // namespace cppgen::ir

template <>
struct std::hash<cppgen::ir::IndexExpr> {
  size_t operator()(const cppgen::ir::IndexExpr& e) const {
    return e.is_constant() ? std::hash<int64_t>()(e.constant()) : std::hash<const void*>()(e.node());
  }
};
