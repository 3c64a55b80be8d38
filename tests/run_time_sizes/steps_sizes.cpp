// Integers that only a run knows: of shapes, of counts, and arithmetic on them.
#include "tests/run_time_sizes/maker.h"

namespace cppgen::sizes {
namespace {

using Operands = std::vector<const Exact*>;

Exact vector_of(const Dims& dims) { return {Kind::integer, {int64_t(dims.size())}, {dims.begin(), dims.end()}, 0}; }

bool extent(Maker& m) {
  const Tracked* x = m.number(1);
  if (!x) return false;
  const Tracked* shape = m.add("Shape", {x}, {}, [](const Operands& in) { return vector_of(in[0]->dims); });
  const int64_t axis = m.uniform(0, int64_t(x->rank()) - 1);
  const Tracked& at = m.constant({m.chance(0.5) ? axis : axis - int64_t(x->rank())});
  return shape && m.add("Gather", {shape, &at}, {{"axis", int64_t{0}}},
                        [](const Operands& in) { return gather(*in[0], *in[1], 0); });
}

bool count_of_elements(Maker& m) {
  const Tracked* x = m.number();
  if (!x) return false;
  const Tracked* count = m.add("Size", {x}, {}, [](const Operands& in) -> Result {
    return Exact{Kind::integer, {}, {double(elements(in[0]->dims))}, 0};
  });
  return count &&
         m.add("Unsqueeze", {count, &m.constant({0})}, {}, [](const Operands& in) { return unsqueeze(*in[0], 0); });
}

bool arithmetic(Maker& m) {
  const Tracked *a = m.size(), *b = m.chance(0.5) ? m.size() : &m.constant({m.uniform(1, 4)});
  if (!a || !b) return false;
  struct Operation {
    const char* op;
    double (*f)(double, double);
  };
  static const Operation operations[] = {{"Add", [](double x, double y) { return x + y; }},
                                         {"Sub", [](double x, double y) { return x - y; }},
                                         {"Mul", [](double x, double y) { return x * y; }},
                                         {"Max", [](double x, double y) { return std::max(x, y); }},
                                         {"Min", [](double x, double y) { return std::min(x, y); }}};
  const Operation& o = operations[size_t(m.uniform(0, 4))];
  return m.add(o.op, {a, b}, {}, [&](const Operands& in) { return pointwise(*in[0], *in[1], o.f); });
}

// Divides no negative numbers, whose rounding is a matter of its own.
bool division(Maker& m) {
  const Tracked* a = m.size();
  if (!a) return false;
  const bool rest = m.chance(0.5);
  return m.add(rest ? "Mod" : "Div", {a, &m.constant({m.uniform(2, 3)})}, {}, [&](const Operands& in) -> Result {
    const auto x = int64_t(in[0]->values[0]), y = int64_t(in[1]->values[0]);
    if (x < 0) return std::nullopt;
    return vector_of({rest ? x % y : x / y});
  });
}

bool count_of_mask(Maker& m) {
  const Tracked* mask = m.pick([](const Tracked& t) { return t.kind() == Kind::truth; });
  if (!mask) return false;
  const Tracked* ones = m.add("Cast", {mask}, {{"to", int64_t{onnx::TensorProto::INT64}}}, [](const Operands& in) {
    Exact out = *in[0];
    out.kind = Kind::integer;
    return Result(out);
  });
  std::vector<size_t> axes;
  for (size_t d = 0; d < mask->rank(); d++) axes.push_back(d);
  const Tracked* sum = ones ? m.add("ReduceSum", {ones}, {{"keepdims", int64_t{0}}},
                                    [&](const Operands& in) { return reduce(*in[0], Reduce::sum, axes, false); })
                            : nullptr;
  return sum &&
         m.add("Unsqueeze", {sum, &m.constant({0})}, {}, [](const Operands& in) { return unsqueeze(*in[0], 0); });
}

}  // namespace

std::vector<Step> size_steps() {
  return {{"extent", 4, extent},
          {"count_of_elements", 1, count_of_elements},
          {"arithmetic", 4, arithmetic},
          {"division", 1, division},
          {"count_of_mask", 2, count_of_mask}};
}

}  // namespace cppgen::sizes
