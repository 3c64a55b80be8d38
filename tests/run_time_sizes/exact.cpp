#include "tests/run_time_sizes/exact.h"

#include <algorithm>
#include <cmath>

namespace cppgen::sizes {
namespace {

constexpr double kRounding = 0x1p-22;

Result broadcast_dims(const Dims& a, const Dims& b) {
  Exact out;
  out.dims.resize(std::max(a.size(), b.size()));
  for (size_t d = 0; d < out.dims.size(); d++) {
    const auto of = [&](const Dims& x) {
      const size_t missing = out.dims.size() - x.size();
      return d < missing ? 1 : x[d - missing];
    };
    if (of(a) != of(b) && of(a) != 1 && of(b) != 1) return std::nullopt;
    out.dims[d] = of(a) == 1 ? of(b) : of(a);
  }
  return out;
}

// The element that repeats at this index of a broadcast result.
double repeated(const Exact& x, const Dims& index) {
  Dims own(index.end() - std::ptrdiff_t(x.rank()), index.end());
  for (size_t d = 0; d < own.size(); d++)
    if (x.dims[d] == 1) own[d] = 0;
  return x.at(own);
}

Exact with_dims(const Exact& like, Dims dims) {
  Exact out = like;
  out.dims = std::move(dims);
  return out;
}

}  // namespace

int64_t elements(const Dims& dims) {
  int64_t count = 1;
  for (const int64_t d : dims) count *= d;
  return count;
}

double Exact::at(const Dims& index) const {
  int64_t position = 0;
  for (size_t d = 0; d < dims.size(); d++) position = position * dims[d] + index[d];
  return values.at(size_t(position));
}

double Exact::largest() const {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

Exact make(const Exact& like, Dims dims, const std::function<double(const Dims&)>& value) {
  Exact out{like.kind, std::move(dims), {}, like.error};
  Dims index(out.dims.size());
  for (int64_t left = elements(out.dims); left > 0; left--) {
    out.values.push_back(value(index));
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < out.dims[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

Result pointwise(const Exact& a, const Exact& b, const std::function<double(double, double)>& f) {
  const Result shape = broadcast_dims(a.dims, b.dims);
  if (!shape) return std::nullopt;
  Exact out = make(a, shape->dims, [&](const Dims& at) { return f(repeated(a, at), repeated(b, at)); });
  // Sums, products, maxima and minima alike.
  const double far = a.error * std::max(1.0, b.largest()) + b.error * std::max(1.0, a.largest());
  out.error = out.kind == Kind::number ? far + kRounding * out.largest() : 0;
  return out;
}

Exact pointwise(const Exact& x, const std::function<double(double)>& f) {
  Exact out = make(x, x.dims, [&](const Dims& at) { return f(x.at(at)); });
  if (out.kind == Kind::number) out.error += kRounding * std::max(1.0, out.largest());
  return out;
}

Result select(const Exact& condition, const Exact& a, const Exact& b) {
  const Result of_values = broadcast_dims(a.dims, b.dims);
  const Result shape = of_values ? broadcast_dims(of_values->dims, condition.dims) : std::nullopt;
  if (!shape) return std::nullopt;
  Exact out = make(a, shape->dims, [&](const Dims& at) { return repeated(repeated(condition, at) != 0 ? a : b, at); });
  out.error = std::max(a.error, b.error);
  return out;
}

Result multiply_matrices(const Exact& a, const Exact& b) {
  if (a.rank() < 2 || b.rank() < 2) return std::nullopt;
  const int64_t K = a.dims.back();
  if (K != b.dims[b.rank() - 2]) return std::nullopt;
  const Result batch = broadcast_dims({a.dims.begin(), a.dims.end() - 2}, {b.dims.begin(), b.dims.end() - 2});
  if (!batch) return std::nullopt;
  Dims dims = batch->dims;
  dims.push_back(a.dims[a.rank() - 2]), dims.push_back(b.dims.back());
  Exact out = make(a, dims, [&](Dims at) {
    const int64_t row = at[at.size() - 2], column = at.back();
    double sum = 0;
    for (int64_t k = 0; k < K; k++) {
      // Rows and columns do not repeat, and neither does K.
      Dims left = at, right = at;
      left[at.size() - 2] = row, left.back() = k, right[at.size() - 2] = k, right.back() = column;
      sum += repeated(a, left) * repeated(b, right);
    }
    return sum;
  });
  const double n = double(K);
  out.error = n * (a.error * b.largest() + b.error * a.largest() + kRounding * a.largest() * b.largest());
  return out;
}

Result reduce(const Exact& x, Reduce what, const std::vector<size_t>& axes, bool keep) {
  const auto reduced = [&](size_t d) { return std::find(axes.begin(), axes.end(), d) != axes.end(); };
  Dims full = x.dims, over(x.rank(), 1);
  for (size_t d = 0; d < x.rank(); d++)
    if (reduced(d)) over[d] = x.dims[d], full[d] = 1;
  const int64_t count = elements(over);
  if (count == 0 && what != Reduce::sum) return std::nullopt;  // undefined, or an infinity
  Exact out = make(x, full, [&](const Dims& at) {
    double sum = 0, most = -INFINITY, least = INFINITY;
    make(x, over, [&](const Dims& inner) {
      Dims index = at;
      for (size_t d = 0; d < index.size(); d++) index[d] += inner[d];
      const double v = x.at(index);
      return sum += v, most = std::max(most, v), least = std::min(least, v);
    });
    return what == Reduce::sum ? sum : what == Reduce::mean ? sum / double(count) : what == Reduce::max ? most : least;
  });
  if (what == Reduce::sum) out.error = double(count) * (x.error + kRounding * x.largest());
  if (what == Reduce::mean) out.error += kRounding * x.largest() * double(std::max<int64_t>(count, 1));
  if (x.kind != Kind::number) out.error = 0;
  if (keep) return out;
  Dims dims;
  for (size_t d = 0; d < x.rank(); d++)
    if (!reduced(d)) dims.push_back(x.dims[d]);
  return with_dims(out, dims);
}

Exact softmax(const Exact& x, size_t axis) {
  Exact out = make(x, x.dims, [&](const Dims& at) {
    double sum = 0;
    Dims k = at;
    for (k[axis] = 0; k[axis] < x.dims[axis]; k[axis]++) sum += std::exp(x.at(k) - x.at(at));
    return 1 / sum;
  });
  out.error = 2 * x.error + 64 * kRounding;
  return out;
}

Exact running_sum(const Exact& x, size_t axis, bool exclusive, bool reverse) {
  Exact out = make(x, x.dims, [&](const Dims& at) {
    double sum = 0;
    Dims k = at;
    for (k[axis] = 0; k[axis] < x.dims[axis]; k[axis]++) {
      const bool before = reverse ? k[axis] > at[axis] : k[axis] < at[axis];
      if (before || (!exclusive && k[axis] == at[axis])) sum += x.at(k);
    }
    return sum;
  });
  out.error = double(x.dims[axis]) * (x.error + kRounding * x.largest());
  return out;
}

Result largest_first(const Exact& x, size_t axis, int64_t count) {
  if (count < 0 || count > x.dims[axis]) return std::nullopt;
  Dims dims = x.dims;
  dims[axis] = count;
  return make(x, dims, [&](const Dims& at) {
    std::vector<double> line;
    Dims k = at;
    for (k[axis] = 0; k[axis] < x.dims[axis]; k[axis]++) line.push_back(x.at(k));
    std::sort(line.rbegin(), line.rend());
    return line[size_t(at[axis])];
  });
}

}  // namespace cppgen::sizes
