#include "cppgen/passes/passes.h"
#include "tests/quantized/quantized_graph.h"

namespace cppgen::passes {
namespace {

constexpr int64_t kRows = 12, kColumns = 15;

// Twice the size, by quarters between neighbours: sixteenths of steps.
struct Enlarged : QuantizedMaker {
  std::vector<int64_t> bytes_in;

  Enlarged(double scale, int64_t zero) {
    const ValueId stored = weights(DType::u8, {1, 1, kRows, kColumns}, 7);
    for (int64_t b : integers_of(*g.value(stored).constant)) bytes_in.push_back(b);
    g.value(stored).constant.reset();
    g.value(stored).type = TensorType{DType::u8, {int64_t(1), int64_t(1), kRows, kColumns}};
    g.inputs.push_back(stored);
    const ValueId resized = node("Resize", {dequantize(stored, scale, zero), kNoValue, floats({4}, {1, 1, 2, 2})},
                                 {{"mode", std::string("linear")}});
    output(quantize(resized, scale, zero));
  }

  std::vector<int64_t> result() const {
    Graph copy = g;
    ir::HostTensor in{DType::u8, {1, 1, kRows, kColumns}, {}};
    for (int64_t b : bytes_in) in.bytes.push_back(std::byte(b));
    const ir::HostTensor out = ir::interpret(ops::lower(copy), {in})[0];
    std::vector<int64_t> values;
    for (std::byte b : out.bytes) values.push_back(int64_t(b));
    return values;
  }

  // Sixteenths, exact.
  int64_t sixteenths(int64_t row, int64_t column) const {
    const auto at = [&](int64_t r, int64_t c) {
      return bytes_in[size_t(std::clamp<int64_t>(r, 0, kRows - 1) * kColumns +
                             std::clamp<int64_t>(c, 0, kColumns - 1))];
    };
    const int64_t r = row / 2, c = column / 2, beside_r = row % 2 == 0 ? r - 1 : r + 1,
                  beside_c = column % 2 == 0 ? c - 1 : c + 1;
    return 9 * at(r, c) + 3 * at(r, beside_c) + 3 * at(beside_r, c) + at(beside_r, beside_c);
  }

  // The steps from the zero point, rounded to the nearest, and to even between two.
  std::vector<int64_t> exact(int64_t zero) const {
    std::vector<int64_t> values;
    for (int64_t row = 0; row < 2 * kRows; row++)
      for (int64_t column = 0; column < 2 * kColumns; column++)
        values.push_back(int64_t(std::nearbyint(double(sixteenths(row, column)) / 16 - double(zero))) + zero);
    return values;
  }
};

size_t differing(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  size_t count = 0;
  for (size_t i = 0; i < a.size(); i++) count += a[i] != b[i];
  return count;
}

TEST(InterpolateBytes, IsExactWhereSumsOfDequantizedNumbersAreNot) {
  size_t as_written = 0;
  for (const double scale : {0.0231, 0.05177, 0.0113})
    for (const int64_t zero : {0, 101}) {
      Enlarged m(scale, zero);
      const std::vector<int64_t> exact = m.exact(zero);
      as_written += differing(m.result(), exact);
      interpolate_bytes(m.g);
      fold_requantization(m.g);
      verify(m.g);
      EXPECT_EQ(m.result(), exact) << scale << " " << zero;
    }
  EXPECT_GT(as_written, 0U);
}

TEST(InterpolateBytes, LeavesWhatIsReadAsItIs) {
  QuantizedMaker m;
  const ValueId x = m.input("x", {1, 1, 4, 4}, DType::u8);
  const ValueId y = m.node("Resize", {m.dequantize(x, 0.5, 3), kNoValue, m.floats({4}, {1, 1, 2, 2})},
                           {{"mode", std::string("linear")}});
  m.output(m.quantize(y, 0.5, 3)).output(y);
  interpolate_bytes(m.g);
  EXPECT_EQ(op_names(m.g), (Ops{"DequantizeLinear", "Resize", "QuantizeLinear"}));
}

}  // namespace
}  // namespace cppgen::passes
