#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

// Operators of ONNX in double precision, written from its specification, independently of how cppgen lowers them.
namespace cppgen::sizes {

using Dims = std::vector<int64_t>;

enum class Kind : uint8_t { number, integer, truth };

struct Exact {
  Kind kind = Kind::number;
  Dims dims;
  std::vector<double> values;
  double error = 0;  // how far float32 results may be from the values

  int64_t size(size_t d) const { return dims[d]; }
  size_t rank() const { return dims.size(); }
  double at(const Dims& index) const;
  double largest() const;  // magnitude
};

// Nothing if the operator does not accept its operands, or if its result is not defined.
using Result = std::optional<Exact>;

int64_t elements(const Dims&);
// A tensor of the kind and error of `like`.
Exact make(const Exact& like, Dims dims, const std::function<double(const Dims& index)>& value);

Result pointwise(const Exact&, const Exact&, const std::function<double(double, double)>&);
Exact pointwise(const Exact&, const std::function<double(double)>&);
Result select(const Exact& condition, const Exact&, const Exact&);
Result multiply_matrices(const Exact&, const Exact&);
enum class Reduce : uint8_t { sum, mean, max, min };
Result reduce(const Exact&, Reduce, const std::vector<size_t>& axes, bool keep);
Exact softmax(const Exact&, size_t axis);
Exact running_sum(const Exact&, size_t axis, bool exclusive, bool reverse);
Result largest_first(const Exact&, size_t axis, int64_t count);

Exact transpose(const Exact&, const std::vector<size_t>& order);
Result slice(const Exact&, size_t axis, int64_t begin, int64_t end, int64_t step);
Result reshape(const Exact&, Dims request, bool zero_is_zero);
Result expand(const Exact&, const Dims&);
Result concat(const Exact&, const Exact&, size_t axis);
Result gather(const Exact&, const Exact& indices, size_t axis);
Result gather_points(const Exact&, const Exact& rows);  // GatherND
enum class Pad : uint8_t { constant, edge, reflect };
Result pad(const Exact&, const Dims& pads, Pad);
Result tile(const Exact&, const Dims& repeats);
Exact positions(const Exact&);  // NonZero
Result compress(const Exact&, const Exact& condition, size_t axis);
Result range(int64_t begin, int64_t end, int64_t step);
Result squeeze(const Exact&, size_t axis);
Exact unsqueeze(const Exact&, size_t axis);

}  // namespace cppgen::sizes
