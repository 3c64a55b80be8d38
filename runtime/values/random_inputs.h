#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/values/value.h"

namespace cppgen::rt {

// Inputs for a model, the same for equal arguments on every machine: floats near normal(0, 1) (the sum of twelve
// uniform numbers, so within -6 to 6), integers that index a table uniform over its rows, other integers and bools 0 or
// 1, keys of a map those that the model knows, in its order. `symbols` has the values of named dimensions; UserError
// naming one that is missing or unknown or makes a size negative, or a map with more keys than the model knows, or if
// all inputs require more than `max_bytes`, the setting MAX_MEMORY.
std::vector<Tensor> random_inputs(const Plan& plan, const std::map<std::string, int64_t>& symbols, uint64_t seed,
                                  int64_t max_bytes = std::numeric_limits<int64_t>::max());

// Does the same for models with other kinds of values: strings are the words "word0" to "word9". Inputs whose
// positions are in `given` are left empty. UserError naming an input that cannot be made: a sequence or an optional.
std::vector<Value> random_values(const Plan& plan, const std::map<std::string, int64_t>& symbols, uint64_t seed,
                                 const std::set<size_t>& given = {},
                                 int64_t max_bytes = std::numeric_limits<int64_t>::max());

// Adds the sizes of maps that are missing in `symbols`: such a map has all keys that the model knows.
void add_sizes_of_maps(const Plan& plan, std::map<std::string, int64_t>& symbols);

}  // namespace cppgen::rt
