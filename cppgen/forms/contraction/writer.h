#pragma once
#include "cppgen/codegen/kernel_writer.h"
#include "cppgen/forms/form.h"

namespace cppgen::forms {

// Common to the writers of contractions.
class ContractionWriter : public KernelWriter {
 protected:
  using KernelWriter::KernelWriter;

  // The stores of the epilogue, whose lanes are columns: the statements before the loops over rows, in each of these,
  // and in that over the columns, where the sum is `sum` and the lanes are `n`. The loops have names.
  ValueEmitter contraction_epilogue();
};

}  // namespace cppgen::forms
