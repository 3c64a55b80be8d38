#include "tests/conformance/known_failures.h"

#include <fmt/format.h>

#include <set>
#include <sstream>

#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"

namespace cppgen::conformance {

KnownFailures read_known_failures(const std::string& path, const std::string& filter) {
  KnownFailures known;
  std::istringstream text(read_file(path));
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(": ");
    if (colon == std::string::npos || colon + 2 == line.size())
      user_error("{}: '{}' is not \"GROUP/NAME: REASON\"", path, line);
    std::string name = line.substr(0, colon);
    const bool in_all_versions = !name.ends_with('?');
    if (!in_all_versions) name.pop_back();
    if (name.find(filter) != std::string::npos) known[name] = {line.substr(colon + 2), in_all_versions};
  }
  return known;
}

std::vector<std::string> differences(const std::vector<Case>& cases, const std::vector<Outcome>& outcomes,
                                     const KnownFailures& known) {
  std::vector<std::string> lines;
  std::set<std::string> names;
  for (size_t i = 0; i < cases.size(); i++) {
    const std::string& name = *names.insert(cases[i].name).first;
    const bool passed = outcomes[i].status == Status::passed;
    const auto failure = known.find(name);
    if (failure == known.end()) {
      if (!passed) lines.push_back(fmt::format("{} did not pass", name));
    } else if (passed && failure->second.in_all_versions) {
      lines.push_back(fmt::format("{} passed, but is a known failure", name));
    }
  }
  for (const auto& [name, failure] : known)
    if (failure.in_all_versions && !names.contains(name))
      lines.push_back(fmt::format("{} is a known failure, but no model", name));
  return lines;
}

}  // namespace cppgen::conformance
