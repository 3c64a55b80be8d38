// Kernels that slide a small window over their operand: depthwise convolutions and poolings over channels-last images.
// Neighbouring points of the loop before the lanes share the window's weights, their chains of sums run side by side,
// and away from the border no condition is asked.
#include <fmt/format.h>

#include <algorithm>

#include "cppgen/codegen/loops_writer.h"

namespace cppgen::codegen {

using ir::Loop;
using schedule::Segment;

namespace {

constexpr int64_t kMostWindow = 256;        // points of a window
constexpr int64_t kWindowUnitWork = 32768;  // elements that a unit should touch, roughly
constexpr int64_t kVectorsOfRow = 16;       // of a unit, where windows move along rows
constexpr int kNeighbours = 8, kNeighboursOfFewRegisters = 6;

std::vector<Expr> values_of(const Segment& s) {
  std::vector<Expr> values;
  for (const auto& r : s.reductions) values.push_back(r.value);
  return ir::postorder(values);
}

// An index that moves with the loop and with a reduced one.
bool is_window(Expr load, const Loop& across, const std::vector<Loop>& reduced) {
  return std::any_of(load->indices.begin(), load->indices.end(), [&](IndexExpr index) {
    return ir::depends_on(index, across.var.node()) && std::any_of(reduced.begin(), reduced.end(), [&](const Loop& l) {
             return ir::depends_on(index, l.var.node());
           });
  });
}

// The least and the greatest value of an index over the reduced loops, or nothing if it is not affine in them.
struct Extremes {
  IndexExpr least, greatest;
};
std::optional<Extremes> extremes_of(IndexExpr index, const std::vector<Loop>& reduced) {
  ir::IndexMap at_least, at_greatest;
  for (const Loop& l : reduced) {
    const auto step = ir::stride_of(index, l.var.node());
    if (!step || !step->is_constant() || !l.extent.is_constant()) return std::nullopt;
    const bool rises = step->constant() >= 0;
    (rises ? at_least : at_greatest)[l.var.node()] = 0;
    (rises ? at_greatest : at_least)[l.var.node()] = l.extent - 1;
  }
  return Extremes{ir::substitute(index, at_least), ir::substitute(index, at_greatest)};
}

}  // namespace

bool LoopsWriter::slides() const {
  if (target_.lanes == 1 || kernel_.segments.size() != 1 || !kernel_.locals.empty() || kernel_.outer.size() < 2)
    return false;
  const Segment& s = kernel_.segments[0];
  const Loop& across = kernel_.outer[kernel_.outer.size() - 2];
  const int64_t window = constant_or(points(s.reduced), kMostWindow + 1);
  if (s.reductions.empty() || !s.loops.empty() || !s.body.empty() || window > kMostWindow || window < 2) return false;
  if (constant_or(across.extent, 0) < 2 || constant_or(kernel_.outer.back().extent, 0) < target_.lanes) return false;
  for (const auto& store : s.stores)
    if (!store.indirects.empty()) return false;
  const auto values = values_of(s);
  if (std::any_of(values.begin(), values.end(), [](Expr e) { return !e->indirects.empty(); })) return false;
  return std::any_of(values.begin(), values.end(),
                     [&](Expr e) { return e->kind == ir::ExprKind::load && is_window(e, across, s.reduced); });
}

// How many points stand side by side: as evenly as the loop can be cut. Groups may overlap, unless what a point stores
// lies where another kernel's result is read.
int LoopsWriter::choose_neighbours() const {
  const int64_t most = target_.lanes >= 16 ? kNeighbours : kNeighboursOfFewRegisters;
  const int64_t extent = across_->extent.constant(), groups = (extent + most - 1) / most;
  int64_t count = (extent + groups - 1) / groups;
  const auto& outputs = kernel_.outputs;
  const bool in_place = std::any_of(schedule_.in_place.begin(), schedule_.in_place.end(), [&](const auto& it) {
    return std::find(outputs.begin(), outputs.end(), it.output) != outputs.end();
  });
  while (in_place && extent % count != 0) count--;
  return int(count);
}

int64_t LoopsWriter::choose_window_block() const {
  const int64_t row = across_->extent.constant() * constant_or(points(kernel_.segments[0].reduced), 1);
  const int64_t lanes = target_.lanes;
  int64_t vectors = std::max<int64_t>(1, kWindowUnitWork / (row * lanes));
  // Windows along the lanes, too: neighbouring vectors read the same lines, so a unit takes more of a row.
  const auto values = values_of(kernel_.segments[0]);
  if (std::any_of(values.begin(), values.end(), [&](Expr e) {
        return e->kind == ir::ExprKind::load && is_window(e, kernel_.outer.back(), kernel_.segments[0].reduced);
      }))
    vectors = std::max(vectors, kVectorsOfRow);
  return std::min(vectors * lanes, constant_or(kernel_.outer.back().extent, vectors * lanes));
}

// The condition that no window of the points `first` to first + U - 1 crosses the border; empty: not known.
std::string LoopsWriter::inside_text(const std::string& first) const {
  const Segment& s = kernel_.segments[0];
  const auto* across = across_->var.node();
  IndexNames names = context_.names;
  std::string text;
  const auto add = [&](const std::string& condition) {
    if (text.find(condition) == text.npos) text += (text.empty() ? "" : " && ") + condition;
  };
  for (Expr e : values_of(s))
    for (const auto& g : e->guards) {
      if (!ir::depends_on(g.index, across)) continue;
      const auto extremes = extremes_of(g.index, s.reduced);
      const auto step = ir::stride_of(g.index, across);
      if (!extremes || !step || !step->is_constant() || step->constant() < 0) return "";
      names.set(across, first);
      add(fmt::format("{} >= {}", names.text(extremes->least), names.text(g.lo)));
      names.set(across, fmt::format("({} + {})", first, unroll_ - 1));
      add(fmt::format("{} < {}", names.text(extremes->greatest), names.text(g.hi)));
    }
  return text.empty() ? "true" : text;
}

void LoopsWriter::write_windows() {
  const Loop& last = kernel_.outer.back();
  across_ = kernel_.outer[kernel_.outer.size() - 2];
  unroll_ = choose_neighbours();
  block_ = choose_window_block();
  const UnitPart part = write_column_units(2);
  name_loop(*across_);
  const std::string v = name_loop(last);
  std::vector<std::string> hoisted;
  const std::string point = column_point(hoisted);
  add_lines(hoisted);
  body_.line("constexpr int U = {};", unroll_);
  body_.open("auto point = [&](const vec::i64 first, const vec::i64 {}, auto n, auto where) CPPGEN_LAMBDA", v);
  body_.line("constexpr bool inside = decltype(where)::value;");
  body_.text_line(std::string_view(point).substr(0, point.size() - 1));
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
