#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/values/value.h"

namespace cppgen {

// Inputs of a run in the order of the model: those of `files` (texts NAME=FILE.npy), the others random. A sequence is
// given by one text per element; NAME= without a file is an empty sequence or optional. Sizes of named dimensions come
// from `bound` (--dim) and from the files. UserError for an unknown or repeated name, a file whose type or shape is
// wrong, and a dimension without a size or a sequence without elements (naming it and how to give it), and for random
// inputs that require more than `max_memory` bytes.
std::vector<rt::Value> make_values(const rt::Plan& plan, const std::vector<std::string>& files,
                                   const std::map<std::string, int64_t>& bound, uint64_t seed, int64_t max_memory);
// The names of inputs of integers that `files` does not give.
std::vector<std::string> random_integers(const rt::Plan&, const std::vector<std::string>& files);
// UserError unless the text is NAME=FILE with a readable NumPy file: the checks that do not require the model.
void check_input_file(const std::string& text);
const std::vector<int64_t>* dims_of(const rt::Value&);  // null for values that are neither a tensor nor strings
std::vector<rt::TensorView> views_of(const std::vector<rt::Tensor>&);
// Views of inputs that are all tensors; UserError naming one that is not, and `what` requires it.
std::vector<rt::TensorView> tensor_views(const rt::Plan&, const std::vector<rt::Value>& inputs, std::string_view what);

}  // namespace cppgen
