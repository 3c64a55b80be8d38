#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cppgen/graph/graph.h"
#include "tests/differential/row.h"

namespace cppgen::differential {

struct Range {
  double lo, hi;
};

// A sample node as a graph, not yet inferred.
struct Sample {
  const Row* row = nullptr;
  std::string text;           // of the case
  std::optional<DType> type;  // of T; none if the case has no T
  Graph graph;
  std::map<std::string, Range> ranges;  // by input name
  std::set<std::string> factors;        // inputs whose special elements are special factors
};

std::vector<std::string> case_texts(const Row&);
bool has_type_variable(const std::string& case_text);
// InternalError if the text does not parse; the same constants for the same text.
Sample parse(const Row&, const std::string& case_text, DType type);

// "" if the compiler takes the sample: supported, inferred, lowered; else its message, behind kOurFault if it is no
// UserError. Types are inferred.
inline constexpr std::string_view kOurFault = "internal error: ";
std::string refusal(Sample&);

// Every sample that the compiler takes, in the order of the rows. Cases are left out for the types that it refuses.
std::vector<Sample> all_samples();

}  // namespace cppgen::differential
