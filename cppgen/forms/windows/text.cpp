#include <fmt/format.h>

#include "cppgen/forms/windows/plan.h"
#include "cppgen/schedule_text/field_printer.h"

namespace cppgen::forms {

template <class V>
void fields(V& v, WindowsPlan::Inside& inside) {
  auto& [least, lo, greatest, hi] = inside;
  v("least", least);
  v("lo", lo);
  v("greatest", greatest);
  v("hi", hi);
}

std::string WindowsPlan::describe() const {
  return fmt::format("windows: blocks of {}{}{}", block, side_by_side(vectors, "windows"),
                     inside ? "" : ", with bounds checks at each point");
}

void WindowsPlan::print(FieldPrinter& v) {
  ColumnsPlan::print(v);
  v("knows_borders", inside.has_value());
  if (inside) v.records("inside", *inside);
}

}  // namespace cppgen::forms
