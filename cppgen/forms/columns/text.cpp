#include <fmt/format.h>

#include "cppgen/forms/columns/plan.h"
#include "cppgen/schedule_text/field_printer.h"

namespace cppgen::forms {

std::string side_by_side(int64_t count, const char* what) {
  return count > 1 ? fmt::format(", {} {} side by side", count, what) : "";
}

std::string ColumnsPlan::describe() const {
  return fmt::format("columns: blocks of {}{}{}{}", block, side_by_side(vectors, "vectors"),
                     side_by_side(chains, "chains of operations"),
                     interleaved > 1 ? fmt::format(", {} interleaved", interleaved) : "");
}

void ColumnsPlan::print(FieldPrinter& v) {
  v("block", block);
  v("vectors", vectors, 1);
  v("chains", chains, 1);
  v("unroll", unroll, 1);
  v("masks_full_vectors", masks_full_vectors, false);
  v("interleaved", interleaved, 1);
  LoopsPlan::print(v);
}

}  // namespace cppgen::forms
