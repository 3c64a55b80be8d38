#pragma once
#include <map>
#include <optional>
#include <set>

#include "cppgen/codegen/kernel_text.h"
#include "cppgen/codegen/value_emitter.h"
#include "runtime/contraction/formats.h"

namespace cppgen::codegen {

// Common to the writers of all forms of kernels: the function around the loops.
class KernelWriter {
 public:
  KernelWriter(const kernel::KernelView&, const Options&);
  virtual ~KernelWriter() = default;
  KernelText write(const kernel::KernelPlan& plan);

 protected:
  const kernel::KernelView& view_;
  const schedule::FusedKernel& kernel_;
  const Options& options_;
  KernelContext context_;
  StatementList body_;    // inside the loop over units
  StatementList before_;  // before that loop
  StatementList after_;   // after it
  KernelText text_;
  const char* linkage_ = "CPPGEN_KERNEL";  // CPPGEN_TILE_KERNEL for tiles in registers

  virtual void write_body() = 0;
  Code index_text(IndexExpr e) const { return context_.names.text(e); }
  Code factor(IndexExpr e) const { return context_.names.factor(e); }
  // Gives a loop variable a name ("i0", "i1" ...) and returns it.
  Code name_loop(const ir::Loop&);
  // Does the same for a loop whose points are not lanes: with a single point, its position is 0 without a variable.
  void name_position(const ir::Loop&);
  // Does the same for a loop that is emitted as a loop: a single point has a variable too, unless NO_REDUNDANT_LOOPS
  // is set.
  void name_scalar_loop(const ir::Loop&);
  For loop_over(const ir::Loop&) const;
  // An entry of a table of the runtime by formats of tiles: "rt->TABLE[FORMAT]". The kernel declares FORMAT.
  Code of_format(const char* table, rt::TileFormat);
  // The value itself if it is a name or a number; otherwise `name`, which is declared as a constant with this value.
  Code named(const Code& name, const Code& value);
  // Declares the positions in these loops of the point with this number; the last loop is the fastest.
  void decompose(const Code& number, const std::vector<ir::Loop>&);
  // Adds a buffer in scratch memory to the comment before the kernel: "NAME: CONTENTS".
  void note_scratch(std::string text) { scratch_.push_back(std::move(text)); }
  // assertions.cpp
  // Adds a statement that ends the kernel unless the condition holds. It must not be in a lambda expression.
  void require(StatementList&, const Code& condition, const Code& assertion);
  // With DEBUG_INDEX_ASSERTS and a load that is not emitted as a value, ends the kernel unless the load's indices are
  // in range at the first and the last positions of these loops. In between they are monotonic.
  void assert_inside(Expr load, const std::vector<ir::Loop>&);

 private:
  int next_loop_ = 0;
  Statements buffer_declarations();
  // With NDEBUG=0, verifies the assumptions of the kernel.
  Statements assertions(const kernel::KernelPlan&, const std::vector<const ir::IndexNode*>& symbols);
  std::set<rt::TileFormat> formats_;  // by of_format()
  std::vector<std::string> scratch_;  // by note_scratch()
  std::string comment() const;
  std::string storage_text(const ir::Buffer&) const;
};

}  // namespace cppgen::codegen
