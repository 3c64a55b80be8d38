#include <fmt/format.h>

#include "cppgen/forms/rows/plan.h"
#include "cppgen/schedule_text/field_printer.h"

namespace cppgen::forms {

std::string RowsPlan::describe() const { return fmt::format("rows: {} accumulators per reduction", accumulators); }

void RowsPlan::print(FieldPrinter& v) {
  v("accumulators", accumulators);
  LoopsPlan::print(v);
}

}  // namespace cppgen::forms
