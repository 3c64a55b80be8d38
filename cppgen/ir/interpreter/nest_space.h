#pragma once
#include <unordered_map>
#include <vector>

#include "cppgen/ir/interpreter/strip_program.h"
#include "cppgen/ir/program/program.h"

namespace cppgen::ir {

// A reference to tensor elements with all sizes known: indices over the local loop variables, the row-major offset,
// conditions that must be at least 0 for a load to read, and bindings of indirect variables.
struct LocalReference {
  struct Condition {
    IndexExpr value;
    bool uses_binding;  // depends on an indirect variable of this reference
  };
  struct Binding {
    const IndexNode* variable;
    Expr value;
    int64_t extent;
  };
  struct Bound {
    IndexExpr index;
    int64_t extent;
  };
  IndexExpr offset;
  std::vector<Condition> conditions;
  std::vector<Binding> bindings;
  std::vector<Bound> unproved;  // indices not known to lie in [0, extent) where the conditions hold
};

// The loops of a nest for given sizes: every symbol and extent is a number, so most divisions fold away and ranges are
// exact. Has its own arena and does not change the program's. Loop variables get slots: loops, then reduced.
class NestSpace {
 public:
  NestSpace(const LoopNest&, const std::vector<TensorView>& tensors, const IndexEnv& symbols);

  IndexExpr local(IndexExpr);
  const LocalReference& load(Expr);
  LocalReference store(const Store&);

  const TensorView& tensor(BufferId id) const { return tensors_[id]; }
  int slots() const { return static_cast<int>(extents_.size()); }  // of loops
  int add_slot() { return slots() + extra_slots_++; }
  int all_slots() const { return slots() + extra_slots_; }
  int first_reduced() const { return first_reduced_; }
  int64_t extent(int slot) const { return extents_[slot]; }
  const IndexNode* variable(int slot) const { return variables_[slot]; }
  int slot_of(const IndexNode* local_variable) const;  // -1 for others

 private:
  const std::vector<TensorView>& tensors_;
  const IndexEnv& symbols_;
  IndexArena arena_;
  IndexMap map_;
  std::vector<int64_t> extents_;
  std::vector<const IndexNode*> variables_;
  std::unordered_map<const IndexNode*, int> slots_;
  int first_reduced_;
  int extra_slots_ = 0;
  std::unordered_map<Expr, LocalReference> loads_;

  void add_loop(const Loop&);
  void add_symbols(IndexExpr);
  IndexExpr mapped(IndexExpr, const IndexMap&);
  void bind(const std::vector<Indirect>&, LocalReference&, IndexMap&);
  void address(const std::vector<IndexExpr>& indices, const TensorView&,
               const std::vector<LocalReference::Bound>& known, LocalReference&);
};

}  // namespace cppgen::ir
