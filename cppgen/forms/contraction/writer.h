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

  // Returns what a tile of float32 prefetches (`ahead` in runtime/contraction/tiles.h) of the panel so many bytes behind
  // its own, where so many tiles of rows follow each other and share its lines as evenly as they can. Panels have
  // `steps` steps of K.
  Code share_of_panel(const Code& tile, int64_t tiles, int64_t steps, int64_t distance);
};

}  // namespace cppgen::forms
