#pragma once
#include <optional>
#include <vector>

#include "runtime/contraction/onednn_versions.h"

namespace cppgen::baseline {

namespace onednn = rt::onednn;
using onednn::Desc;
using onednn::dims_of;
using onednn::is_plain;
using onednn::primitive_desc;
using onednn::strides_of;  // of a plain one
using Dims = dnnl::memory::dims;

// The memory layout of float32 tensors. A scalar has the dimensions {1}. A plain layout is one that strides describe;
// offsets are kept apart from descriptors (Operand).

int64_t element_count(const Dims&);
Desc row_major(const Dims&);
Desc channels_last(const Dims&);                                  // row-major below three dimensions
Desc dense_in_order(const Dims&, const std::vector<int>& order);  // order[0] is the outermost axis
Desc with_strides(const Dims&, const Dims& strides);

bool is_row_major(const Desc&);
bool is_dense(const Desc&);  // plain, without gaps, in whatever order
// Returns whether elements are at the same positions: strides of axes of extent 1 are ignored.
bool same_layout(const Desc&, const Desc&);
std::vector<int> order_of(const Desc&);  // of a plain one: axes from the outermost to the innermost

// The view of a plain tensor with other dimensions, if strides can describe it.
std::optional<Desc> reshaped(const Desc&, const Dims&);
// A dense layout of the same tensor that `reshaped` can view with these dimensions: merged axes are adjacent; otherwise
// it is as close to the given plain layout as possible.
Desc reshapable(const Desc&, const Dims&);
// result axis i is axis permutation[i] of the plain tensor.
Desc permuted(const Desc&, const std::vector<int>& permutation);

// The dimensions, padded on the left with ones to `rank` axes.
Dims aligned(const Dims&, size_t rank);
// If a tensor of shape `from` is viewed as `to`, returns the dimensions of a tensor of shape `part`, which broadcasts
// to `from`, with which it broadcasts to `to` in the same way. nullopt if there are none.
std::optional<Dims> broadcast_dims(const Dims& part, const Dims& from, const Dims& to);

}  // namespace cppgen::baseline
