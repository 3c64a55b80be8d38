#include "cppgen/flow/explain/decision_outcomes.h"

#include <map>

namespace cppgen {

schedule::DecisionLog outcomes(const schedule::DecisionLog& log) {
  const auto subject = [](const schedule::DecisionLog::Entry& entry) {
    return entry.rule == "engine" ? "engine of " + entry.subject.substr(0, entry.subject.rfind(" on ")) : entry.subject;
  };
  std::map<std::string, size_t> last;
  for (size_t i = 0; i < log.entries.size(); i++) last[subject(log.entries[i])] = i;
  schedule::DecisionLog result;
  for (size_t i = 0; i < log.entries.size(); i++)
    if (log.entries[i].decision.fused || last[subject(log.entries[i])] == i) result.entries.push_back(log.entries[i]);
  return result;
}

}  // namespace cppgen
