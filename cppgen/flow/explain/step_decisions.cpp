#include "cppgen/flow/explain/step_decisions.h"

#include <map>
#include <set>
#include <string_view>

namespace cppgen {
namespace {

using StepsOfName = std::map<std::string_view, std::set<size_t>>;

void add_steps_of(std::string_view name, const StepsOfName& names, std::set<size_t>& steps) {
  if (const auto found = names.find(name); found != names.end())
    steps.insert(found->second.begin(), found->second.end());
}

// A subject names nodes in parentheses, "matmul (q) -> softmax (s)", or begins with the name of a kernel. Names may
// have parentheses themselves, so the text between any two is tried.
std::set<size_t> steps_of_subject(std::string_view subject, const StepsOfName& names) {
  constexpr size_t kMostTries = 256;
  std::set<size_t> steps;
  add_steps_of(subject.substr(0, subject.find(' ')), names, steps);
  size_t tried = 0;
  for (size_t open = subject.find('('); open != subject.npos; open = subject.find('(', open + 1))
    for (size_t close = subject.find(')', open); close != subject.npos && tried < kMostTries;
         close = subject.find(')', close + 1), tried++)
      add_steps_of(subject.substr(open + 1, close - open - 1), names, steps);
  return steps;
}

}  // namespace

std::vector<std::vector<size_t>> decisions_of_steps(const Explanation& explanation) {
  StepsOfName names;
  for (size_t i = 0; i < explanation.steps.size(); i++) {
    names[explanation.steps[i].name].insert(i);
    for (const std::string& origin : explanation.steps[i].origins) names[origin].insert(i);
  }
  std::vector<std::vector<size_t>> result(explanation.steps.size());
  const auto& entries = explanation.decisions.entries;
  for (size_t d = 0; d < entries.size(); d++)
    for (const size_t step : steps_of_subject(entries[d].subject, names)) result[step].push_back(d);
  return result;
}

}  // namespace cppgen
