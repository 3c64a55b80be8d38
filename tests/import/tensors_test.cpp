#include "tests/import/model_maker.h"

namespace cppgen {
namespace {

using onnx::TensorProto;

Tensor imported(const ModelMaker& m) {
  Graph g = m.import();
  return *g.value(g.outputs[0]).constant;
}

// A model whose only content is the initializer w.
struct OneTensor : ModelMaker {
  TensorProto& w;
  OneTensor(std::vector<int64_t> dims, int type) : w(initializer("w", dims, type)) { output("w"); }
};

TEST(ImportTensors, TypedFields) {
  OneTensor f16({2}, TensorProto::FLOAT16);
  f16.w.add_int32_data(0x3c00);
  f16.w.add_int32_data(0xc000);
  EXPECT_EQ(numbers_of(imported(f16)), (std::vector<double>{1, -2}));

  OneTensor bf16({1}, TensorProto::BFLOAT16);
  bf16.w.add_int32_data(0x4040);
  EXPECT_EQ(numbers_of(imported(bf16)), std::vector<double>{3});

  OneTensor i8({2}, TensorProto::INT8);
  i8.w.add_int32_data(-128);
  i8.w.add_int32_data(127);
  EXPECT_EQ(integers_of(imported(i8)), (std::vector<int64_t>{-128, 127}));

  OneTensor u32({1}, TensorProto::UINT32);
  u32.w.add_uint64_data(4294967295u);
  EXPECT_EQ(integers_of(imported(u32)), std::vector<int64_t>{4294967295});

  OneTensor f64({1}, TensorProto::DOUBLE);
  f64.w.add_double_data(0.1);
  EXPECT_EQ(numbers_of(imported(f64)), std::vector<double>{0.1});

  OneTensor scalar({}, TensorProto::INT64);
  scalar.w.add_int64_data(-3);
  EXPECT_EQ(integers_of(imported(scalar)), std::vector<int64_t>{-3});
  EXPECT_TRUE(imported(scalar).dims.empty());
}

TEST(ImportTensors, Float8) {
  constexpr int kTypes[] = {17, 18, 19, 20};  // of ONNX's TensorProto: E4M3FN, E4M3FNUZ, E5M2, E5M2FNUZ
  for (int i = 0; i < 4; i++) {
    OneTensor typed({2}, kTypes[i]), raw({2}, kTypes[i]);
    typed.w.add_int32_data(0x3e);
    typed.w.add_int32_data(0xc1);
    raw.w.set_raw_data("\x3e\xc1");
    EXPECT_EQ(imported(typed).dtype, DType(int(DType::f8e4m3fn) + i));
    EXPECT_EQ(numbers_of(imported(typed)), numbers_of(imported(raw)));
    EXPECT_EQ(numbers_of(imported(raw))[0], (std::vector<double>{1.75, 0.875, 1.5, 0.75})[size_t(i)]);
  }
}

TEST(ImportTensors, TwoIntegersOfFourBitsInAByte) {
  constexpr int kUint4 = 21, kInt4 = 22;
  for (int64_t count : {4, 3}) {
    OneTensor typed({count}, kInt4), raw({1, count}, kInt4), plain({count}, kUint4);
    for (int byte : {0x7f, 0xf8}) typed.w.add_int32_data(byte);
    raw.w.set_raw_data("\x7f\xf8");
    plain.w.set_raw_data("\x7f\xf8");
    std::vector<int64_t> expected{-1, 7, -8, -1}, positive{15, 7, 8, 15};
    expected.resize(size_t(count)), positive.resize(size_t(count));
    EXPECT_EQ(integers_of(imported(typed)), expected);
    EXPECT_EQ(integers_of(imported(raw)), expected);
    EXPECT_EQ(integers_of(imported(plain)), positive);
  }
  OneTensor wide({3}, kUint4);
  wide.w.set_raw_data("abc");
  EXPECT_EQ(error_of(wide), "m.onnx: initializer \"w\" has 3 bytes of raw data; type and dimensions require 2");
}

TEST(ImportTensors, FourElementsOfTwoBitsInAByte) {
  constexpr int kFloat4 = 23, kUint2 = 25, kInt2 = 26;
  OneTensor typed({5}, kInt2), raw({5}, kUint2), floats({3}, kFloat4);
  for (int byte : {0xe4, 0x02}) typed.w.add_int32_data(byte);
  raw.w.set_raw_data("\xe4\x02");
  floats.w.set_raw_data("\x7f\x0a");
  EXPECT_EQ(integers_of(imported(typed)), (std::vector<int64_t>{0, 1, -2, -1, -2}));
  EXPECT_EQ(integers_of(imported(raw)), (std::vector<int64_t>{0, 1, 2, 3, 2}));
  EXPECT_EQ(numbers_of(imported(floats)), (std::vector<double>{-6, 6, -1}));
}

TEST(ImportTensors, BoolsAreZeroOrOne) {
  OneTensor typed({2}, TensorProto::BOOL);
  typed.w.add_int32_data(256);
  typed.w.add_int32_data(0);
  EXPECT_EQ(integers_of(imported(typed)), (std::vector<int64_t>{1, 0}));
  OneTensor raw({3}, TensorProto::BOOL);
  raw.w.set_raw_data(std::string("\2\0\1", 3));
  EXPECT_EQ(integers_of(imported(raw)), (std::vector<int64_t>{1, 0, 1}));
}

TEST(ImportTensors, RawDataIsAligned) {
  for (int64_t n : {1, 2, 3, 100}) {
    OneTensor t({n}, TensorProto::DOUBLE);
    t.w.set_raw_data(std::string(size_t(8 * n), '\0'));
    Tensor w = imported(t);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(w.data.bytes) % 8, 0u);
    EXPECT_EQ(w.elements(), n);
  }
}

TEST(ImportTensors, EmptyTensors) {
  OneTensor t({3, 0, 2}, TensorProto::FLOAT);
  EXPECT_EQ(imported(t).elements(), 0);
  t.w.set_raw_data("");
  EXPECT_EQ(imported(t).elements(), 0);
}

TEST(ImportTensors, Errors) {
  OneTensor few({3}, TensorProto::FLOAT);
  few.w.add_float_data(1);
  EXPECT_EQ(error_of(few), "m.onnx: initializer \"w\" has 1 elements of float32 data; the dimensions require 3");

  OneTensor wrong_field({1}, TensorProto::FLOAT);
  wrong_field.w.add_int64_data(1);
  EXPECT_EQ(error_of(wrong_field),
            "m.onnx: initializer \"w\" has 0 elements of float32 data; the dimensions require 1");

  OneTensor both({1}, TensorProto::FLOAT);
  both.w.add_float_data(1);
  both.w.set_raw_data("abcd");
  EXPECT_EQ(error_of(both), "m.onnx: initializer \"w\" has both raw and typed data");

  OneTensor raw({1}, TensorProto::FLOAT);
  raw.w.set_raw_data("abc");
  EXPECT_EQ(error_of(raw), "m.onnx: initializer \"w\" has 3 bytes of raw data; type and dimensions require 4");

  OneTensor negative({2, -1}, TensorProto::FLOAT);
  EXPECT_EQ(error_of(negative), "m.onnx: initializer \"w\" has the negative dimension -1");

  OneTensor giant({int64_t{1} << 40, int64_t{1} << 40, 0}, TensorProto::FLOAT);
  EXPECT_NE(error_of(giant).find("overflows 64 bits"), std::string::npos);

  OneTensor missing({int64_t{1} << 40}, TensorProto::FLOAT);  // refused before anything is allocated
  EXPECT_NE(error_of(missing).find("the dimensions require 1099511627776"), std::string::npos);

  OneTensor rank(std::vector<int64_t>(65, 1), TensorProto::FLOAT);
  EXPECT_EQ(error_of(rank), "m.onnx: initializer \"w\" has 65 dimensions; at most 64 are allowed");

  OneTensor text({1}, TensorProto::STRING);
  text.w.add_string_data("a");
  EXPECT_NO_THROW(text.import());
  text.w.add_string_data("b");
  EXPECT_EQ(error_of(text), "m.onnx: initializer \"w\" has 2 strings for 1 elements");
}

}  // namespace
}  // namespace cppgen
