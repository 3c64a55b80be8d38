#include "cppgen/cli/bench/bench_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cppgen/support/text_writer.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

// Lengths are in pixels.
constexpr double kLeft = 76, kTop = 64, kPlotWidth = 520, kPlotHeight = 320, kBottom = 72, kLegend = 240, kLine = 16;
constexpr double kLetter = 6.3;      // the width of a letter of the labels, about
constexpr size_t kMostLetters = 34;  // of a label
constexpr int kMostTicks = 8;
constexpr const char* kColours[] = {"#1f6fb4", "#e07b28", "#3f9c4a", "#8a5bb5", "#b03a48", "#7a7a7a"};
constexpr const char* kDashes[] = {"", "6 3", "2 3", "8 3 2 3"};

// The text in printable ASCII, with nothing that has a meaning in XML.
std::string escaped(std::string_view words, size_t most_letters = 2 * kMostLetters) {
  std::string out;
  for (const char c : escape_for_comment(words, most_letters))
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

// `words` are escaped.
std::string text(double x, double y, std::string_view words, const char* anchor, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more, words);
}

std::string line(double x1, double y1, double x2, double y2, const char* stroke, const char* more = "") {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"{}/>\n", x1, y1, x2,
                     y2, stroke, more);
}

// 1, 2 or 5 times a power of ten, so that at most kMostTicks of them fit.
double tick_step(double end) {
  const double least = end / kMostTicks, power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10 * power;
}

class Plot {
 public:
  Plot(const BenchOptions& options, const Sweep& sweep)
      : options_(options),
        sweep_(sweep),
        columns_(sweep.settings[0].values.size()),
        lines_(sweep.points.size() / columns_),
        end_(axis_end()) {}

