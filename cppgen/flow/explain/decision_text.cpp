#include "cppgen/flow/explain/decision_text.h"

#include <fmt/format.h>

#include "runtime/base/printable.h"

namespace cppgen {

std::string decision_text(const schedule::DecisionLog& log) {
  std::string text;
  for (const auto& entry : log.entries)
    text += fmt::format("  {:<10} {:<3} {}{}{}\n", entry.rule, entry.decision.fused ? "yes" : "no",
                        shortened_line(entry.subject, 80), entry.decision.reason.empty() ? "" : ": ",
                        entry.decision.reason);
  return text;
}

}  // namespace cppgen
