// Kernels that slide a small window over their operand: depthwise convolutions and poolings over channels-last images.
// Neighbouring points of the loop before the lanes share the window's weights, their chains of sums run side by side,
// and away from the border no condition is asked.

#include <algorithm>

#include "cppgen/codegen/loops_writer.h"

namespace cppgen::codegen {

using ir::Loop;

// The condition that no window of the points `first` to first + U - 1 crosses the border; empty: not known.
Code WindowsWriter::inside_text(const Code& first) const {
  if (!windows_.inside) return "";
  std::vector<Code> conditions;
  const auto add = [&](Code condition) {
    if (std::find(conditions.begin(), conditions.end(), condition) == conditions.end())
      conditions.push_back(std::move(condition));
  };
  IndexNames names = context_.names;
  for (const auto& c : *windows_.inside) {
    names.set(across_->var.node(), first);
    add(code("{} >= {}", names.text(c.least), names.text(c.lo)));
    names.set(across_->var.node(), code("({} + {})", first, plan_.vectors - 1));
    add(code("{} < {}", names.text(c.greatest), names.text(c.hi)));
  }
  Code all;
  for (const Code& c : conditions) all += code("{}{}", all.empty() ? "" : " && ", c);
  return all.empty() ? "true" : all;
}

void WindowsWriter::write_body() {
  const Loop& last = kernel_.outer.back();
  across_ = kernel_.outer[kernel_.outer.size() - 2];
  const UnitPart part = write_units(2);
  name_loop(*across_);
  const Code v = name_loop(last);
  Statements hoisted;
  const Statements inner = point(hoisted);
  body_.add(hoisted);
  body_.line("constexpr int U = {};", plan_.vectors);
  body_.open("auto point = [&](const vec::i64 first, const vec::i64 {}, auto n, auto where) CPPGEN_LAMBDA", v);
  body_.line("constexpr bool inside = decltype(where)::value;");
  body_.add(inner);
  body_.close("};");
  body_.open("auto points = [&](const vec::i64 first, auto where) CPPGEN_LAMBDA");
  body_.line("vec::i64 at = {};", part.start);
  body_.line("const vec::i64 stop = {};", part.stop);
  body_.text("for (; at + vec::L <= stop; at += vec::L) point(first, at, vec::All{}, where);");
  body_.text("if (at < stop) point(first, at, vec::Tail{int(stop - at)}, where);");
  body_.close("};");
  const Code extent = index_text(across_->extent), inside = inside_text("first");
  // The last group overlaps the one before where the loop is no multiple of it: the same values once more.
  body_.open("for (vec::i64 next = 0; next < {}; next += U)", extent);
  body_.line("const vec::i64 first = vec::imin(next, {} - U);", extent);
  if (inside.empty())
    body_.text("points(first, vec::Int<0>{});");
  else
    body_.line("{} ? points(first, vec::Int<1>{{}}) : points(first, vec::Int<0>{{}});", inside);
  body_.close();
}

}  // namespace cppgen::codegen
