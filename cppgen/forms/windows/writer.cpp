// Kernels that slide a small window over their operand: depthwise convolutions and poolings over channels-last images.
// Neighbouring points of the loop before the lanes share the window's weights, and their chains of sums run side by
// side. Windows that do not cross the border are computed without bounds checks.

#include "cppgen/forms/columns/writer.h"

#include <algorithm>

#include "cppgen/forms/windows/plan.h"
#include "cppgen/kernel/view.h"

namespace cppgen::forms {

// Columns in which neighbouring points of the loop before the last one share operands.
class WindowsWriter : public ColumnsWriter {
 public:
  WindowsWriter(const KernelView& view, const WindowsPlan& plan, const Options& options)
      : ColumnsWriter(view, plan, options), windows_(plan) {}

 private:
  const WindowsPlan& windows_;

  void write_body() override;
  Code inside_text(const Code& first) const;
};

using ir::Loop;

// The condition that no window of the points `first` to first + U - 1 crosses the border; empty if it is unknown.
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
    add(names.at_least(c.least, c.lo));
    names.set_sum(across_->var.node(), code("{} + {}", first, plan_.vectors - 1));
    add(names.less(c.greatest, c.hi));
  }
  return conditions.empty() ? true : all_of(conditions);
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
  body_.constant("constexpr int", "U", "{}", plan_.vectors);
  body_.open(Lambda{"point", fmt::format("const vec::i64 first, const vec::i64 {}, auto n, auto where", v)});
  body_.constant("constexpr bool", kInside, "decltype(where)::value");
  if (plan_.vectors == 1) body_.let(index_text(across_->var), "first");
  body_.add(inner);
  body_.close();
  body_.open(Lambda{"points", "const vec::i64 first, auto where"});
  const Code stop = named("stop", part.stop);
  body_.variable("vec::i64", "at", part.start);
  const IndexExpr size = kernel_.outer.back().extent;
  const bool starts_at_vectors = plan_.block % view_.target.lanes == 0;
  call_by_vectors(
      stop, [](const Code& at, const Code& n) { return code("point(first, {}, {}, where)", at, n); },
      size.is_constant() && starts_at_vectors ? index_text(size) : Code());
  body_.close();
  const Code extent = index_text(across_->extent), inside = inside_text("first");
  // If the loop's extent is not a multiple of U, the last group overlaps the previous one and computes some values
  // again.
  body_.open(For{.variable = "next", .end = extent, .step = "U"});
  body_.let("first", "vec::imin(next, {} - U)", extent);
  body_.open_if(inside.empty() ? false : inside);
  body_.text("points(first, vec::Int<1>{});");
  body_.otherwise();
  body_.text("points(first, vec::Int<0>{});");
  body_.close();
  body_.close();
}

KernelText WindowsPlan::write(const KernelView& view, const KernelPlan& plan, const Options& options) const {
  return WindowsWriter(view, *this, options).write(plan);
}

}  // namespace cppgen::forms
