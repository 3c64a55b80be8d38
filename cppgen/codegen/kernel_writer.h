#pragma once
#include <map>
#include <optional>

#include "cppgen/codegen/kernel_text.h"
#include "cppgen/codegen/value_emitter.h"
#include "cppgen/support/text_writer.h"

namespace cppgen::codegen {

// What the writers of all forms of kernels share: the function around the loops.
class KernelWriter {
 public:
  KernelWriter(const kernel::KernelView&, const Options&);
  virtual ~KernelWriter() = default;
  KernelText write();

 protected:
  const kernel::KernelView& view_;
  const schedule::FusedKernel& kernel_;
  const Options& options_;
  KernelContext context_;
  TextWriter body_;    // inside the loop over units
  TextWriter before_;  // in front of that loop
  TextWriter after_;   // behind it
  KernelText text_;

  virtual void write_body() = 0;
  std::string index_text(IndexExpr e) const { return context_.names.text(e); }
  // Gives a loop variable a name ("i0", "i1" ...) and returns it.
  std::string name_loop(const ir::Loop&);
  // const i64 declarations that take `unit` apart into these loops, the last one fastest.
  void decompose(TextWriter&, const std::string& number, const std::vector<ir::Loop>&);
  void add_lines(const std::vector<std::string>&);

 private:
  int next_loop_ = 0;
  void name_symbols();
  void name_buffers(TextWriter& declarations);
};

}  // namespace cppgen::codegen
