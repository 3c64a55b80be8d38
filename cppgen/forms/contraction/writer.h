#pragma once
#include "cppgen/codegen/kernel_writer.h"
#include "cppgen/forms/form.h"

namespace cppgen::forms {

// Common to the writers of contractions.
class ContractionWriter : public KernelWriter {
 protected:
  using KernelWriter::KernelWriter;

  enum class EpilogueOrder { rows, columns };  // the outer loops
  // The stores of the epilogue, whose lanes are columns: the statements before the loops, in each of the loops over
  // rows and in that over the columns, where the lanes are `n`; in the innermost the sum is `sum`. The loops have
  // names.
  ValueEmitter contraction_epilogue(EpilogueOrder);
};

}  // namespace cppgen::forms
