#include "cppgen/cli/explain/scaling_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/flow/costs/scaling.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

std::string times_text(const Scaling& scaling) {
  std::string text = fmt::format("{:>7} {:>12} {:>9} {:>10}\n", "threads", "predicted ms", "speed-up", "efficiency");
  for (const Scaling::Row& row : scaling.rows)
    text +=
        fmt::format("{:>7} {:>12.4g} {:>9.2f} {:>9.0f}%\n", row.threads, row.ms, row.speed_up, 100 * row.efficiency());
  return text;
}

std::string losses_text(const ExplainOptions& options, const Explanation& explanation) {
  constexpr size_t kMost = 10;
  const Scaling& scaling = *explanation.scaling;
  if (scaling.losses.empty()) return "";
  std::string text = fmt::format("\nlost on {}, in ms beyond a {} of the time on one thread\n",
                                 counted(scaling.most_threads, "thread"), fmt::format("{}th", scaling.most_threads));
  const size_t listed = options.all ? scaling.losses.size() : std::min(kMost, scaling.losses.size());
  double rest = 0;
  for (size_t i = 0; i < scaling.losses.size(); i++) {
    const Scaling::Loss& loss = scaling.losses[i];
    const Explanation::Step& step = explanation.steps[loss.step];
    if (i >= listed)
      rest += loss.ms;
    else
      text += fmt::format("{:>9.4f}  {} {}: {}\n", loss.ms, loss.step, step.name, loss.why);
  }
  if (listed < scaling.losses.size())
    text += fmt::format("{:>9.4f}  {} others (--all)\n", rest, scaling.losses.size() - listed);
  return text;
}

std::string machine_text(const Scaling& scaling) {
  std::string text = "\nmachine (--machine NAME=VALUE changes a number)\n";
  for (const MachineNumber& n : scaling.machine.numbers)
    text += fmt::format("{:>18} {:>12.6g}  {} ({})\n", n.name, n.value, n.text, n.source);
  text += "  each thread has a core of its own, whose clock does not depend on the others; steps take turns\n";
  if (scaling.library_steps > 0)
    text +=
        fmt::format("  {} of the library count as if one thread ran them\n", counted(scaling.library_steps, "step"));
  return text;
}

}  // namespace

std::string scaling_text(const ExplainOptions& options, const Explanation& explanation) {
  return fmt::format("{}: {} for {}\n\n", options.model, counted(int64_t(explanation.steps.size()), "step"),
                     explanation.isa) +
         times_text(*explanation.scaling) + losses_text(options, explanation) + machine_text(*explanation.scaling);
}

}  // namespace cppgen
