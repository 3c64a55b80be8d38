#pragma once
#include "tests/passes/graph_maker.h"

namespace cppgen {

// Makes quantized graphs as exporters write them: QuantizeLinear and DequantizeLinear around plain operators.
struct QuantizedMaker : GraphMaker {
  using GraphMaker::GraphMaker;

  ValueId bytes(DType type, std::vector<int64_t> dims, const std::vector<int64_t>& values) {
    std::vector<std::byte> data;
    for (int64_t v : values) data.push_back(std::byte(v));
    return g.add_constant("q" + std::to_string(g.values.size()), make_tensor(type, std::move(dims), std::move(data)));
  }
  ValueId words(std::vector<int64_t> dims, const std::vector<int32_t>& values) {
    std::vector<std::byte> data(values.size() * sizeof(int32_t));
    if (!data.empty()) std::memcpy(data.data(), values.data(), data.size());
    return g.add_constant("b" + std::to_string(g.values.size()),
                          make_tensor(DType::i32, std::move(dims), std::move(data)));
  }
  // Bytes of both extremes and all between, the same each time.
  ValueId weights(DType type, std::vector<int64_t> dims, int64_t seed = 1) {
    int64_t count = 1;
    for (int64_t d : dims) count *= d;
    std::vector<int64_t> values;
    for (int64_t i = 0; i < count; i++) values.push_back((i * 89 + seed * 31) % 257);
    return bytes(type, std::move(dims), values);
  }

  ValueId quantize(ValueId x, double scale, int64_t zero, DType type = DType::u8) {
    return node("QuantizeLinear", {x, floats({}, {scale}), bytes(type, {}, {zero})});
  }
  ValueId dequantize(ValueId q, double scale, int64_t zero) {
    return node("DequantizeLinear", {q, floats({}, {scale}), bytes(g.value(q).type->dtype, {}, {zero})});
  }
  ValueId fake_quantize(ValueId x, double scale, int64_t zero, DType type = DType::u8) {
    return dequantize(quantize(x, scale, zero, type), scale, zero);
  }
  // One scale and zero point for each position of the axis; scales differ.
  ValueId dequantize_along(ValueId q, int64_t axis, std::vector<int64_t> zeros, double scale = 0.01) {
    std::vector<double> scales;
    for (size_t i = 0; i < zeros.size(); i++) scales.push_back(scale * double(1 + i % 3));
    const int64_t n = int64_t(zeros.size());
    const DType type = g.value(q).type->dtype;
    return node("DequantizeLinear", {q, floats({n}, scales), bytes(type, {n}, zeros)}, {{"axis", axis}});
  }
};

}  // namespace cppgen
