#include "cppgen/baseline/layout.h"

#include <algorithm>
#include <numeric>

namespace cppgen::baseline {
namespace {

constexpr auto f32 = dnnl::memory::data_type::f32;

// Groups of axes of two shapes with equal products: ends (exclusive) in each. Both have the same number of elements,
// none of them zero.
struct AxisGroup {
  size_t a_begin, a_end, b_begin, b_end;
};

std::vector<AxisGroup> axis_groups(const Dims& a, const Dims& b) {
  std::vector<AxisGroup> groups;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    AxisGroup group{i, i, j, j};
    int64_t left = i < a.size() ? a[i++] : 1, right = j < b.size() ? b[j++] : 1;
    while (left != right) (left < right ? left *= a[i++] : right *= b[j++]);
    group.a_end = i, group.b_end = j;
    groups.push_back(group);
  }
  return groups;
}

Dims without_ones(const Dims& dims, Dims* strides = nullptr) {
  Dims kept, kept_strides;
  for (size_t i = 0; i < dims.size(); i++) {
    if (dims[i] == 1) continue;
    kept.push_back(dims[i]);
    if (strides) kept_strides.push_back((*strides)[i]);
  }
  if (strides) *strides = kept_strides;
  return kept;
}

}  // namespace

int64_t element_count(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

Desc with_strides(const Dims& dims, const Dims& strides) { return Desc(dims, f32, strides); }

Desc dense_in_order(const Dims& dims, const std::vector<int>& order) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[size_t(order[i])] = stride;
    stride *= std::max<int64_t>(dims[size_t(order[i])], 1);
  }
  return with_strides(dims, strides);
}

Desc row_major(const Dims& dims) {
  std::vector<int> order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  return dense_in_order(dims, order);
}

Desc channels_last(const Dims& dims) {
  if (dims.size() < 3) return row_major(dims);
  std::vector<int> order{0};
  for (int axis = 2; axis < int(dims.size()); axis++) order.push_back(axis);
  order.push_back(1);
  return dense_in_order(dims, order);
}

std::vector<int> order_of(const Desc& desc) {
  const Dims strides = strides_of(desc), dims = dims_of(desc);
  std::vector<int> order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::pair(strides[size_t(a)], dims[size_t(a)]) > std::pair(strides[size_t(b)], dims[size_t(b)]);
  });
  return order;
}

bool same_layout(const Desc& a, const Desc& b) {
  if (!is_plain(a) || !is_plain(b)) return a == b;
  if (dims_of(a) != dims_of(b) || onednn::data_type_of(a) != onednn::data_type_of(b)) return false;
  const Dims dims = dims_of(a), left = strides_of(a), right = strides_of(b);
  for (size_t i = 0; i < dims.size(); i++)
    if (dims[i] != 1 && left[i] != right[i]) return false;
  return true;
}

bool is_row_major(const Desc& desc) { return is_plain(desc) && same_layout(desc, row_major(dims_of(desc))); }

bool is_dense(const Desc& desc) {
  return is_plain(desc) && same_layout(desc, dense_in_order(dims_of(desc), order_of(desc)));
}

std::optional<Desc> reshaped(const Desc& desc, const Dims& to) {
  if (!is_plain(desc)) return std::nullopt;
  Dims strides = strides_of(desc);
  const Dims from = without_ones(dims_of(desc), &strides), kept = without_ones(to);
  Dims new_strides;
  for (const AxisGroup& group : axis_groups(from, kept)) {
    for (size_t i = group.a_begin; i + 1 < group.a_end; i++)
      if (strides[i] != strides[i + 1] * from[i + 1]) return std::nullopt;
    int64_t stride = strides[group.a_end - 1];
    const size_t first = new_strides.size();
    for (size_t j = group.b_end; j-- > group.b_begin; stride *= kept[j])
      new_strides.insert(new_strides.begin() + int64_t(first), stride);
  }
  Dims all(to.size());
  int64_t inner = 1;  // of axes of extent 1: as if the axes within were dense
  for (size_t i = to.size(), next = new_strides.size(); i-- > 0;) {
    all[i] = to[i] == 1 ? inner : new_strides[--next];
    inner = std::max(inner, all[i] * to[i]);
  }
  return with_strides(to, all);
}

Desc reshapable(const Desc& desc, const Dims& to) {
  const Dims dims = dims_of(desc), strides = strides_of(desc);
  std::vector<std::pair<int64_t, AxisGroup>> groups;  // by the stride of the outermost axis
  for (const AxisGroup& group : axis_groups(dims, to)) {
    int64_t stride = 0;
    for (size_t i = group.a_begin; i < group.a_end; i++)
      if (dims[i] != 1) stride = std::max(stride, strides[i]);
    groups.emplace_back(stride, group);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<int> order;
  for (const auto& [stride, group] : groups)
    for (size_t i = group.a_begin; i < group.a_end; i++) order.push_back(int(i));
  return dense_in_order(dims, order);
}

Desc permuted(const Desc& desc, const std::vector<int>& permutation) {
  const Dims dims = dims_of(desc), strides = strides_of(desc);
  Dims new_dims, new_strides;
  for (int axis : permutation) new_dims.push_back(dims[size_t(axis)]), new_strides.push_back(strides[size_t(axis)]);
  return with_strides(new_dims, new_strides);
}

Dims aligned(const Dims& dims, size_t rank) {
  Dims result(rank > dims.size() ? rank - dims.size() : 0, 1);
  result.insert(result.end(), dims.begin(), dims.end());
  return result;
}

std::optional<Dims> broadcast_dims(const Dims& part, const Dims& from, const Dims& to) {
  const Dims full = aligned(from, part.size()), own = aligned(part, full.size());
  Dims result(to.size(), 1);
  for (const AxisGroup& group : axis_groups(full, to)) {
    const auto covers = [&](auto matches) {
      for (size_t i = group.a_begin; i < group.a_end; i++)
        if (!matches(i)) return false;
      return true;
    };
    if (covers([&](size_t i) { return own[i] == full[i]; }))
      std::copy(to.begin() + int64_t(group.b_begin), to.begin() + int64_t(group.b_end),
                result.begin() + int64_t(group.b_begin));
    else if (!covers([&](size_t i) { return own[i] == 1; }))
      return std::nullopt;
  }
  return result;
}

}  // namespace cppgen::baseline
