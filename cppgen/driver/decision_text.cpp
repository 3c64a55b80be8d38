#include "cppgen/driver/decision_text.h"

#include <fmt/format.h>

#include "cppgen/driver/command_support.h"

namespace cppgen {

std::string decision_text(const schedule::DecisionLog& log) {
  std::string text;
  for (const auto& entry : log.entries)
    text += fmt::format("  {:<10} {:<3} {}{}{}\n", entry.rule, entry.decision.fused ? "yes" : "no",
                        printable(entry.subject), entry.decision.reason.empty() ? "" : ": ", entry.decision.reason);
  return text;
}

}  // namespace cppgen
