#include "cppgen/schedule/engines/row_tiling.h"

#include <algorithm>
#include <cmath>

namespace cppgen::schedule {
namespace {

using ir::Loop;

// The number of taps inside the image at each position of a loop; empty if it also depends on other loops.
std::vector<int64_t> taps_inside(const TileContraction& c, const Loop& position) {
  std::vector<ir::Guard> guards;
  std::vector<Loop> taps;
  for (const auto& g : c.left->guards)
    if (ir::depends_on(g.index, position.var.node())) guards.push_back(g);
  for (const Loop& t : c.taps)
    if (std::any_of(guards.begin(), guards.end(), [&](const auto& g) { return ir::depends_on(g.index, t.var.node()); }))
      taps.push_back(t);
  for (const auto& g : guards)
    for (const auto* v : ir::variables_of(g.index)) {
      const bool known = v == position.var.node() ||
                         std::any_of(taps.begin(), taps.end(), [&](const Loop& t) { return t.var.node() == v; });
      if (!known || !g.lo.is_constant() || !g.hi.is_constant()) return {};
    }
  std::vector<int64_t> counts;
  const int64_t all = points(taps).constant();
  for (int64_t p = 0; p < position.extent.constant(); p++) {
    int64_t inside = 0;
    for (int64_t t = 0; t < all; t++) {
      const auto value = [&](const ir::IndexNode& v) {
        int64_t rest = t;
        for (size_t i = taps.size(); i-- > 0; rest /= taps[i].extent.constant())
          if (taps[i].var.node() == &v) return rest % taps[i].extent.constant();
        return p;
      };
      inside += std::all_of(guards.begin(), guards.end(), [&](const auto& g) {
        const int64_t at = ir::evaluate(g.index, value);
        return g.lo.constant() <= at && at < g.hi.constant();
      });
    }
    counts.push_back(inside);
  }
  return counts;
}

// The cost of one tap of `length` rows in tiles of equal size, in units of rows of full tiles.
double line_cost(const TileContraction& c, int64_t length, const Tuning& tuning) {
  if (length == 0) return 0;
  const int64_t tiles = pieces(length, c.shape.mr);
  const double sums = std::max(1.0, c.shape.nr / tuning.sum_columns);  // of a row
  const double least = std::ceil(double(tuning.hiding_sums) / sums);
  return double(tiles) * (std::max(double(length) / double(tiles), least) + tuning.tile_start);
}

// Returns whether padding does not contribute to a sum: it is zero, and no weight is infinite or NaN.
bool padding_adds_nothing(const ir::Program& program, const TileContraction& c) {
  const ir::Buffer& weights = program.buffer(c.right->buffer);
  const bool in_place = info(c.format).form == rt::LeftForm::in_place && info(c.format).left == DType::f32;
  const Expr padding = c.left->args.empty() ? nullptr : c.left->args[0];
  return in_place && weights.kind == ir::BufferKind::constant && weights.type == DType::f32 && padding &&
         padding->kind == ir::ExprKind::constant && padding->bits == 0 && all_finite(weights);
}

// The number of columns at the left, or at the right, whose windows reach outside.
int64_t border(const std::vector<int64_t>& inside, bool from_right) {
  const int64_t all = *std::max_element(inside.begin(), inside.end());
  const int64_t size = int64_t(inside.size());
  int64_t count = 0;
  while (count < size && inside[size_t(from_right ? size - 1 - count : count)] < all) count++;
  return count;
}

double sum(const std::vector<int64_t>& values) {
  double total = 0;
  for (int64_t v : values) total += double(v);
  return total;
}

}  // namespace

bool all_finite(const ir::Buffer& weights) {
  const auto* values = static_cast<const float*>(weights.data.bytes);
  return std::all_of(values, values + weights.data.size / sizeof(float), [](float x) { return std::isfinite(x); });
}

RowTiling tile_rows(const ir::Program& program, const TileContraction& c, const Tuning& tuning) {
  RowTiling plain;
  if (c.left->guards.empty() || c.rows.size() < 2) return plain;
  plain.skips_padding = padding_adds_nothing(program, c);
  const Loop &y = c.rows[c.rows.size() - 2], &x = c.rows.back();
  if (!plain.skips_padding || !y.extent.is_constant() || !x.extent.is_constant()) return plain;
  const auto in_y = taps_inside(c, y), in_x = taps_inside(c, x);
  if (in_y.empty() || in_x.empty()) return plain;
  const int64_t height = y.extent.constant(), width = x.extent.constant();
  const int64_t left = border(in_x, false), right = border(in_x, true);
  const double taps_y = double(*std::max_element(in_y.begin(), in_y.end())),
               taps_x = double(*std::max_element(in_x.begin(), in_x.end()));
  const double all = line_cost(c, height * width, tuning) * taps_y * taps_x;
  const double lines = line_cost(c, width, tuning) * sum(in_y) * taps_x;
  RowTiling best = plain;
  if (lines < tuning.worthwhile_lines * all) best = {true, height, width, 0, 0};
  if (left + right == 0 || left + right >= width) return best;
  double bordered = line_cost(c, width - left - right, tuning) * sum(in_y) * taps_x;
  for (int64_t i = 0; i < width; i++)
    if (i < left || i >= width - right) bordered += line_cost(c, height, tuning) * double(in_x[size_t(i)]) * taps_y;
  if (bordered < tuning.worthwhile_lines * std::min(all, lines)) best = {true, height, width, left, right};
  return best;
}

}  // namespace cppgen::schedule
