// Unique: distinct elements or slices.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "runtime/base/elements.h"
#include "runtime/base/errors.h"
#include "runtime/host/host_functions.h"
#include "runtime/plan/calls/host_choices.h"

namespace cppgen::rt {
namespace {

using Values = std::vector<Value>;

// Slices of a tensor along an axis (of a flattened tensor: its elements), as rows of comparable elements.
struct Rows {
  int64_t count = 0, width = 0;
  std::vector<int64_t> inner;  // flat positions of the elements of row 0
  int64_t stride = 0;          // from one row to the next
};

Rows rows_of(const Tensor& x, int64_t axis) {
  Rows rows;
  int64_t inner = 1, outer = 1;
  for (size_t d = 0; d < x.dims().size(); d++) {
    if (int64_t(d) < axis) outer *= x.dims()[d];
    if (int64_t(d) > axis) inner *= x.dims()[d];
  }
  rows.count = x.dims()[size_t(axis)];
  rows.stride = inner;
  for (int64_t o = 0; o < outer; o++)
    for (int64_t i = 0; i < inner; i++) rows.inner.push_back(o * rows.count * inner + i);
  rows.width = int64_t(rows.inner.size());
  return rows;
}

// -1, 0, 1; NaN is greater than all numbers and equal to itself, as NumPy sorts it.
template <class T>
int compare(T a, T b) {
  if (a < b) return -1;
  if (b < a) return 1;
  if constexpr (std::is_floating_point_v<T>) return int(a != a) - int(b != b);
  return 0;
}

struct Groups {
  std::vector<int64_t> first, inverse, counts;  // of each distinct row, of each row, of each distinct row
};

// Distinct rows of those in order, ascending or in the order of their first appearance.
template <class RowLess>
Groups group(const std::vector<int64_t>& order, bool sorted, const RowLess& less) {
  Groups groups;
  groups.inverse.resize(order.size());
  for (size_t i = 0; i < order.size(); i++) {
    if (i == 0 || less(order[i - 1], order[i])) {
      groups.first.push_back(order[i]);
      groups.counts.push_back(0);
    }
    groups.counts.back()++;
    groups.inverse[size_t(order[i])] = int64_t(groups.first.size()) - 1;
  }
  if (sorted) return groups;
  std::vector<int64_t> by_position(groups.first.size()), rank(groups.first.size());
  std::iota(by_position.begin(), by_position.end(), 0);
  std::sort(by_position.begin(), by_position.end(),
            [&](int64_t a, int64_t b) { return groups.first[size_t(a)] < groups.first[size_t(b)]; });
  Groups result;
  for (size_t i = 0; i < by_position.size(); i++) {
    rank[size_t(by_position[i])] = int64_t(i);
    result.first.push_back(groups.first[size_t(by_position[i])]);
    result.counts.push_back(groups.counts[size_t(by_position[i])]);
  }
  for (int64_t g : groups.inverse) result.inverse.push_back(rank[size_t(g)]);
  return result;
}

// Finds distinct elements: values are sorted together with their positions.
template <class T>
Groups group_elements(int64_t count, const T* x, bool sorted) {
  struct Element {
    T value;
    int64_t position;
  };
  std::vector<Element> order(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; i++) order[size_t(i)] = {x[i], i};
  std::sort(order.begin(), order.end(), [](const Element& a, const Element& b) {
    const int sign = compare(a.value, b.value);
    return sign != 0 ? sign < 0 : a.position < b.position;
  });
  std::vector<int64_t> positions;
  for (const Element& e : order) positions.push_back(e.position);
  return group(positions, sorted, [&](int64_t a, int64_t b) { return compare(x[a], x[b]) < 0; });
}

template <class RowLess>
Groups group(int64_t count, bool sorted, const RowLess& less) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), less);
  return group(order, sorted, less);
}

template <class T>
Groups group_rows(const Rows& rows, const T* x, bool sorted) {
  if (rows.width == 1) return group_elements(rows.count, x + rows.inner[0], sorted);
  return group(rows.count, sorted, [&](int64_t a, int64_t b) {
    for (int64_t at : rows.inner)
      if (const int order = compare(x[at + a * rows.stride], x[at + b * rows.stride])) return order < 0;
    return false;
  });
}

