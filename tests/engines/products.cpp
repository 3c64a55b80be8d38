#include "tests/engines/products.h"

#include <algorithm>

#include "runtime/base/narrow_floats.h"

namespace cppgen::engines {
namespace {

std::vector<double> numbers(const std::vector<int64_t>& dims, uint32_t seed, const Change& change) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  std::vector<double> values;
  for (int64_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    values.push_back(change(float(seed >> 8) / float(1 << 23) - 1));
  }
  return values;
}

ir::HostTensor tensor(DType type, const std::vector<int64_t>& dims, uint32_t seed, const Change& change) {
  const Tensor t = make_floats(type, dims, numbers(dims, seed, change));
  ir::HostTensor host{type, dims, std::vector<std::byte>(t.data.size)};
  if (t.data.size) std::memcpy(host.bytes.data(), t.data.bytes, t.data.size);
  return host;
}

struct Operands {
  const char* op;
  std::vector<int64_t> left, right;
  std::map<std::string, Attribute> attributes;
};

std::vector<Operands> operands_of(const Products& p) {
  std::vector<Operands> list;
  for (const auto& m : p.matmuls) list.push_back({"MatMul", {m.rows, m.k}, {m.k, m.columns}, {}});
  for (const auto& c : p.convs)
    list.push_back({"Conv",
                    {1, c.channels, c.image, c.image},
                    {c.filters, c.channels, c.window, c.window},
                    {{"pads", std::vector<int64_t>(4, c.pad)}, {"strides", std::vector<int64_t>(2, c.stride)}}});
  return list;
}

constexpr uint32_t kRightSeed = 1000;

Shape shape_of(const std::vector<int64_t>& dims) { return {dims.begin(), dims.end()}; }

template <class F>
void for_elements(const std::vector<ir::HostTensor>& got, const std::vector<ir::HostTensor>& want,
                  const std::vector<ir::HostTensor>& magnitude, F&& f) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t o = 0; o < got.size(); o++) {
    ASSERT_EQ(got[o].dims, want[o].dims);
    for (int64_t i = 0; i < got[o].elements(); i++)
      f(std::abs(double(value(got[o], i)) - value(want[o], i)) / std::max(value(magnitude[o], i), 1e-30f));
  }
}

}  // namespace

Graph graph_of(const Products& p, const Change& change) {
  GraphMaker g(22);
  uint32_t i = 0;
  for (const Operands& o : operands_of(p)) {
    i++;
    const ValueId left = g.input("x" + std::to_string(i), shape_of(o.left), p.type);
    const ValueId right = p.constant_right ? g.floats(o.right, numbers(o.right, kRightSeed + i, change), p.type)
                                           : g.input("w" + std::to_string(i), shape_of(o.right), p.type);
    g.output(g.node(o.op, {left, right}, o.attributes));
  }
  return std::move(g.g);
}

std::vector<ir::HostTensor> inputs_of(const Products& p, const Change& change) {
  std::vector<ir::HostTensor> inputs;
  uint32_t i = 0;
  for (const Operands& o : operands_of(p)) {
    i++;
    inputs.push_back(tensor(p.type, o.left, i, change));
    if (!p.constant_right) inputs.push_back(tensor(p.type, o.right, kRightSeed + i, change));
  }
  return inputs;
}

std::vector<ir::HostTensor> interpreted(const Products& p, const Change& change) {
  Graph graph = graph_of(p, change);
  return ir::interpret(ops::lower(graph), inputs_of(p, change));
}

std::vector<ir::HostTensor> magnitudes(const Products& p) {
  return interpreted(p, [](float x) { return std::abs(x); });
}

float value(const ir::HostTensor& t, int64_t i) {
  if (t.type == DType::f16) return f16_to_f32(t.as<uint16_t>()[i]);
  if (t.type == DType::bf16) return bf16_to_f32(t.as<uint16_t>()[i]);
  return t.as<float>()[i];
}

double largest_error(const std::vector<ir::HostTensor>& got, const std::vector<ir::HostTensor>& want,
                     const std::vector<ir::HostTensor>& magnitude) {
  double largest = 0;
  for_elements(got, want, magnitude, [&](double e) { largest = e > largest || e != e ? e : largest; });
  return largest;
}

double mean_error(const std::vector<ir::HostTensor>& got, const std::vector<ir::HostTensor>& want,
                  const std::vector<ir::HostTensor>& magnitude) {
  double sum = 0, count = 0;
  for_elements(got, want, magnitude, [&](double e) { sum += e * e, count++; });
  return std::sqrt(sum / std::max(count, 1.0));
}

}  // namespace cppgen::engines
