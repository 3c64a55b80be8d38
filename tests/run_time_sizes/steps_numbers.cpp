// Arithmetic on tensors whose dimensions only a run knows.
#include <algorithm>
#include <cmath>

#include "tests/run_time_sizes/maker.h"

namespace cppgen::sizes {
namespace {

using Operands = std::vector<const Exact*>;

bool same(const Exact& a, const Exact& b) {
  return pointwise(a, b, [](double x, double) { return x; }).has_value();
}

// Another value that broadcasts with it in the first run.
const Tracked* partner(Maker& m, const Tracked& x) {
  return m.pick([&](const Tracked& t) { return t.kind() == Kind::number && same(x.runs[0], t.runs[0]); });
}

bool unary(Maker& m) {
  const Tracked* x = m.number();
  if (!x) return false;
  struct Function {
    const char* op;
    double (*f)(double);
  };
  static const Function functions[] = {{"Tanh", [](double v) { return std::tanh(v); }},
                                       {"Sigmoid", [](double v) { return 1 / (1 + std::exp(-v)); }},
                                       {"Abs", [](double v) { return std::abs(v); }},
                                       {"Relu", [](double v) { return std::max(v, 0.0); }}};
  const Function& f = functions[size_t(m.uniform(0, 3))];
  return m.add(f.op, {x}, {}, [&](const Operands& in) -> Result { return pointwise(*in[0], f.f); });
}

bool binary(Maker& m) {
  const Tracked *x = m.number(), *y = x ? partner(m, *x) : nullptr;
  if (!y) return false;
  struct Operation {
    const char* op;
    double (*f)(double, double);
  };
  static const Operation operations[] = {{"Add", [](double a, double b) { return a + b; }},
                                         {"Sub", [](double a, double b) { return a - b; }},
                                         {"Mul", [](double a, double b) { return a * b; }},
                                         {"Max", [](double a, double b) { return std::max(a, b); }}};
  const Operation& o = operations[size_t(m.uniform(0, 3))];
  if (m.chance(0.5)) std::swap(x, y);
  return m.add(o.op, {x, y}, {}, [&](const Operands& in) { return pointwise(*in[0], *in[1], o.f); });
}

bool is_free_of_rounding(const Tracked& t) {
  return std::all_of(t.runs.begin(), t.runs.end(), [](const Exact& e) { return e.error == 0; });
}

// Compared with a value without rounding, so that the answer is certain.
bool compared(Maker& m) {
  const Tracked* x = m.pick([](const Tracked& t) { return t.kind() == Kind::number && is_free_of_rounding(t); });
  const Tracked* y = x ? m.pick([&](const Tracked& t) {
    return t.kind() == Kind::number && is_free_of_rounding(t) && same(x->runs[0], t.runs[0]);
  })
                       : nullptr;
  return y && m.add("Less", {x, y}, {}, [](const Operands& in) {
    Result out = pointwise(*in[0], *in[1], [](double a, double b) { return double(a < b); });
    if (out) out->kind = Kind::truth, out->error = 0;
    return out;
  });
}

bool selected(Maker& m) {
  const Tracked *x = m.number(), *y = x ? partner(m, *x) : nullptr;
  const Tracked* mask =
      y ? m.pick([&](const Tracked& t) { return t.kind() == Kind::truth && same(x->runs[0], t.runs[0]); }) : nullptr;
  return mask && m.add("Where", {mask, x, y}, {}, [](const Operands& in) { return select(*in[0], *in[1], *in[2]); });
}

bool product(Maker& m) {
  const Tracked* x = m.number(2);
  const Tracked* y =
      x ? m.pick([&](const Tracked& t) { return t.kind() == Kind::number && multiply_matrices(x->runs[0], t.runs[0]); })
        : nullptr;
  return y && m.add("MatMul", {x, y}, {}, [](const Operands& in) { return multiply_matrices(*in[0], *in[1]); });
}

// The product of x and its transpose, whose K are equal whatever they are.
bool product_with_itself(Maker& m) {
  const Tracked* x = m.number(2, 2);
  const Tracked* turned = x ? m.add("Transpose", {x}, {{"perm", std::vector<int64_t>{1, 0}}},
                                    [](const Operands& in) -> Result {
                                      return transpose(*in[0], {1, 0});
                                    })
                            : nullptr;
  return turned &&
         m.add("MatMul", {x, turned}, {}, [](const Operands& in) { return multiply_matrices(*in[0], *in[1]); });
}

bool reduced(Maker& m) {
  const Tracked* x = m.number(1);
  if (!x) return false;
  const std::vector<std::pair<const char*, Reduce>> kinds{
      {"ReduceSum", Reduce::sum}, {"ReduceMean", Reduce::mean}, {"ReduceMax", Reduce::max}, {"ReduceMin", Reduce::min}};
  const auto& [op, kind] = kinds[size_t(m.uniform(0, 3))];
  std::vector<size_t> axes;
  std::vector<int64_t> list;
  for (size_t d = 0; d < x->rank(); d++)
    if (m.chance(0.5)) axes.push_back(d), list.push_back(int64_t(d));
  if (axes.empty()) return false;
  const bool keep = m.chance(0.6);
  return m.add(op, {x, &m.constant(list)}, {{"keepdims", int64_t(keep)}},
               [&](const Operands& in) { return reduce(*in[0], kind, axes, keep); });
}

bool soft(Maker& m) {
  const Tracked* x = m.number(1);
  if (!x) return false;
  const int64_t axis = m.uniform(0, int64_t(x->rank()) - 1);
  return m.add("Softmax", {x}, {{"axis", axis}},
               [&](const Operands& in) -> Result { return softmax(*in[0], size_t(axis)); });
}

bool accumulated(Maker& m) {
  const Tracked* x = m.number(1);
  if (!x) return false;
  const int64_t axis = m.uniform(0, int64_t(x->rank()) - 1);
  const bool exclusive = m.chance(0.3), reverse = m.chance(0.3);
  return m.add("CumSum", {x, &m.constant({axis}, true)},
               {{"exclusive", int64_t(exclusive)}, {"reverse", int64_t(reverse)}},
               [&](const Operands& in) -> Result { return running_sum(*in[0], size_t(axis), exclusive, reverse); });
}

bool largest(Maker& m) {
  const Tracked *x = m.number(1), *count = m.size();
  if (!x || !count) return false;
  const int64_t axis = m.uniform(0, int64_t(x->rank()) - 1);
  return m.add(
      "TopK", {x, count}, {{"axis", axis}},
      [&](const Operands& in) { return largest_first(*in[0], size_t(axis), int64_t(in[1]->values[0])); }, 2);
}

}  // namespace

std::vector<Step> number_steps() {
  return {{"unary", 2, unary},       {"binary", 6, binary},   {"compared", 2, compared},
          {"selected", 3, selected}, {"product", 3, product}, {"product_with_itself", 2, product_with_itself},
          {"reduced", 4, reduced},   {"softmax", 2, soft},    {"accumulated", 1, accumulated},
          {"largest", 1, largest}};
}

}  // namespace cppgen::sizes
