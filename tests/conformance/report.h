#pragma once
#include <string>
#include <vector>

#include "tests/conformance/cases.h"

namespace cppgen::conformance {

struct Counts {
  int passed = 0, failed = 0, unsupported = 0;
  int total() const { return passed + failed + unsupported; }
  void add(Status);
};

Counts count(const std::vector<Outcome>&);

// One line per operator with the outcomes of all models that use it, then the models that did not pass by cause, then
// the sums.
std::string table(const std::vector<Case>&, const std::vector<Outcome>&);

// {"passed": .., "failed": .., "unsupported": .., "tests": [{name, status, stage, reason, operators}]}
std::string json(const std::vector<Case>&, const std::vector<Outcome>&);

}  // namespace cppgen::conformance
