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

  // Returns how far ahead a tile prefetches, where tiles of rows follow each other and panels, of so many bytes, are in
  // the loop around them. The first tile of rows prefetches the next panel, so that it is in the second-level cache
  // when its turn comes.
  Code next_panel(const Code& tile, int64_t bytes);
};

}  // namespace cppgen::forms
