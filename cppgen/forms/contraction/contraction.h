#pragma once
#include <string_view>

#include "cppgen/forms/form.h"

namespace cppgen::forms {

// Returns whether it is a contraction whose engine names this form.
bool is_contraction(const KernelView&, std::string_view form);

// Returns whether so many panels of a contraction stay in the second-level cache while rows pass over them.
bool panels_stay_in_cache(const KernelView&, IndexExpr panels);

// The bytes that a contraction moves if it reads so many elements of its panels.
IndexExpr bytes_of_contraction(const KernelView&, IndexExpr panel_elements);

}  // namespace cppgen::forms
