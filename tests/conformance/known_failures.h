#pragma once
#include <map>
#include <string>
#include <vector>

#include "tests/conformance/cases.h"

namespace cppgen::conformance {

// States why a model is expected not to pass.
struct KnownFailure {
  std::string reason;
  bool in_all_versions;  // of the test data: otherwise some versions lack the model, or it passes with theirs
};
using KnownFailures = std::map<std::string, KnownFailure>;  // by the model's name

// Lines "GROUP/NAME: REASON" whose names contain `filter`, with "GROUP/NAME?" if that depends on the version of the
// data; empty lines and those that begin with # say nothing. UserError for any other line, and where a reason is
// missing.
KnownFailures read_known_failures(const std::string& path, const std::string& filter = "");

// One line for each model that did not pass and is not known, and for each one known in all versions that passed or
// that the data do not have. Empty if everything came as expected.
std::vector<std::string> differences(const std::vector<Case>&, const std::vector<Outcome>&, const KnownFailures&);

}  // namespace cppgen::conformance
