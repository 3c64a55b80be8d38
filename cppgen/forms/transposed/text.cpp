#include <fmt/format.h>

#include "cppgen/forms/transposed/plan.h"
#include "cppgen/schedule_text/field_printer.h"

namespace cppgen::forms {

template <class V>
void fields(V& v, TransposedPlan::Load& it) {
  auto& [load, offset, across, end, few] = it;
  v.values({load});
  v("load", load);
  v("offset", offset);
  v("across", across);
  if (end) v("end", *end);
  v("few", few, 0);
}

template <class V>
void fields(V& v, TransposedPlan::NextTile& tile) {
  auto& [buffer, offset, stride, transposed] = tile;
  v.buffer("buffer", buffer);
  v("offset", offset);
  v("stride", stride);
  v("transposed", transposed, false);
}

std::string TransposedPlan::describe() const {
  return fmt::format("transposed: tiles of {0} x {0}, {1} columns in a unit", side, width);
}

void TransposedPlan::print(FieldPrinter& v) {
  v("side", side);
  v("width", width);
  v.records("load", loads);
  v.records("next_tile", next_tiles);
  v("moves", moves, false);
  LoopsPlan::print(v);
}

}  // namespace cppgen::forms
