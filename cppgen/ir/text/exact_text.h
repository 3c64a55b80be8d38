#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "cppgen/ir/index/index_expr.h"
#include "cppgen/ir/program/constant_data.h"
#include "runtime/base/dtype.h"

namespace cppgen::ir {

// Parts of the texts that cppgen/text reads back (docs/ir.md). They are complete, and the same in every arena.

// Writes what to_string does, but names that are not plain are quoted, and operands are in alphabetical order.
std::string exact_text(IndexExpr);

// A letter or '_', then letters, digits and '_'.
bool is_plain_name(std::string_view);
std::string exact_name(std::string_view);  // quoted unless it is plain

// Numbers as other readers write them, with a point or an exponent; the least digits that give the same number.
std::string exact_number(float);
std::string exact_number(double);

// The bits of an element of a floating type that is rounded from this number.
uint64_t float_bits(DType, double);

// Element `index`: a number, true or false, or bits(0x7fa00001) for bits that no number stands for.
std::string element_text(DType, const void* data, int64_t index);

// The elements of a tensor: [1.0, 2.0], splat 1.0 (all are the same), or dense "0000803f" (bytes in hexadecimal). Data
// of more than `most_bytes` are only `elided`.
std::string data_text(DType, const ConstantData&, int64_t elements, size_t most_bytes);

}  // namespace cppgen::ir