  std::string svg() const {
    const double width = kLeft + kPlotWidth + (lines_ > 1 ? kLegend : 24);
    const double height = std::max(kTop + kPlotHeight + kBottom, kTop + kLine * double(lines_ + 1));
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"#ffffff\"/>\n",
        width, height);
    out += titles() + y_axis() + x_axis();
    for (size_t l = 0; l < lines_; l++) out += series(l);
    return out + best() + legend() + "</svg>\n";
  }

 private:
  const BenchOptions& options_;
  const Sweep& sweep_;
  const size_t columns_, lines_;
  const double end_;

  bool rates() const { return sweep_.clients > 1; }
  // The first setting varies slowest.
  const SweepPoint& point(size_t column, size_t line) const { return sweep_.points[column * lines_ + line]; }
  double value(const SweepPoint& p) const { return rates() ? p.times.runs_per_s() : p.times.median_ms(); }
  double high(const SweepPoint& p) const { return rates() ? value(p) : p.times.percentile_ms(0.9); }
  double low(const SweepPoint& p) const { return rates() ? value(p) : p.times.min_ms(); }

  // Single slow runs leave the picture: its height is for the medians.
  double axis_end() const {
    double end = 0;
    for (const SweepPoint& p : sweep_.points)
      end = std::max(end, std::max(value(p) * 1.1, std::min(high(p), value(p) * 2)));
    return end > 0 ? end * 1.05 : 1;
  }

  double x_at(size_t column) const { return kLeft + kPlotWidth * (double(column) + 0.5) / double(columns_); }
  double y_at(double v) const { return kTop + kPlotHeight * (1 - std::min(v / end_, 1.0)); }

  std::string titles() const {
    const std::string about =
        fmt::format("{} by {}, {}{}", rates() ? "throughput" : "time of a run", sweep_.settings[0].name,
                    counted(sweep_.clients, "client"), sweep_.batch ? fmt::format(", batch {}", *sweep_.batch) : "");
    return text(kLeft, 24, escaped(std::filesystem::path(options_.model).filename().string()), "start",
                " font-size=\"15\"") +
           text(kLeft, 44, about, "start");
  }

  std::string y_axis() const {
    std::string out;
    const double step = tick_step(end_);
    for (int i = 0; step * i <= end_; i++) {
      const double y = y_at(step * i);
      out += line(kLeft, y, kLeft + kPlotWidth, y, i == 0 ? "#444444" : "#dddddd");
      out += text(kLeft - 6, y + 4, fmt::format("{:g}", step * i), "end");
    }
    const double middle = kTop + kPlotHeight / 2;
    const std::string turned = fmt::format(" transform=\"rotate(-90 18 {:.1f})\"", middle);
    out += line(kLeft, kTop, kLeft, kTop + kPlotHeight, "#444444");
    return out + text(18, middle, rates() ? "runs per second" : "median of a run in ms (bar: fastest run to p90)",
                      "middle", turned.c_str());
  }

  // Labels that do not fit side by side are turned.
  std::string x_axis() const {
    std::string out;
    size_t longest = 0;
    for (const std::string& v : sweep_.settings[0].values) longest = std::max(longest, v.size());
    const bool turn = kLetter * double(longest + 1) > kPlotWidth / double(columns_);
    const double y = kTop + kPlotHeight + 16;
    for (size_t c = 0; c < columns_; c++) {
      const std::string words = escaped(sweep_.settings[0].values[c], turn ? 12 : kMostLetters);
      const std::string turned = fmt::format(" transform=\"rotate(-35 {:.1f} {:.1f})\"", x_at(c), y);
      out += line(x_at(c), y - 16, x_at(c), y - 11, "#444444");
      out += turn ? text(x_at(c), y, words, "end", turned.c_str()) : text(x_at(c), y, words, "middle");
    }
    return out + text(kLeft + kPlotWidth / 2, kTop + kPlotHeight + kBottom - 12, sweep_.settings[0].name, "middle");
  }

  static const char* colour(size_t l) { return kColours[l % std::size(kColours)]; }
  static std::string dash(size_t l) {
    const char* dash = kDashes[l / std::size(kColours) % std::size(kDashes)];
    return *dash ? fmt::format(" stroke-dasharray=\"{}\"", dash) : "";
  }

  std::string series(size_t l) const {
    std::string points, marks;
    for (size_t c = 0; c < columns_; c++) {
      const SweepPoint& p = point(c, l);
      // Bars of several lines stand side by side.
      const double x = x_at(c), bar = x + 3 * (double(l) - double(lines_ - 1) / 2), y = y_at(value(p));
      points += fmt::format("{}{:.1f},{:.1f}", c ? " " : "", x, y);
      if (!rates()) marks += line(bar, y_at(low(p)), bar, y_at(high(p)), colour(l), " stroke-opacity=\"0.55\"");
      marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>{}</title></circle>\n", x, y,
                           colour(l), escaped(values_text(sweep_, p)) + fmt::format(": {:.4g}", value(p)));
    }
    return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{}/>\n", points,
                       colour(l), dash(l)) +
           marks;
  }

  std::string best() const {
    const double x = x_at(sweep_.best / lines_), y = y_at(value(sweep_.points[sweep_.best]));
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"7\" fill=\"none\" stroke=\"#c00000\"/>\n", x, y) +
           text(x + 10, y - 8, fmt::format("best {:.4g}", value(sweep_.points[sweep_.best])), "start",
                " fill=\"#c00000\"");
  }

  std::string legend() const {
    if (lines_ == 1) return "";
    std::string out;
    const double x = kLeft + kPlotWidth + 16;
    for (size_t l = 0; l < lines_; l++) {
      const double y = kTop + kLine * double(l);
      out += line(x, y, x + 18, y, colour(l), (" stroke-width=\"2\"" + dash(l)).c_str());
      std::string words;
      for (size_t i = 1; i < sweep_.settings.size(); i++)
        words += fmt::format("{}{}={}", i > 1 ? " " : "", sweep_.settings[i].name, point(0, l).values[i]);
      out += text(x + 24, y + 4, escaped(words, kMostLetters), "start");
    }
    return out;
  }
};

}  // namespace

std::string sweep_svg(const BenchOptions& options, const Sweep& sweep) { return Plot(options, sweep).svg(); }

}  // namespace cppgen
