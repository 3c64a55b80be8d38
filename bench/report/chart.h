#pragma once
#include <optional>
#include <string>
#include <vector>

namespace cppgen::bench {

// Pictures of measurements as SVG: horizontal bars of several series side by side, each with its spread.

struct Bar {
  double value = 0, low = 0, high = 0;  // the bar's end and those of the line over it
  std::string note;                     // written after the bar
};

struct BarGroup {
  std::string name;
  std::vector<std::optional<Bar>> bars;  // one per series; none: not measured
};

struct Series {
  std::string name;
  size_t colour = 0;
};

struct Panel {
  std::string title, unit;  // what the axis counts
  double reference = 0;     // a vertical line, such as a limit; 0: none
  std::vector<Series> series;
  std::vector<BarGroup> groups;
  std::vector<std::string> summary;  // lines below the bars
};

// Rows of panels. A text of the same picture every time for the same numbers.
std::string svg_of(const std::string& title, const std::vector<std::vector<Panel>>& rows);

}  // namespace cppgen::bench
