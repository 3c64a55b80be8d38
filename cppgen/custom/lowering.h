#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cppgen/custom/dims.h"
#include "cppgen/custom/item.h"
#include "cppgen/custom/operator.h"

namespace cppgen::custom {

// The loops of a name: one loop, or those of a group.
struct Variable {
  bool group = false;
  Shape extents;
  std::vector<ir::IndexExpr> at;
};
using Scope = std::map<std::string, Variable>;

// Turns the statements of a custom operator into loop nests for one node.
class Lowering {
 public:
  Lowering(ops::LowerContext&, const ops::CustomOperator&);
  void run();

 private:
  using IndexExpr = ir::IndexExpr;
  using Scalar = ops::Scalar;
  struct TensorOf {
    int input = -1;  // whose buffer is requested when an element is read
    ir::BufferId buffer = -1;
    DType storage = DType::f32;
  };

  ops::LowerContext& c_;
  const ItemRules rules_;
  const ops::CustomOperator& op_;
  const rt::CustomDescription& d_;
  const Attributes attributes_;
  Dims<IndexExpr> dims_;
  std::map<std::string, TensorOf> tensors_;

  // Statements (lower.cpp) The output of this name if the node has it; otherwise the statement stores a temporary.
  std::optional<int> output_named(const std::string& name) const;
  void lower(const Statement& s);
  void define(const std::string& name, const TensorOf& tensor, Shape shape);
  TensorOf temporary(DType type, Shape shape);
  [[noreturn]] void fail(const rt::CustomText& source, size_t position, const std::string& what) const;
  Shape scope_of_output(const Statement& s, int output, Scope& scope) const;
  Shape extent_of(const Axis& axis) const;
  Shape scope_of_temporary(const Statement& s, Scope& scope) const;
  // New loops of the nest for these names; their variables, in order.
  std::vector<IndexExpr> enter(const std::vector<std::string>& names, const Scope& around, ir::LoopNest& nest,
                               Scope& inner);

  // Reductions (lower.cpp)
  static void note_variables(const Term& term, const Scope& scope, std::set<std::string>& used);
  // Computes the reduction for all values of these variables, into `target` or a temporary.
  TensorOf reduce(const Term& term, const std::vector<std::string>& names, const Scope& around,
                  std::optional<TensorOf> target);
  // A sum of products of two tensors' elements is a contraction, which engines compute.
  static void note_roles(ir::LoopNest& nest);
  // A reduction within an expression, which is computed before, for all values of the variables that it depends on.
  Item reduced_before(const Term& term, const Scope& scope);

  // Values (evaluate.cpp)
  Item evaluate(const Term& term, const Scope& scope);
  Item named(const Term& term, const Scope& scope);
  Item element_of_attribute(const Term& term);
  std::optional<std::string> text_of(const Term& term) const;
  std::optional<bool> compared_texts(const Term& term) const;
  Item call(const Term& term, const Scope& scope);
  DType type_named(const Term& term) const;

  // Elements (elements.cpp) An index of variables, dimensions and numbers; nullopt if it uses values.
  std::optional<IndexExpr> index_of(const Term& term, const Scope& scope) const;
  bool is_index(const Term& term, const Dims<IndexExpr>& dims) const;
  // The dimensions of a group: the last ones of its variables, of which extent 1 repeats. Dimensions that are known
  // only at run time have been compared by then; true if a guard must keep reads inside the tensor anyway.
  bool add_group(const Term& term, const Scope& scope, const Shape& dims, size_t count, std::vector<IndexExpr>& at);
  Item load(const Term& term, const Scope& scope, const Item* otherwise);
  Scalar position(const Term& term, const Scope& scope, const Item* otherwise);
  void require_inside(const Term& term, IndexExpr index, IndexExpr extent, const std::string& tensor, size_t d) const;
};

}  // namespace cppgen::custom
