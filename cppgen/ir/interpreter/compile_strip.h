#pragma once
#include "cppgen/ir/interpreter/nest_space.h"

namespace cppgen::ir {

// Compiles values and stores of a nest into steps over strips along one loop. Values that do not depend on reduced
// loops go to `hoisted`, which runs once per strip of the outer loops, before `body`.
class StripCompiler {
 public:
  // lane: the slot of the strip's loop, or -1 for strips of one element. Without `reducing`, reduced loops do not
  // occur.
  StripCompiler(NestSpace& space, int lane, bool reducing) : space_(space), lane_(lane), reducing_(reducing) {}

  int value(Expr);             // the register that will hold it
  int index_value(IndexExpr);  // of a program's index expression, as int64
  void store(const Store&);
  int add_input(int accumulator, DType);  // a register that the caller fills: the result of a reduction

  StripSteps hoisted, body;
  int registers() const { return static_cast<int>(varies_.size()); }

 private:
  struct Varies {
    bool lane = false, reduced = false;
    void merge(Varies o) {
      lane |= o.lane;
      reduced |= o.reduced;
    }
  };

  NestSpace& space_;
  int lane_;
  bool reducing_;
  std::vector<Varies> varies_;  // by register
  std::unordered_map<Expr, int> values_;
  std::unordered_map<IndexExpr, int> indices_;  // local index expressions
  std::unordered_map<int, int> accumulators_;
  std::unordered_map<const IndexNode*, int> uniform_slots_;
  std::unordered_map<int, Varies> slot_varies_;  // of uniform slots

  int new_register(Varies);
  void emit(std::unique_ptr<StripStep>, Varies);
  Varies varies_of(const Affine&) const;
  Varies varies_of(const StripIndex&) const;

  int compile(Expr);
  int elementwise(Elementwise, Expr);
  int load(Expr);
  void bind(const LocalReference&, StripMask& mask, Varies& varies);
  int mask_register(const StripMask&, Varies);
  void add_condition(IndexExpr, StripMask&, Varies&);
  ElementAddress address(const LocalReference&, const TensorView&, Varies&);

  std::optional<Affine> affine(IndexExpr local);
  int slot_of(const IndexNode* atom);  // -1 if it varies by lane
  StripIndex strip_index(IndexExpr local);
  int index_register(IndexExpr local);
  int compile_index(IndexExpr local);
  int compile_sum(IndexExpr local);
  int combine(IndexStepOp, int a, int b, int64_t scale = 1);
};

}  // namespace cppgen::ir
