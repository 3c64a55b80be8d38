#include "cppgen/diagram/placement.h"

#include <algorithm>

#include "cppgen/diagram/layers.h"

namespace cppgen {
namespace {

constexpr double kMargin = 20, kRowGap = 44;

struct Row {
  double top = 0, bottom = 0;
};

std::vector<Row> rows_of(const Layers& layers, const std::vector<BoxSize>& sizes) {
  std::vector<Row> rows;
  double y = kMargin;
  for (const auto& layer : layers.layers) {
    double height = 0;
    for (const int32_t v : layer)
      if (!layers.vertices[size_t(v)].bend) height = std::max(height, sizes[size_t(v)].height);
    rows.push_back({y, y + height});
    y += height + kRowGap;
  }
  return rows;
}

// The points lead from the lower edge of the first box to the upper edge of the last one, vertically through the rows
// between.
std::vector<Point> points_of(const std::vector<int32_t>& chain, const Layers& layers, const std::vector<Row>& rows,
                             const Placement& placement) {
  const auto& from = placement.boxes[size_t(chain.front())];
  const auto& to = placement.boxes[size_t(chain.back())];
  std::vector<Point> points{{from.x + from.width / 2, from.y + from.height}};
  for (size_t i = 1; i + 1 < chain.size(); i++) {
    const Layers::Vertex& bend = layers.vertices[size_t(chain[i])];
    const Row& row = rows[size_t(bend.layer)];
    points.push_back({bend.x, row.top});
    points.push_back({bend.x, row.bottom});
  }
  points.push_back({to.x + to.width / 2, to.y});
  return points;
}

}  // namespace

Placement place(const Diagram& diagram, const std::vector<BoxSize>& sizes) {
  Layers layers = make_layers(diagram, sizes);
  order_layers(layers);
  set_columns(layers);
  double left = 0, right = 0;
  for (const Layers::Vertex& v : layers.vertices) {
    const bool first = &v == layers.vertices.data();
    left = first ? v.x - v.width / 2 : std::min(left, v.x - v.width / 2);
    right = first ? v.x + v.width / 2 : std::max(right, v.x + v.width / 2);
  }
  for (Layers::Vertex& v : layers.vertices) v.x += kMargin - left;
  const std::vector<Row> rows = rows_of(layers, sizes);
  Placement result;
  for (size_t i = 0; i < sizes.size(); i++) {
    const Row& row = rows[size_t(layers.vertices[i].layer)];
    const double y = (row.top + row.bottom - sizes[i].height) / 2;
    result.boxes.push_back({layers.vertices[i].x - sizes[i].width / 2, y, sizes[i].width, sizes[i].height});
  }
  for (const auto& chain : layers.chains) result.arrows.push_back(points_of(chain, layers, rows, result));
  result.width = right - left + 2 * kMargin;
  result.height = (rows.empty() ? kMargin : rows.back().bottom) + kMargin;
  return result;
}

}  // namespace cppgen
