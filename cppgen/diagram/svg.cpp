#include <fmt/format.h>

#include <algorithm>

#include "cppgen/diagram/display_text.h"
#include "cppgen/diagram/placement.h"

namespace cppgen {
namespace {

constexpr size_t kMostColumns = 200;
constexpr double kPadding = 8, kTitleHeight = 17, kLineHeight = 14;
constexpr double kTitleColumn = 7.3, kColumn = 6.7;  // a bit more than the widths of 12 and 11 pixels

constexpr const char* kStyle =
    ".diagram{font:11px monospace}.diagram .title{font-size:12px;font-weight:bold}"
    ".diagram .box rect{fill:#e8eef7;stroke:#4a6a96}.diagram .operator rect{fill:#eef3e6;stroke:#6b8a3a}"
    ".diagram .input rect,.diagram .output rect{fill:#f5efe0;stroke:#9a7b2f}"
    ".diagram .host rect{fill:#f0f0f0;stroke:#777}.diagram .onednn rect,.diagram .xsmm rect,"
    ".diagram .cppgen rect{fill:#f7e6e6;stroke:#a04a4a}.diagram .arrow{fill:none;stroke:#888}"
    ".diagram .far{stroke-dasharray:4 4;stroke-opacity:.5}";

BoxSize size_of(const Diagram::Box& box) {
  double width = kTitleColumn * double(columns_of(box.title));
  for (const std::string& line : box.lines) width = std::max(width, kColumn * double(columns_of(line)));
  return {width + 2 * kPadding, kTitleHeight + kLineHeight * double(box.lines.size()) + kPadding};
}

void shorten(Diagram& diagram) {
  for (Diagram::Box& box : diagram.boxes) {
    box.title = shortened(box.title, kMostColumns);
    for (std::string& line : box.lines) line = shortened(line, kMostColumns);
  }
}

// Smooth, vertical at each point, with a head.
std::string path_of(const std::vector<Point>& points) {
  std::string path = fmt::format("M{:.1f} {:.1f}", points[0].x, points[0].y);
  for (size_t i = 1; i < points.size(); i++) {
    const Point &a = points[i - 1], &b = points[i];
    const double middle = (a.y + b.y) / 2;
    path += a.x == b.x ? fmt::format("V{:.1f}", b.y)
                       : fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", a.x, middle, b.x, middle, b.x, b.y);
  }
  return path + "m-4 -8l4 8l4 -8";
}

std::string box_svg(const Diagram::Box& box, size_t position, const Placement::Rectangle& at) {
  std::string svg = fmt::format(
      "<g class=\"box {}\" data-box=\"{}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "rx=\"4\"/>",
      xml_text(box.kind), position, at.x, at.y, at.width, at.height);
  double y = at.y + kTitleHeight - 3;
  svg +=
      fmt::format("<text class=\"title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", at.x + kPadding, y, xml_text(box.title));
  for (const std::string& line : box.lines)
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", at.x + kPadding, y += kLineHeight, xml_text(line));
  return svg + "</g>\n";
}

}  // namespace

std::string to_svg(const Diagram& given) {
  Diagram diagram = given;
  shorten(diagram);
  std::vector<BoxSize> sizes;
  for (const Diagram::Box& box : diagram.boxes) sizes.push_back(size_of(box));
  const Placement placement = place(diagram, sizes);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"diagram\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\">\n<style>{2}</style>\n",
      placement.width, placement.height, kStyle);
  for (const auto& points : placement.arrows) {
    constexpr double kFar = 1500;
    const bool far = points.size() == 2 && points[1].y - points[0].y > kFar;
    svg += fmt::format("<path class=\"arrow{}\" d=\"{}\"/>\n", far ? " far" : "", path_of(points));
  }
  for (size_t i = 0; i < diagram.boxes.size(); i++) svg += box_svg(diagram.boxes[i], i, placement.boxes[i]);
  return svg + "</svg>\n";
}

}  // namespace cppgen
