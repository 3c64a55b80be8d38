#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cppgen {

// A graph that is drawn: boxes with lines of text, and arrows between them. Texts may have any bytes; where they are
// written, they are escaped.
struct Diagram {
  struct Box {
    std::string kind;  // gives the box its colour: "input", "output", "operator", or the name of an engine
    std::string title;
    std::vector<std::string> lines;  // below the title
  };
  struct Arrow {
    int32_t from, to;  // positions in `boxes`
    bool operator==(const Arrow&) const = default;
  };
  std::vector<Box> boxes;
  std::vector<Arrow> arrows;  // each from a box to a later one, so that there are no cycles
};

// A picture of its own, in SVG. Boxes are groups <g class="box KIND" data-box="POSITION"> and arrows <path
// class="arrow">; a line of text that is too long for any picture is shortened.
std::string to_svg(const Diagram&);

}  // namespace cppgen
