#pragma once
#include <map>
#include <optional>

#include "cppgen/codegen/kernel_text.h"
#include "cppgen/codegen/value_emitter.h"

namespace cppgen::codegen {

// What the writers of all forms of kernels share: the function around the loops.
class KernelWriter {
 public:
  KernelWriter(const kernel::KernelView&, const Options&);
  virtual ~KernelWriter() = default;
  // `plan` is the one of which this writer has the form.
  KernelText write(const kernel::KernelPlan& plan);

 protected:
  const kernel::KernelView& view_;
  const schedule::FusedKernel& kernel_;
  const Options& options_;
  KernelContext context_;
  StatementList body_;    // inside the loop over units
  StatementList before_;  // in front of that loop
  StatementList after_;   // behind it
  KernelText text_;

  virtual void write_body() = 0;
  Code index_text(IndexExpr e) const { return context_.names.text(e); }
  Code factor(IndexExpr e) const { return context_.names.factor(e); }
  // Gives a loop variable a name ("i0", "i1" ...) and returns it.
  Code name_loop(const ir::Loop&);
  // The same where it is no position of lanes: with a single point, it is 0 and has no variable.
  void name_position(const ir::Loop&);
  // The same for a loop that is written as one: unless such loops are left out, one of one round has a variable.
  void name_scalar_loop(const ir::Loop&);
  For loop_over(const ir::Loop&) const;
  // The value itself where it is a name or a number, else the name of a constant that has it.
  Code named(const Code& name, const Code& value);
  // Declares the positions of these loops, the last one fastest, of which `number` counts the points.
  void decompose(const Code& number, const std::vector<ir::Loop>&);
  // assertions.cpp
  // Ends the kernel unless the condition holds; not within functions.
  void require(StatementList&, const Code& condition, const Code& assertion);
  // DEBUG_INDEX_ASSERTS, of a load that is not emitted as a value: ends the kernel unless its indices lie in their
  // dimensions with the first and the last positions of these loops; in between, indices are monotonous.
  void assert_inside(Expr load, const std::vector<ir::Loop>&);

 private:
  int next_loop_ = 0;
  Statements buffer_declarations();
  // NDEBUG=0: what the kernel relies on.
  Statements assertions(const kernel::KernelPlan&, const std::vector<const ir::IndexNode*>& symbols);
  std::string comment() const;
};

}  // namespace cppgen::codegen
