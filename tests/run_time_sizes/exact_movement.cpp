// Operators that move elements.
#include <algorithm>
#include <numeric>

#include "tests/run_time_sizes/exact.h"

namespace cppgen::sizes {

Exact transpose(const Exact& x, const std::vector<size_t>& order) {
  Dims dims;
  for (const size_t d : order) dims.push_back(x.dims[d]);
  return make(x, dims, [&](const Dims& at) {
    Dims from(at.size());
    for (size_t d = 0; d < at.size(); d++) from[order[d]] = at[d];
    return x.at(from);
  });
}

Result slice(const Exact& x, size_t axis, int64_t begin, int64_t end, int64_t step) {
  if (step == 0) return std::nullopt;
  const int64_t n = x.dims[axis];
  if (begin < 0) begin += n;
  if (end < 0) end += n;
  const int64_t least = step > 0 ? 0 : -1, most = step > 0 ? n : n - 1;
  begin = std::clamp<int64_t>(begin, 0, std::max<int64_t>(most, 0)),
  end = std::clamp(end, least, std::max(most, least));
  if (n == 0) begin = end = 0;
  const int64_t count = std::max<int64_t>(0, (end - begin + step - (step > 0 ? 1 : -1)) / step);
  Dims dims = x.dims;
  dims[axis] = count;
  return make(x, dims, [&](Dims at) {
    at[axis] = begin + at[axis] * step;
    return x.at(at);
  });
}

Result reshape(const Exact& x, Dims request, bool zero_is_zero) {
  int64_t known = 1, open = -1;
  for (size_t d = 0; d < request.size(); d++) {
    if (request[d] == 0 && !zero_is_zero) {
      if (d >= x.rank()) return std::nullopt;
      request[d] = x.dims[d];
    }
    if (request[d] < -1 || (request[d] == -1 && open >= 0)) return std::nullopt;
    request[d] == -1 ? open = int64_t(d) : known *= request[d];
  }
  const int64_t count = elements(x.dims);
  if (open >= 0) {
    if (known == 0 || count % known != 0) return std::nullopt;  // 0 / 0 is not defined
    request[size_t(open)] = count / known;
  }
  if (elements(request) != count) return std::nullopt;
  Exact out = x;
  out.dims = std::move(request);
  return out;
}

Result expand(const Exact& x, const Dims& to) {
  if (std::any_of(to.begin(), to.end(), [](int64_t d) { return d < 0; })) return std::nullopt;
  Exact ones{x.kind, to, std::vector<double>(size_t(elements(to)), 0), 0};
  Result out = pointwise(x, ones, [](double v, double) { return v; });
  if (out) out->error = x.error;
  return out;
}

Result concat(const Exact& a, const Exact& b, size_t axis) {
  if (a.rank() != b.rank()) return std::nullopt;
  for (size_t d = 0; d < a.rank(); d++)
    if (d != axis && a.dims[d] != b.dims[d]) return std::nullopt;
  Dims dims = a.dims;
  dims[axis] += b.dims[axis];
  Exact out = make(a, dims, [&](Dims at) {
    if (at[axis] < a.dims[axis]) return a.at(at);
    at[axis] -= a.dims[axis];
    return b.at(at);
  });
  out.error = std::max(a.error, b.error);
  return out;
}

Result gather(const Exact& x, const Exact& indices, size_t axis) {
  const int64_t n = x.dims[axis];
  for (const double i : indices.values)
    if (i < double(-n) || i >= double(n)) return std::nullopt;
  Dims dims(x.dims.begin(), x.dims.begin() + std::ptrdiff_t(axis));
  dims.insert(dims.end(), indices.dims.begin(), indices.dims.end());
  dims.insert(dims.end(), x.dims.begin() + std::ptrdiff_t(axis) + 1, x.dims.end());
  return make(x, dims, [&](const Dims& at) {
    const auto first = at.begin() + std::ptrdiff_t(axis), last = first + std::ptrdiff_t(indices.rank());
    const auto i = int64_t(indices.at(Dims(first, last)));
    Dims from(at.begin(), first);
    from.push_back(i < 0 ? i + n : i);
    from.insert(from.end(), last, at.end());
    return x.at(from);
  });
}

Result gather_points(const Exact& x, const Exact& rows) {
  if (rows.rank() != 2 || rows.dims[1] != int64_t(x.rank())) return std::nullopt;
  for (int64_t r = 0; r < rows.dims[0]; r++)
    for (int64_t d = 0; d < rows.dims[1]; d++)
      if (const double i = rows.at({r, d}); i < 0 || i >= double(x.dims[size_t(d)])) return std::nullopt;
  return make(x, {rows.dims[0]}, [&](const Dims& at) {
    Dims from;
    for (int64_t d = 0; d < rows.dims[1]; d++) from.push_back(int64_t(rows.at({at[0], d})));
    return x.at(from);
  });
}

Result pad(const Exact& x, const Dims& pads, Pad how) {
  Dims dims = x.dims;
  for (size_t d = 0; d < x.rank(); d++) {
    const int64_t before = pads[d], after = pads[d + x.rank()];
    if (before < 0 || after < 0) return std::nullopt;
    if (how == Pad::edge && x.dims[d] == 0 && before + after > 0) return std::nullopt;
    if (how == Pad::reflect && std::max(before, after) >= std::max<int64_t>(x.dims[d], 1)) return std::nullopt;
    dims[d] += before + after;
  }
  return make(x, dims, [&](Dims at) {
    for (size_t d = 0; d < at.size(); d++) {
      const int64_t n = x.dims[d];
      at[d] -= pads[d];
      if (at[d] >= 0 && at[d] < n) continue;
      if (how == Pad::constant) return 0.0;
      if (how == Pad::edge) at[d] = std::clamp<int64_t>(at[d], 0, n - 1);
      if (how == Pad::reflect) at[d] = at[d] < 0 ? -at[d] : 2 * (n - 1) - at[d];
    }
    return x.at(at);
  });
}

Result tile(const Exact& x, const Dims& repeats) {
  Dims dims = x.dims;
  for (size_t d = 0; d < x.rank(); d++) {
    if (repeats[d] < 0) return std::nullopt;
    dims[d] *= repeats[d];
  }
  return make(x, dims, [&](Dims at) {
    for (size_t d = 0; d < at.size(); d++) at[d] %= x.dims[d];
    return x.at(at);
  });
}

Exact positions(const Exact& x) {
  std::vector<Dims> found;
  make(x, x.dims, [&](const Dims& at) {
    if (x.at(at) != 0) found.push_back(at);
    return 0.0;
  });
  const Exact integers{Kind::integer, {}, {}, 0};
  return make(integers, {int64_t(x.rank()), int64_t(found.size())},
              [&](const Dims& at) { return double(found[size_t(at[1])][size_t(at[0])]); });
}

Result compress(const Exact& x, const Exact& condition, size_t axis) {
  if (condition.rank() != 1 || condition.dims[0] > x.dims[axis]) return std::nullopt;
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < condition.dims[0]; i++)
    if (condition.at({i}) != 0) kept.push_back(i);
  Dims dims = x.dims;
  dims[axis] = int64_t(kept.size());
  return make(x, dims, [&](Dims at) {
    at[axis] = kept[size_t(at[axis])];
    return x.at(at);
  });
}

Result range(int64_t begin, int64_t end, int64_t step) {
  if (step == 0) return std::nullopt;
  const Exact integers{Kind::integer, {}, {}, 0};
  const int64_t count = std::max<int64_t>(0, (end - begin + step - (step > 0 ? 1 : -1)) / step);
  return make(integers, {count}, [&](const Dims& at) { return double(begin + at[0] * step); });
}

Result squeeze(const Exact& x, size_t axis) {
  if (x.dims[axis] != 1) return std::nullopt;
  Exact out = x;
  out.dims.erase(out.dims.begin() + std::ptrdiff_t(axis));
  return out;
}

Exact unsqueeze(const Exact& x, size_t axis) {
  Exact out = x;
  out.dims.insert(out.dims.begin() + std::ptrdiff_t(axis), 1);
  return out;
}

}  // namespace cppgen::sizes
