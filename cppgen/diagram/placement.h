#pragma once
#include <vector>

#include "cppgen/diagram/diagram.h"

namespace cppgen {

struct Point {
  double x, y;
};

// States where the parts of a diagram are drawn, in pixels.
struct Placement {
  struct Rectangle {
    double x, y, width, height;  // x, y: the upper left corner
  };
  std::vector<Rectangle> boxes;
  std::vector<std::vector<Point>> arrows;  // the points that each passes, from the box above to the box below
  double width = 0, height = 0;
};

struct BoxSize {
  double width, height;
};

// Places boxes of these sizes in layers, so that all arrows lead downwards: "Methods for Visual Understanding of
// Hierarchical System Structures" (Sugiyama, Tagawa and Toda, 1981). Boxes do not overlap. Takes time that is nearly
// proportional to the number of boxes and arrows.
Placement place(const Diagram&, const std::vector<BoxSize>&);

}  // namespace cppgen
