#include "tests/conformance/known_failures.h"

#include <fmt/format.h>

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
    const std::string name = line.substr(0, colon);
    if (name.find(filter) != std::string::npos) known[name] = line.substr(colon + 2);
  }
  return known;
}

std::vector<std::string> differences(const std::vector<Case>& cases, const std::vector<Outcome>& outcomes,
                                     const KnownFailures& known) {
  std::vector<std::string> lines;
  KnownFailures missing = known;
  for (size_t i = 0; i < cases.size(); i++) {
    const bool passed = outcomes[i].status == Status::passed, expected = missing.erase(cases[i].name) == 0;
    if (passed && !expected) lines.push_back(fmt::format("{} passed, but is a known failure", cases[i].name));
    if (!passed && expected) lines.push_back(fmt::format("{} did not pass", cases[i].name));
  }
  for (const auto& [name, reason] : missing) lines.push_back(fmt::format("{} is a known failure, but no model", name));
  return lines;
}

}  // namespace cppgen::conformance
