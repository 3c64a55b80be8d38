#include "cppgen/schedule/choices.h"

#include <fmt/format.h>

#include <vector>

#include "cppgen/schedule/tuning.h"

namespace cppgen::schedule {

bool changes_bits(const Choice& choice) {
  if (!choice.backend.empty()) return true;
  for (const TuningRow& row : tuning_rows())
    if (row.changes_bits && choice.tuning.find(std::string(row.name) + "=") != choice.tuning.npos) return true;
  return false;
}

std::string to_string(const Choice& choice) {
  std::vector<std::string> parts;
  if (!choice.backend.empty()) parts.push_back(choice.backend);
  if (choice.separate_epilogue) parts.push_back("separate epilogue");
  if (!choice.tuning.empty()) parts.push_back(choice.tuning);
  return fmt::format("{}", fmt::join(parts, ", "));
}

const Choice& choice_for(const Choices* choices, const std::string& site) {
  static const Choice kNone;
  if (!choices) return kNone;
  const auto found = choices->find(site);
  return found == choices->end() ? kNone : found->second;
}

}  // namespace cppgen::schedule
