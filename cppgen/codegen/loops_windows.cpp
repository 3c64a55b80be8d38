// Kernels that slide a small window over their operand: depthwise convolutions and poolings over channels-last images.
// Neighbouring points of the loop before the lanes share the window's weights, their chains of sums run side by side,
// and away from the border no condition is asked.
#include <fmt/format.h>

#include <algorithm>

#include "cppgen/codegen/loops_writer.h"

namespace cppgen::codegen {

using ir::Loop;

// The condition that no window of the points `first` to first + U - 1 crosses the border; empty: not known.
std::string WindowsWriter::inside_text(const std::string& first) const {
  if (!windows_.inside) return "";
  std::vector<std::string> conditions;
  const auto add = [&](std::string condition) {
    if (std::find(conditions.begin(), conditions.end(), condition) == conditions.end())
      conditions.push_back(std::move(condition));
  };
  IndexNames names = context_.names;
  for (const auto& c : *windows_.inside) {
    names.set(across_->var.node(), first);
    add(fmt::format("{} >= {}", names.text(c.least), names.text(c.lo)));
    names.set(across_->var.node(), fmt::format("({} + {})", first, plan_.vectors - 1));
    add(fmt::format("{} < {}", names.text(c.greatest), names.text(c.hi)));
  }
  return conditions.empty() ? "true" : fmt::format("{}", fmt::join(conditions, " && "));
}

void WindowsWriter::write_body() {
  const Loop& last = kernel_.outer.back();
  across_ = kernel_.outer[kernel_.outer.size() - 2];
  const UnitPart part = write_units(2);
  name_loop(*across_);
  const std::string v = name_loop(last);
  std::vector<std::string> hoisted;
  const std::string inner = point(hoisted);
  add_lines(hoisted);
  body_.line("constexpr int U = {};", plan_.vectors);
  body_.open("auto point = [&](const vec::i64 first, const vec::i64 {}, auto n, auto where) CPPGEN_LAMBDA", v);
  body_.line("constexpr bool inside = decltype(where)::value;");
  body_.text_line(std::string_view(inner).substr(0, inner.size() - 1));
  body_.close("};");
  body_.open("auto points = [&](const vec::i64 first, auto where) CPPGEN_LAMBDA");
  body_.line("vec::i64 at = {};", part.start);
  body_.line("const vec::i64 stop = {};", part.stop);
  body_.text_line("for (; at + vec::L <= stop; at += vec::L) point(first, at, vec::All{}, where);");
  body_.text_line("if (at < stop) point(first, at, vec::Tail{int(stop - at)}, where);");
  body_.close("};");
  const std::string extent = index_text(across_->extent), inside = inside_text("first");
  // The last group overlaps the one before where the loop is no multiple of it: the same values once more.
  body_.open("for (vec::i64 next = 0; next < {}; next += U)", extent);
  body_.line("const vec::i64 first = vec::imin(next, {} - U);", extent);
  if (inside.empty())
    body_.text_line("points(first, vec::Int<0>{});");
  else
    body_.line("{} ? points(first, vec::Int<1>{{}}) : points(first, vec::Int<0>{{}});", inside);
  body_.close();
}

}  // namespace cppgen::codegen
