#pragma once
#include <dnnl.hpp>
#include <optional>
#include <vector>

namespace cppgen::baseline {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;

// How float32 tensors lie in memory. A scalar has the dimensions {1}. A plain layout is one that strides describe;
// offsets are kept apart from descriptors (Operand).

int64_t element_count(const Dims&);
Desc row_major(const Dims&);
Desc channels_last(const Dims&);                                  // row-major below three dimensions
Desc dense_in_order(const Dims&, const std::vector<int>& order);  // order[0] is the outermost axis
Desc with_strides(const Dims&, const Dims& strides);

bool is_plain(const Desc&);
bool is_row_major(const Desc&);
bool is_dense(const Desc&);  // plain, without gaps, in whatever order
// The same elements at the same places: strides of axes of extent 1 do not count.
bool same_layout(const Desc&, const Desc&);
Dims strides_of(const Desc&);            // of a plain one
std::vector<int> order_of(const Desc&);  // of a plain one: axes from the outermost to the innermost

// The view of a plain tensor with other dimensions, if strides can describe it.
std::optional<Desc> reshaped(const Desc&, const Dims&);
// A dense layout of the same tensor that `reshaped` can view with these dimensions: axes that become one lie together,
// otherwise as near to the given plain one as that allows.
Desc reshapable(const Desc&, const Dims&);
// result axis i is axis permutation[i] of the plain tensor.
Desc permuted(const Desc&, const std::vector<int>& permutation);

// Dimensions at the right of a shape of `rank` axes, filled up with ones.
Dims aligned(const Dims&, size_t rank);
// A tensor that has shape `from` is seen as `to`; gives the dimensions of a tensor of dimensions `part` that broadcasts
// to `from` such that it broadcasts likewise to `to`. None if there are none.
std::optional<Dims> broadcast_dims(const Dims& part, const Dims& from, const Dims& to);

}  // namespace cppgen::baseline
