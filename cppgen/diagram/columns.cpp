#include <algorithm>

#include "cppgen/diagram/layers.h"

namespace cppgen {
namespace {

constexpr double kGap = 24;
constexpr double kBendWeight = 4;  // arrows over several layers become straight rather than boxes centred
constexpr int kColumnSweeps = 12;

// The mean of the neighbours on one side, or on both if there are none on that side.
double wanted(const Layers& it, const Layers::Vertex& vertex, bool downwards) {
  const auto& side = downwards ? vertex.above : vertex.below;
  const auto& neighbours = !side.empty() ? side : downwards ? vertex.below : vertex.above;
  if (neighbours.empty()) return vertex.x;
  double sum = 0;
  for (const int32_t n : neighbours) sum += it.vertices[size_t(n)].x;
  return sum / double(neighbours.size());
}

// The least squares solution: with the distances subtracted, positions must not decrease, so vertices that would
// overlap form blocks at their common mean (pool adjacent violators).
void place_layer(Layers& it, const std::vector<int32_t>& layer, bool downwards) {
  struct Block {
    double sum, weight;
    size_t count;
    double mean() const { return sum / weight; }
  };
  std::vector<Block> blocks;
  std::vector<double> offset;
  for (const int32_t v : layer) {
    const Layers::Vertex& vertex = it.vertices[size_t(v)];
    const double before = offset.empty() ? 0 : it.vertices[size_t(layer[offset.size() - 1])].width;
    offset.push_back(offset.empty() ? 0 : offset.back() + (before + vertex.width) / 2 + kGap);
    const double weight = vertex.bend ? kBendWeight : 1;
    blocks.push_back({weight * (wanted(it, vertex, downwards) - offset.back()), weight, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum, blocks.back().weight += last.weight, blocks.back().count += last.count;
    }
  }
  size_t next = 0;
  for (const Block& block : blocks)
    for (size_t i = 0; i < block.count; i++, next++) it.vertices[size_t(layer[next])].x = block.mean() + offset[next];
}

}  // namespace

void set_columns(Layers& it) {
  for (int sweep = 0; sweep < kColumnSweeps; sweep++) {
    const bool downwards = sweep % 2 == 0;
    for (size_t i = 0; i < it.layers.size(); i++)
      place_layer(it, it.layers[downwards ? i : it.layers.size() - 1 - i], downwards);
  }
}

}  // namespace cppgen
