#include "tests/differential/row.h"

namespace cppgen::differential {

constexpr const char* kMicrosoft = "com.microsoft";
// A quantized tensor's last quantum depends on how its float is rounded.
constexpr Agreement kQuanta = ulps(4, 1);

void add_quantized_fused_rows(std::vector<Row>& t) {
  for (const char* op : {"QLinearAdd", "QLinearMul"})
    t.push_back({op, kQuanta,
                 "T[5,33] f32[]=0.02 T[]=3 T[33] f32[]=0.01 T[]=2 f32[]=0.05 T[]=4; T[N,5] f32[1]=0.02 - T[N,1] "
                 "f32[1]=0.01 - f32[1]=0.05",
                 1, kMicrosoft});
  for (const char* op : {"QLinearSigmoid", "QLinearLeakyRelu"})
    t.push_back(
        {op, kQuanta, "T[5,33] f32[]=0.02 T[]=3 f32[]=0.05 T[]=4; T[N,5] f32[]=0.02 - f32[]=0.01", 1, kMicrosoft});
  t.push_back({"QLinearSoftmax", kQuanta,
               "T[5,33] f32[]=0.02 T[]=3 f32[]=0.004 T[]=4|opset=13; T[2,3,5] f32[]=0.02 - f32[]=0.004|opset=12 axis=1",
               1, kMicrosoft});
  t.push_back({"QLinearGlobalAveragePool", kQuanta,
               "T[2,5,7,9] f32[]=0.02 T[]=3 f32[]=0.01 T[]=4; T[2,7,9,17] f32[]=0.02 T[]=3 f32[]=0.01 T[]=4|"
               "channels_last=1",
               1, kMicrosoft});
  t.push_back({"QLinearAveragePool", kQuanta,
               "T[1,3,9,17] f32[]=0.02 T[]=3 f32[]=0.02 T[]=4|kernel_shape=[3,2] pads=[1,0,1,1];"
               "T[1,3,9] f32[]=0.02 - f32[]=0.02|kernel_shape=[4] strides=[3] ceil_mode=1",
               1, kMicrosoft});
  t.push_back({"QLinearConcat", kQuanta,
               "f32[]=0.05 T[]=4 T[3,17] f32[]=0.02 T[]=3 T[3,5] f32[]=0.01 T[]=2|axis=1; f32[]=0.05 T[]=4 T[N,7] "
               "f32[]=0.02 T[]=3|axis=0",
               1, kMicrosoft});
  t.push_back({"QuantizeLinear", kQuanta,
               "T[5,33]@-4..4 f32[]=0.05 u8[]=100; f32[5,7]@-4..4 f32[5]@0.1..1 i8[5]|axis=0", 1, kMicrosoft});
  t.push_back(
      {"DequantizeLinear", ulps(2), "T[5,33] f32[]=0.05 T[]=3; T[5,7] f32[5]@0.1..1 T[5]|axis=0", 1, kMicrosoft});
  t.push_back(
      {"MatMulIntegerToFloat", sums(16),
       "T[5,33] T[33,17] f32[]=0.02 f32[17]@0.01..0.1 T[]=3 T[17] f32[17]@-1..1; u8[2,9,40] i8![40,33] f32[]=0.1 "
       "f32![33]@0.01..0.1 u8[]=7",
       1, kMicrosoft});
  t.push_back({"DynamicQuantizeMatMul", sums(4096),
               "f32[5,33]@-2..2 T![33,17] f32[17]@0.01..0.1 T![17]@0..3 f32[17]@-1..1; f32[3,4]@-2..2 T[4,5] f32[]=0.1",
               1, kMicrosoft});
  t.push_back({"DynamicQuantizeLSTM", sums(16384),
               "f32[3,2,5]@-1..1 T![1,5,16] T![1,4,16] f32[1,32]@-1..1 - - - - f32[1]=0.01 T[1]=1 f32[1]=0.01 T[1]=2"
               "|hidden_size=4 -> 3; f32[3,2,5]@-1..1 T[2,5,16] T[2,4,16] - i32[2]=3,2 f32[2,2,4]@-1..1 "
               "f32[2,2,4]@-1..1 - f32[2,16]@0.005..0.01 T![2,16]@0..3 f32[2]=0.01,0.02 T[2]=1,2"
               "|hidden_size=4 direction='bidirectional' -> 3",
               1, kMicrosoft});
  t.push_back(
      {"QGemm", ulps(64, 1),
       "T[5,33] f32[]=0.02 T[]=3 T![17,33] f32[17]@0.01..0.1 T![17]@0..3 i32[17]@-99..99 f32[]=3.0 T[]=4|transB=1;"
       "T[33,5] f32[]=0.02 T[]=3 T[33,9] f32[]=0.01 T[]=2|transA=1 alpha=0.5",
       1, kMicrosoft});
}

}  // namespace cppgen::differential
