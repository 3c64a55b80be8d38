#include "cppgen/flow/explain/loop_text.h"

#include <fmt/format.h>

namespace cppgen {
namespace {

std::string list(const std::vector<ir::Loop>& loops, const char* prefix = "") {
  std::string text;
  for (const auto& l : loops)
    text += fmt::format("{}{}{} < {}", text.empty() ? "" : ", ", prefix, ir::to_string(l.var), ir::to_string(l.extent));
  return text;
}

std::string contraction_text(const schedule::TileContraction& c) {
  std::string text = "rows " + list(c.rows);
  if (!c.batch.empty()) text = "batch " + list(c.batch) + "; " + text;
  text += "; columns " + list({c.columns}) + "; ";
  if (!c.taps.empty()) text += "taps " + list(c.taps) + "; ";
  return text + "K " + list({c.k});
}

std::string attention_text(const schedule::Attention& a) {
  std::string text = "queries " + list({a.rows});
  if (!a.batch.empty()) text = "batch " + list(a.batch) + "; " + text;
  return text + "; keys " + list({a.keys}) + "; head size " + list({a.head_size}) + "; columns " + list({a.columns});
}

}  // namespace

std::string loop_text(const schedule::FusedKernel& kernel) {
  if (kernel.contraction) return contraction_text(*kernel.contraction);
  if (kernel.attention) return attention_text(*kernel.attention);
  std::string text = list(kernel.outer);
  if (kernel.vector_outer && !kernel.outer.empty()) text += " (vectorised)";
  for (const auto& s : kernel.segments) {
    if (s.loops.empty() && s.reduced.empty()) continue;
    text += text.empty() ? "" : "; ";
    if (!s.loops.empty()) text += list(s.loops);
    if (!s.reduced.empty()) text += (s.loops.empty() ? "reduce " : ", reduce ") + list(s.reduced);
  }
  return text.empty() ? "one point" : text;
}

}  // namespace cppgen
