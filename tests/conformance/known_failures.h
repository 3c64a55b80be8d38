#pragma once
#include <map>
#include <string>
#include <vector>

#include "tests/conformance/cases.h"

namespace cppgen::conformance {

// Name of a model that is expected not to pass, and why.
using KnownFailures = std::map<std::string, std::string>;

// Lines "GROUP/NAME: REASON" whose names contain `filter`; empty lines and those that begin with # say nothing.
// UserError for any other line, and where a reason is missing.
KnownFailures read_known_failures(const std::string& path, const std::string& filter = "");

// One line for each model that did not pass and is not known, each known one that passed, and each known one that the
// data do not have. Empty if everything came as expected.
std::vector<std::string> differences(const std::vector<Case>&, const std::vector<Outcome>&, const KnownFailures&);

}  // namespace cppgen::conformance
