#include "cppgen/ops/rounded_sizes.h"

#include <cmath>

namespace cppgen::ops {
namespace {

constexpr size_t kMostElements = 64;
constexpr int kDeepest = 16;
constexpr double kLargestFactor = 4096;

// numerator / denominator, not negative.
struct Fraction {
  IndexExpr numerator;
  int64_t denominator = 1;
  bool exact = true;  // as a float too: its denominator is a power of two
};
using Fractions = std::optional<std::vector<Fraction>>;

bool is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

// Returns one for a positive number that is exactly a small integer divided by a small power of two.
std::optional<Fraction> fraction_of(double number) {
  for (int64_t denominator = 1; denominator <= int64_t(kLargestFactor); denominator *= 2)
    if (const double n = number * double(denominator); n > 0 && n <= kLargestFactor && n == std::floor(n))
      return Fraction{int64_t(n), denominator};
  return std::nullopt;
}

// Follows the producers of a value to the integers that it was made of.
class SizeReader {
 public:
  explicit SizeReader(const Graph& graph) : graph_(graph) {}

  Fractions read(ValueId v, int depth = 0) const {
    if (v == kNoValue || depth > kDeepest) return std::nullopt;
    const Value& value = graph_.value(v);
    if (!value.type || value.host) return std::nullopt;
    if (value.constant) return constants(*value.constant);
    if (!is_float(value.type->dtype)) return integers(value);
    if (value.producer < 0 || (value.type->dtype != DType::f32 && value.type->dtype != DType::f64)) return std::nullopt;
    const Node& node = graph_.nodes[size_t(value.producer)];
    if (!node.domain.empty()) return std::nullopt;
    return computed(node, depth + 1);
  }

 private:
  const Graph& graph_;

  static Fractions integers(const Value& value) {
    if (!value.contents || value.contents->size() > kMostElements) return std::nullopt;
    std::vector<Fraction> all;
    for (IndexExpr e : *value.contents) {
      if (!ir::prove_less_equal(0, e)) return std::nullopt;
      all.push_back({e});
    }
    return all;
  }

  static Fractions constants(const Tensor& tensor) {
    if (!is_float(tensor.dtype) || tensor.elements() > int64_t(kMostElements)) return std::nullopt;
    std::vector<Fraction> all;
    for (double number : numbers_of(tensor)) {
      const auto fraction = fraction_of(number);
      if (!fraction) return std::nullopt;
      all.push_back(*fraction);
    }
    return all;
  }

  Fractions computed(const Node& node, int depth) const {
    const std::string& op = node.op;
    if (op == "Cast" || op == "Identity" || op == "Unsqueeze" || op == "Squeeze") return read(node.inputs[0], depth);
    if (op == "Floor" || op == "Ceil") return rounded(read(node.inputs[0], depth), op == "Ceil");
    if (op == "Mul" || op == "Div") return combined(node, depth);
    if (op == "Concat") return joined(node, depth);
    return std::nullopt;
  }

  Fractions joined(const Node& node, int depth) const {
    std::vector<Fraction> all;
    for (ValueId v : node.inputs) {
      const Fractions part = read(v, depth);
      if (!part || graph_.value(v).type->shape.size() != 1) return std::nullopt;
      all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  }

  // A product or quotient with constants, one for each element or one for all.
  Fractions combined(const Node& node, int depth) const {
    Fractions left = read(node.inputs[0], depth), right = read(node.inputs[1], depth);
    if (!left || !right) return std::nullopt;
    if (node.op == "Mul" && left->size() < right->size()) std::swap(left, right);
    if (right->size() != 1 && right->size() != left->size()) return std::nullopt;
    for (size_t i = 0; i < left->size(); i++) {
      const auto result = combined((*left)[i], (*right)[right->size() == 1 ? 0 : i], node.op == "Div");
      if (!result) return std::nullopt;
      (*left)[i] = *result;
    }
    return left;
  }

  static std::optional<Fraction> combined(Fraction a, Fraction b, bool divide) {
    if (!a.exact || !b.exact) return std::nullopt;
    if (!divide && a.numerator.is_constant()) std::swap(a, b);
    if (!b.numerator.is_constant() || b.numerator.constant() < 1) return std::nullopt;
    const int64_t n = b.numerator.constant(), up = divide ? b.denominator : n, down = divide ? n : b.denominator;
    if (a.denominator > int64_t(kLargestFactor)) return std::nullopt;
    const Fraction result{a.numerator * IndexExpr(up), a.denominator * down};
    return Fraction{result.numerator, result.denominator, is_power_of_two(result.denominator)};
  }

  static Fractions rounded(Fractions values, bool up) {
    if (!values) return values;
    for (Fraction& f : *values) f = {up ? ceildiv(f.numerator, f.denominator) : floordiv(f.numerator, f.denominator)};
    return values;
  }
};

}  // namespace

std::optional<std::vector<IndexExpr>> rounded_sizes(const Graph& graph, const Node& cast) {
  if (cast.op != "Cast" || !cast.domain.empty() || cast.inputs.size() != 1 || cast.outputs.size() != 1)
    return std::nullopt;
  const Value& from = graph.value(cast.inputs[0]);
  const Value& to = graph.value(cast.outputs[0]);
  if (!from.type || !is_float(from.type->dtype) || from.constant) return std::nullopt;
  if (!to.type || (to.type->dtype != DType::i64 && to.type->dtype != DType::i32)) return std::nullopt;
  if (from.type->shape.size() > 1) return std::nullopt;
  const Fractions values = SizeReader(graph).read(cast.inputs[0]);
  if (!values) return std::nullopt;
  std::vector<IndexExpr> elements;
  for (const Fraction& f : *values) elements.push_back(floordiv(f.numerator, f.denominator));
  return elements;
}

}  // namespace cppgen::ops
