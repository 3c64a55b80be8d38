#include "bench/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cppgen::bench {
namespace {

// Measures in pixels.
constexpr double kLabel = 150, kPlot = 330, kNote = 130, kPanel = kLabel + kPlot + kNote;
constexpr double kBar = 9, kGroupGap = 8, kTitle = 24, kLegend = 20, kAxis = 22, kSummary = 15, kMargin = 16;
constexpr int kMostTicks = 6;
constexpr const char* kColours[] = {"#1f6fb4", "#e07b28", "#3f9c4a", "#8a5bb5", "#b03a48", "#7a7a7a"};

const char* colour(const Series& series) { return kColours[series.colour % std::size(kColours)]; }

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

std::string text(double x, double y, const std::string& words, const char* anchor = "start", int size = 11) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x, y, anchor,
                     size, escaped(words));
}

std::string line(double x1, double y1, double x2, double y2, const char* stroke, const char* more = "") {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"{}/>\n", x1, y1, x2,
                     y2, stroke, more);
}

double group_height(const Panel& p) { return kBar * double(p.series.size()) + kGroupGap; }

double height_of(const Panel& p) {
  return kTitle + kLegend + group_height(p) * double(p.groups.size()) + kAxis + kSummary * double(p.summary.size()) +
         kMargin;
}

// The axis includes every bar and the reference; single spikes of the spread are cut.
double axis_end(const Panel& p) {
  double end = p.reference;
  for (const BarGroup& g : p.groups)
    for (const auto& b : g.bars)
      if (b) end = std::max(end, b->value * 1.05);
  return end > 0 ? end * 1.05 : 1;
}

// A step of 1, 2 or 5 times a power of ten.
double tick_step(double end) {
  const double least = end / kMostTicks, power = std::pow(10, std::floor(std::log10(least)));
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10 * power;
}

class PanelPainter {
 public:
  PanelPainter(const Panel& panel, double x, double y)
      : panel_(panel), x_(x), y_(y), left_(x + kLabel), scale_(kPlot / axis_end(panel)) {}

  std::string paint() {
    std::string out = text(x_, y_ + 14, panel_.title, "start", 13) + legend();
    const double top = y_ + kTitle + kLegend, bottom = top + group_height(panel_) * double(panel_.groups.size());
    out += axis(top, bottom);
    for (size_t g = 0; g < panel_.groups.size(); g++)
      out += group(panel_.groups[g], top + group_height(panel_) * double(g));
    if (panel_.reference > 0)
      out += line(at(panel_.reference), top, at(panel_.reference), bottom, "#c00000", " stroke-dasharray=\"4 3\"");
    for (size_t i = 0; i < panel_.summary.size(); i++)
      out += text(left_, bottom + kAxis + 12 + kSummary * double(i), panel_.summary[i]);
    return out;
  }

 private:
  const Panel& panel_;
  double x_, y_, left_, scale_;

  double at(double value) const { return left_ + std::min(value * scale_, kPlot); }

  std::string legend() const {
    std::string out;
    double x = x_;
    for (size_t s = 0; s < panel_.series.size(); s++) {
      out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n", x, y_ + 22,
                         colour(panel_.series[s]));
      out += text(x + 14, y_ + 31, panel_.series[s].name);
      x += 26 + 6.5 * double(panel_.series[s].name.size());
    }
    return out;
  }

  std::string axis(double top, double bottom) const {
    std::string out;
    const double end = axis_end(panel_), step = tick_step(end);
    for (double v = 0; v <= end; v += step) {
      out += line(at(v), top, at(v), bottom, "#dddddd");
      out += text(at(v), bottom + 13, fmt::format("{:g}", v), "middle", 10);
    }
    return out + text(left_ + kPlot + 8, bottom + 13, panel_.unit, "start", 10);
  }

  std::string group(const BarGroup& g, double y) const {
    std::string out = text(left_ - 6, y + kBar * double(panel_.series.size()) / 2 + 6, g.name, "end");
    for (size_t s = 0; s < g.bars.size(); s++)
      if (g.bars[s]) out += bar(*g.bars[s], colour(panel_.series[s]), y + 3 + kBar * double(s));
    return out;
  }

  std::string bar(const Bar& b, const char* fill, double y) const {
    const double middle = y + (kBar - 1) / 2;
    std::string out = fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                                  left_, y, at(b.value) - left_, kBar - 1, fill);
    out += line(at(b.low), middle, at(b.high), middle, "#000000");
    for (double v : {b.low, b.high}) out += line(at(v), middle - 2, at(v), middle + 2, "#000000");
    return out + text(std::max(at(b.high), at(b.value)) + 4, y + kBar - 1, b.note, "start", 9);
  }
};

}  // namespace

std::string svg_of(const std::string& title, const std::vector<std::vector<Panel>>& rows) {
  std::string body;
  double y = kMargin + 24, width = kPanel;
  for (const auto& row : rows) {
    double height = 0, x = kMargin;
    for (const Panel& panel : row) {
      body += PanelPainter(panel, x, y).paint();
      x += kPanel + kMargin;
      height = std::max(height, height_of(panel));
    }
    y += height, width = std::max(width, x);
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
             "{1:.0f}\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
             width, y) +
         text(kMargin, kMargin + 12, title, "start", 15) + body + "</svg>\n";
}

}  // namespace cppgen::bench
