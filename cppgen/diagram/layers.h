#pragma once
#include <vector>

#include "cppgen/diagram/placement.h"

namespace cppgen {

// A diagram in layers. An arrow that passes layers has a bend in each of them, which keeps a place among the boxes.
struct Layers {
  struct Vertex {
    bool bend;
    int32_t layer;
    double width;
    std::vector<int32_t> above, below;  // neighbours in the layers next to it
    double x = 0;                       // its middle
  };
  std::vector<Vertex> vertices;              // the boxes, then the bends
  std::vector<std::vector<int32_t>> layers;  // each from left to right
  std::vector<std::vector<int32_t>> chains;  // by arrow: the vertices that it passes
};

Layers make_layers(const Diagram&, const std::vector<BoxSize>&);
// Orders each layer so that few arrows cross: each vertex is put near the mean of its neighbours.
void order_layers(Layers&);
// Sets each x, near those of the neighbours, so that vertices of a layer keep their order and a distance.
void set_columns(Layers&);

}  // namespace cppgen
