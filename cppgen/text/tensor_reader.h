#pragma once
#include <optional>
#include <vector>

#include "cppgen/ir/index/index_expr.h"
#include "cppgen/ir/program/constant_data.h"
#include "cppgen/text/reader.h"
#include "runtime/base/dtype.h"

namespace cppgen::text {

// float32, string ...; nullopt if no name of a type is next.
std::optional<DType> accept_element_type(Reader&);

// `[2, 3]`: at most kMostDimensions numbers of 0 or more, whose elements' bytes fit an int64.
inline constexpr size_t kMostDimensions = 64;
std::vector<int64_t> read_dims(Reader&, DType);

// The elements of a tensor, as ir::data_text prints them.
ir::ConstantData read_data(Reader&, DType, const std::vector<int64_t>& dims);

// The dimensions of a constant whose shape is at `place`: numbers, whose elements' bytes fit an int64.
std::vector<int64_t> constant_dims(const Reader&, DType, const std::vector<ir::IndexExpr>& shape, Place);

// The bits of one element.
uint64_t read_element(Reader&, DType);

float read_float(Reader&);
double read_double(Reader&);

}  // namespace cppgen::text
