// QuantizeLinear and DequantizeLinear of all types and granularities, compiled for every instruction set and compared
// with the interpreter.
#include "tests/narrow_types/cases.h"
#include "tests/quantized/quantized_graph.h"

namespace cppgen::property {
namespace {

using Attributes = std::map<std::string, Attribute>;

constexpr DType kTypes[] = {DType::i8,         DType::u8,     DType::i16,        DType::u16, DType::f8e4m3fn,
                            DType::f8e4m3fnuz, DType::f8e5m2, DType::f8e5m2fnuz, DType::i4,  DType::u4,
                            DType::i2,         DType::u2,     DType::f4e2m1};

struct Granularity {
  std::vector<int64_t> scales;  // their shape, for x of [5, 6, 7]
  Attributes attributes;
};
const Granularity kGranularities[] = {
    {{}, {}},
    {{6}, {{"axis", int64_t{1}}}},
    {{7}, {{"axis", int64_t{-1}}}},
    {{5, 2, 7}, {{"axis", int64_t{1}}, {"block_size", int64_t{4}}}},
    {{3, 6, 7}, {{"axis", int64_t{0}}, {"block_size", int64_t{2}}}},
};

int64_t count_of(const std::vector<int64_t>& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return n;
}

ValueId scales_of(GraphMaker& g, const std::vector<int64_t>& dims, DType type) {
  std::vector<double> values;
  for (int64_t i = 0; i < count_of(dims); i++) values.push_back(double(1 + i % 5) / 16);
  return g.floats(dims, values, type);
}

ValueId zeros_of(GraphMaker& g, const std::vector<int64_t>& dims, DType type) {
  const size_t size = size_of(type);
  std::vector<std::byte> bytes(size_t(count_of(dims)) * size);
  for (size_t i = 0; i < bytes.size() && !is_float8(type); i += size)
    bytes[i] = std::byte(i / size % (bits_of(type) == 2 ? 2 : 7));
  return g.g.add_constant("z" + std::to_string(g.g.values.size()), make_tensor(type, dims, std::move(bytes)));
}

Attributes with(Attributes attributes, const char* name, int64_t value) {
  attributes[name] = value;
  return attributes;
}

TEST(NarrowTypes, Quantize) {
  std::vector<Case> cases;
  for (DType type : kTypes)
    for (const Granularity& k : kGranularities)
      for (DType wide : {DType::f32, DType::f16}) {
        GraphMaker g(wide == DType::f32 ? 21 : 23);
        ValueId x = g.input("x", {5, 6, 7}, wide), s = scales_of(g, k.scales, wide);
        g.output(g.node("QuantizeLinear", {x, s, zeros_of(g, k.scales, type)}, with(k.attributes, "saturate", 0)));
        g.output(g.node("QuantizeLinear", {x, s}, with(k.attributes, "output_dtype", onnx_number(type))));
        cases.push_back(exact_case(std::move(g), {-200, 200}));
      }
  expect_cases_agree(cases);
}

TEST(NarrowTypes, Dequantize) {
  std::vector<Case> cases;
  for (DType type : kTypes)
    for (const Granularity& k : kGranularities)
      for (DType wide : {DType::f32, DType::bf16}) {
        GraphMaker g(23);
        ValueId x = g.input("x", {5, 6, 7}, type), s = scales_of(g, k.scales, wide);
        g.output(g.node("DequantizeLinear", {x, s, zeros_of(g, k.scales, type)}, k.attributes));
        g.output(g.node("DequantizeLinear", {x, s}, with(k.attributes, "output_dtype", onnx_number(DType::f16))));
        cases.push_back(exact_case(std::move(g), {is_unsigned_int(type) ? 0.0 : -100.0, 100}));
      }
  expect_cases_agree(cases);
}

// Quantizing and back is no identity, whatever is fused.
TEST(NarrowTypes, QuantizedAndBack) {
  std::vector<Case> cases;
  for (DType type : kTypes)
    for (const Granularity& k : kGranularities) {
      GraphMaker g(21);
      ValueId x = g.input("x", {5, 6, 7}), s = scales_of(g, k.scales, DType::f32), z = zeros_of(g, k.scales, type);
      ValueId q = g.node("QuantizeLinear", {x, s, z}, k.attributes);
      g.output(g.node("Relu", {g.node("DequantizeLinear", {q, s, z}, k.attributes)}));
      cases.push_back(exact_case(std::move(g), {-20, 20}));
    }
  expect_cases_agree(cases);
}

// Weights of few bits behind DequantizeLinear, one row and many.
TEST(NarrowTypes, ProductsByDequantizedWeights) {
  std::vector<Case> cases;
  for (DType type : {DType::i4, DType::u4, DType::i8, DType::u8})
    for (int64_t rows : {1, 2, 19})
      for (auto [K, columns] : {std::pair<int64_t, int64_t>{64, 33}, {100, 7}}) {
        GraphMaker g(21);
        const int64_t count = K * columns, blocks = (K + 31) / 32;
        std::vector<std::byte> q;
        for (int64_t i = 0; i < count; i++) {
          const int64_t v = i * 37 % 256;
          q.push_back(std::byte(type == DType::u4 ? v & 15 : type == DType::i4 ? (v & 15) - 8 : v));
        }
        ValueId w = g.g.add_constant("w", make_tensor(type, {K, columns}, std::move(q)));
        ValueId s = scales_of(g, {blocks, columns}, DType::f32), z = zeros_of(g, {blocks, columns}, type);
        ValueId d = g.node("DequantizeLinear", {w, s, z}, {{"axis", int64_t{0}}, {"block_size", int64_t{32}}});
        g.output(g.node("MatMul", {g.input("x", {rows, K}), d}));
        cases.push_back(case_of(std::move(g.g), {100, double(K) * 100 * 0x1p-23}));
      }
  expect_cases_agree(cases);
}

}  // namespace
}  // namespace cppgen::property
