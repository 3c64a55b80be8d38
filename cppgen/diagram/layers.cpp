#include "cppgen/diagram/layers.h"

#include <algorithm>
#include <limits>

namespace cppgen {
namespace {

// Longer arrows have no bends and are drawn across what lies between: an arrow for each of a hundred readers of one
// tensor would need thousands.
constexpr int32_t kMostBends = 24;
constexpr double kBendWidth = 12;
constexpr int kLayerSweeps = 8;

// One more than the greatest layer before it; a box that nothing leads to is directly above the first that it leads to.
std::vector<int32_t> layer_of_boxes(const Diagram& diagram) {
  const size_t count = diagram.boxes.size();
  std::vector<std::vector<int32_t>> after(count);
  std::vector<bool> is_first(count, true);
  for (const auto& [from, to] : diagram.arrows) after[size_t(from)].push_back(to), is_first[size_t(to)] = false;
  std::vector<int32_t> layer(count, 0);
  for (size_t i = 0; i < count; i++)
    for (const int32_t to : after[i]) layer[size_t(to)] = std::max(layer[size_t(to)], layer[i] + 1);
  for (size_t i = 0; i < count; i++) {
    if (!is_first[i] || after[i].empty()) continue;
    int32_t least = std::numeric_limits<int32_t>::max();
    for (const int32_t to : after[i]) least = std::min(least, layer[size_t(to)]);
    layer[i] = least - 1;
  }
  return layer;
}

int32_t add_vertex(Layers& it, const Layers::Vertex& vertex) {
  const auto id = int32_t(it.vertices.size());
  it.vertices.push_back(vertex);
  if (it.layers.size() <= size_t(vertex.layer)) it.layers.resize(size_t(vertex.layer) + 1);
  it.layers[size_t(vertex.layer)].push_back(id);
  return id;
}

void add_arrow(Layers& it, const Diagram::Arrow& arrow) {
  const int32_t first = it.vertices[size_t(arrow.from)].layer, last = it.vertices[size_t(arrow.to)].layer;
  std::vector<int32_t> chain{arrow.from};
  if (last - first - 1 <= kMostBends)
    for (int32_t layer = first + 1; layer < last; layer++)
      chain.push_back(add_vertex(it, {true, layer, kBendWidth, {}, {}}));
  chain.push_back(arrow.to);
  if (int32_t(chain.size()) == last - first + 1)
    for (size_t i = 0; i + 1 < chain.size(); i++) {
      it.vertices[size_t(chain[i])].below.push_back(chain[i + 1]);
      it.vertices[size_t(chain[i + 1])].above.push_back(chain[i]);
    }
  it.chains.push_back(std::move(chain));
}

}  // namespace

Layers make_layers(const Diagram& diagram, const std::vector<BoxSize>& sizes) {
  Layers result;
  const std::vector<int32_t> layer = layer_of_boxes(diagram);
  for (size_t i = 0; i < diagram.boxes.size(); i++) add_vertex(result, {false, layer[i], sizes[i].width, {}, {}});
  for (const Diagram::Arrow& arrow : diagram.arrows) add_arrow(result, arrow);
  return result;
}

void order_layers(Layers& it) {
  std::vector<double> position(it.vertices.size());
  const auto number = [&](const std::vector<int32_t>& layer) {
    for (size_t i = 0; i < layer.size(); i++) position[size_t(layer[i])] = double(i);
  };
  for (const auto& layer : it.layers) number(layer);
  std::vector<double> wanted(it.vertices.size());
  const auto sort = [&](std::vector<int32_t>& layer, bool downwards) {
    for (const int32_t v : layer) {
      const auto& neighbours = downwards ? it.vertices[size_t(v)].above : it.vertices[size_t(v)].below;
      double sum = 0;
      for (const int32_t n : neighbours) sum += position[size_t(n)];
      wanted[size_t(v)] = neighbours.empty() ? position[size_t(v)] : sum / double(neighbours.size());
    }
    std::stable_sort(layer.begin(), layer.end(),
                     [&](int32_t a, int32_t b) { return wanted[size_t(a)] < wanted[size_t(b)]; });
    number(layer);
  };
  for (int sweep = 0; sweep < kLayerSweeps; sweep++) {
    const bool downwards = sweep % 2 == 0;
    for (size_t i = 0; i < it.layers.size(); i++) sort(it.layers[downwards ? i : it.layers.size() - 1 - i], downwards);
  }
}

}  // namespace cppgen