// Elements of all types are compared as doubles or as int64, which represent floats and integers exactly; uint64 is
// shifted by half of its range, which keeps the order.
Groups groups_of(const HostCall& call, const Tensor& x, const Rows& rows, bool sorted) {
  const size_t count = size_t(x.elements());
  if (is_float(x.type())) {
    std::vector<double> numbers(count);
    for (size_t i = 0; i < count; i++) numbers[i] = number_element(x.type(), x.data(), int64_t(i));
    return group_rows(rows, numbers.data(), sorted);
  }
  if (is_small_int(x.type())) call.fail(fmt::format("type {} is not supported", name_of(x.type())));
  const uint64_t offset = x.type() == DType::u64 ? uint64_t(1) << 63 : 0;
  std::vector<int64_t> integers(count);
  for (size_t i = 0; i < count; i++)
    integers[i] = int64_t(uint64_t(integer_element(x.type(), x.data(), int64_t(i))) ^ offset);
  return group_rows(rows, integers.data(), sorted);
}

Tensor int64_tensor(const std::vector<int64_t>& values) {
  Tensor t(DType::i64, {int64_t(values.size())});
  if (!values.empty()) std::memcpy(t.data(), values.data(), values.size() * sizeof(int64_t));
  return t;
}

Tensor select_rows(const Tensor& x, const Rows& rows, int64_t axis, const std::vector<int64_t>& chosen) {
  std::vector<int64_t> dims = x.dims();
  dims[size_t(axis)] = int64_t(chosen.size());
  Tensor result(x.type(), dims);
  const auto size = int64_t(size_of(x.type()));
  const int64_t bytes = rows.stride * size, outer = rows.stride == 0 ? 0 : rows.width / rows.stride;
  for (int64_t o = 0; o < outer; o++)
    for (size_t k = 0; k < chosen.size(); k++)
      std::memcpy(result.as<char>() + (o * int64_t(chosen.size()) + int64_t(k)) * bytes,
                  x.as<char>() + (o * rows.count + chosen[k]) * bytes, size_t(bytes));
  return result;
}

Values outputs_of(Value unique, const Groups& groups) {
  Values values;
  values.push_back(std::move(unique));
  for (const auto* list : {&groups.first, &groups.inverse, &groups.counts}) values.emplace_back(int64_tensor(*list));
  return values;
}

Values unique_strings(const HostCall& call, bool sorted) {
  const StringTensor& x = call.strings(0);
  const Groups groups = group(int64_t(x.elements.size()), sorted,
                              [&](int64_t a, int64_t b) { return x.elements[size_t(a)] < x.elements[size_t(b)]; });
  StringTensor result{{int64_t(groups.first.size())}, {}};
  for (int64_t at : groups.first) result.elements.push_back(x.elements[size_t(at)]);
  return outputs_of(std::move(result), groups);
}

Values unique(const HostCall& call, const UniqueCall& fields) {
  const bool sorted = fields.sorted, has_axis = fields.has_axis;
  if (call.has(0) && call.inputs[0]->strings()) {
    if (has_axis && call.strings(0).dims.size() != 1) call.fail("an axis of strings is not supported");
    return unique_strings(call, sorted);
  }
  const Tensor& x = call.tensor(0);
  if (!has_axis) {
    Tensor flat(x.type(), {x.elements()});
    if (x.elements() > 0) std::memcpy(flat.data(), x.data(), size_t(x.bytes()));
    const Rows rows = rows_of(flat, 0);
    const Groups groups = groups_of(call, flat, rows, sorted);
    return outputs_of(select_rows(flat, rows, 0, groups.first), groups);
  }
  const auto rank = int64_t(x.dims().size());
  int64_t axis = fields.axis;
  if (axis < -rank || axis >= rank) call.fail(fmt::format("axis {} is not in [{}, {}]", axis, -rank, rank - 1));
  axis = axis < 0 ? axis + rank : axis;
  const Rows rows = rows_of(x, axis);
  const Groups groups = groups_of(call, x, rows, sorted);
  return outputs_of(select_rows(x, rows, axis, groups.first), groups);
}

}  // namespace

HostFunction prepare_unique(const HostStep& step) { return prepared(unique, step); }

}  // namespace cppgen::rt
