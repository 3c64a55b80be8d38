#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cppgen/ir/interpreter/interpreter.h"
#include "tests/differential/case_text.h"

namespace cppgen::differential {

using Dims = std::vector<int64_t>;

// A sample whose inputs have dimensions that only a run knows. `symbols` names them, by input of the graph and
// dimension; "" for those that keep the sample's size.
struct FreeSizes {
  std::vector<std::vector<std::string>> symbols;
  bool operator==(const FreeSizes&) const = default;
};

// The sizes of the sample's inputs; N is 5.
std::vector<Dims> sizes_of(const Sample&);

// All dimensions with a symbol each, and with one for each size, which the equal ones share; the same for one of these
// symbols only.
std::vector<FreeSizes> free_sizes(const std::vector<Dims>&);

// The sizes of a run: every symbol in turn is 0, 1 and 2, the others are as in the sample.
std::vector<std::vector<Dims>> runs_of(const FreeSizes&, const std::vector<Dims>&);

// The sample's graph with these dimensions of its inputs, before the passes.
Graph graph_with(const Sample&, const FreeSizes&);
Graph graph_with(const Sample&, const std::vector<Dims>&);

// The elements of a run's inputs.
std::vector<ir::HostTensor> inputs_with(const Sample&, const std::vector<Dims>&);

}  // namespace cppgen::differential
