#include "runtime/session/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace cppgen::rt {
namespace {

std::vector<size_t> slowest_first(std::span<const StepProfile> profile) {
  std::vector<size_t> order(profile.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return profile[a].ns > profile[b].ns; });
  return order;
}

double total_ns(std::span<const StepProfile> profile) {
  double total = 0;
  for (const StepProfile& step : profile) total += step.ns;
  return total;
}

// Names come from models: control characters must not reach a terminal.
std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
  return text;
}

}  // namespace

std::string profile_text(const Plan& plan, std::span<const StepProfile> profile, std::span<const std::string> labels) {
  const double total = total_ns(profile);
  std::string text = fmt::format("{:>5} {:>10} {:>6} {:>9} {:>7}  {:<8} {}\n", "step", "us", "%", "GFLOP/s", "GB/s",
                                 "engine", "kernel (nodes)");
  for (size_t i : slowest_first(profile)) {
    const StepProfile& p = profile[i];
    const Step& step = plan.steps[i];
    const double us = p.calls ? p.ns / double(p.calls) / 1e3 : 0;
    text += fmt::format("{:>5} {:>10.2f} {:>6.2f} {:>9.1f} {:>7.1f}  {:<8} {}", i, us,
                        total > 0 ? 100 * p.ns / total : 0, p.gflops_per_second(), p.gb_per_second(),
                        printable(step.engine), printable(labels.empty() ? step.name : labels[i]));
    if (!step.origins.empty()) text += " (" + printable(fmt::format("{}", fmt::join(step.origins, ", "))) + ")";
    text += '\n';
  }
  return text;
}

}  // namespace cppgen::rt
