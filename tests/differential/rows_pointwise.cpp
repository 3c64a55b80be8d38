#include "tests/differential/row.h"

namespace cppgen::differential {
namespace {

// Every rank, empty tensors, sizes around vectors, a symbol.
const std::string kOne =
    "T[]; T[0]; T[33]; T[3,1]; T[2,0,5]; T[3,5,7]; T[2,1,3,17]; T[2,1,2,3,9]; T[1,2,1,2,3,5]; T[N,19]; T[4,64]";
// Samples with broadcasting of either operand.
const std::string kTwo =
    "T[] T[]; T[33] T[33]; T[5,1] T[1,18]; T[7] T[3,1,7]; T[0,4] T[1,4]; T[2,3,4,5] T[]; T[1] T[0];"
    "T[2,1,3,1,9] T[3,1,1]; T[1,2,1,2,3,5] T[2,2,1,1,1,5]; T[N,19] T[19]; T[37] T![1]; T![5,1] T[2,1,16]";
const std::string kMany = "T[17]; T[3,5] T[3,5]; T[5,1] T[1,18] T[]; T[0] T[1] T[0]; T[2,1,9] T[3,1] T[9] T[1,1,1,1]";

}  // namespace

void add_pointwise_rows(std::vector<Row>& t) {
  for (const char* op :
       {"Abs", "Neg", "Sign", "BitwiseNot", "Not", "Floor", "Ceil", "Round", "Sqrt", "Reciprocal", "Identity", "IsNaN"})
    t.push_back({op, kExact, kOne});
  for (const char* op : {"Exp", "Log", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh",
                         "Atanh", "Tanh", "Erf", "Sigmoid"})
    t.push_back({op, ulps(4), kOne});
  t.push_back({"IsInf", kExact, kOne + "; T[33]|detect_negative=0; T[9]|detect_positive=0"});
  for (const char* op : {"Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "BitwiseAnd", "BitwiseOr", "BitwiseXor",
                         "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"})
    t.push_back({op, kExact, kTwo});
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Less", "Equal"})
    t.push_back({op, kExact, "T[2,3,4,5] T[3,4]|axis=1 broadcast=1; T[3,7] T[]|broadcast=1; T[5] T[5]", 1});
  t.push_back({"Mod", kExact, "T[33] T[33]; T[5,1] T[1,18]; T[0,4] T[1,4]; T[] T[]"});
  t.push_back({"Mod", kExact, "f32[77] f32[77]; f64[5,1] f64[1,18]; f16[33] f16[1]; f32[0] f32[1]; f32[] f32[]", 28});
  t.push_back({"Mod", kExact, "T[33] T[33]|fmod=1; T[5,1] T[1,18]|fmod=1; T[40] T![1]|fmod=1"});
  t.push_back({"BitShift", kExact,
               "T[33] T[33]@0..7|direction='LEFT'; T[5,1] T[1,18]@0..7|direction='RIGHT';"
               "T[2,3] T[3]@0..70|direction='LEFT'; T[0] T[0]|direction='RIGHT'; T[41] T[41]|direction='RIGHT'"});
  t.push_back({"BitShift", kExact,
               "T[33] T[33]@0..7|direction='RIGHT'; T[77] T[77]@-3..70|direction='RIGHT'; "
               "T[5,1] T[1,18]@-1..9|direction='LEFT'; T[41] T[41]|direction='LEFT'; T[0] T[0]|direction='RIGHT'",
               28});
  t.push_back(
      {"Pow", ulps(4),
       "T[33] T[33]@-3..3; T[5,1] T[1,18]@0..4; T[40] T[1]=2; T[40] T[1]=3; T[40] T[1]=0.5; T[33] f32[33]@-2..3;"
       "T[19] i64[19]@-2..5; T[0] T[0]; T[] T[]@0..3"});
  for (const char* op : {"Max", "Min"}) t.push_back({op, kExact, kMany});
  for (const char* op : {"Sum", "Mean"}) t.push_back({op, ulps(1), kMany});
  t.push_back({"Where", kExact,
               "bool[33] T[33] T[33]; bool[5,1] T[1,18] T[]; bool[] T[3,7] T[7]; bool[0] T[1] T[0];"
               "bool[2,1,9] T[3,1] T[1,1,1,9]; bool[N,5] T[5] T[N,1]"});
  t.push_back(
      {"Clip", kExact,
       "T[33] T[]=1 T[]=3; T[3,7] - T[]=2; T[3,7] T[]=1; T[40]; T[0] T[] T[]; T[2,1,19] T[] T[]; T[5] T[]=3 T[]=1"});
  t.push_back({"Clip", kExact, "T[33]|min=-1.0 max=1.5; T[9]; T[2,5]|max=0.5", 6});
  t.push_back({"Dropout", kExact,
               "T[33]; T[3,7] -> 2; T[2,5] f32[]=0.5 bool[]=0 -> 2; T[33] f32[]=0.3 bool[]=1 -> 2; T[3,7] T[]@0..0.9 "
               "bool[] -> 2"});
  for (const char* op : {"RandomUniform", "RandomNormal"})
    t.push_back(
        {op, kExact,
         "|shape=[33] seed=2.0; |shape=[3,0]; |shape=[2,3,17] dtype=10; |shape=[] dtype=11; |shape=[9] dtype=16"});
  for (const char* op : {"RandomUniformLike", "RandomNormalLike"})
    t.push_back({op, kExact, kOne + "; i32[33]|dtype=1 seed=1.0"});
  t.push_back(
      {"Bernoulli", kExact, "T[33]@0..1; T[3,0]; T[2,3,17]@0..1|dtype=6 seed=3.0; T[]@0..1|dtype=9; T[N,5]@0..1"});
  t.push_back({"Multinomial", kExact,
               "T[3,7]@-2..2|sample_size=19; T[2,33]@-2..2|dtype=7; T[0,3]; T[N,5]@-2..2|sample_size=3"});
  std::string casts;
  for (int to : {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 16}) {
    casts += "T[37]|to=" + std::to_string(to) + ";T[3,5,9]|to=" + std::to_string(to) + ";";
  }
  t.push_back({"Cast", kExact, casts + "T[]|to=1; T[0,3]|to=7; T[N,5]|to=10"});
  t.push_back({"BitCast", kExact,
               "i32[3,5]|to=12; u32[33]|to=6; i64[N,5]|to=13; i8[35]|to=2; u16[9]|to=5; f32[3]|to=1; bool[5]|to=2",
               26});
  t.push_back(
      {"CastLike", kExact, "T[33] f32[1]; T[3,7] u8[]; T[5] i64[2,2]; f32[35] T[1]; i32[2,9] T[]; T[0] bool[3]"});
}

void add_activation_rows(std::vector<Row>& t) {
  t.push_back({"Relu", kExact, kOne});
  t.push_back({"LeakyRelu", ulps(1), kOne + "; T[33]|alpha=0.3; T[9]|alpha=-1.5"});
  t.push_back({"Elu", ulps(4), kOne + "; T[33]|alpha=0.3"});
  t.push_back({"Selu", ulps(4), kOne + "; T[33]|alpha=0.3 gamma=2.0"});
  t.push_back({"Celu", ulps(6), kOne + "; T[33]|alpha=0.3"});
  t.push_back({"HardSigmoid", ulps(1), kOne + "; T[33]|alpha=0.3 beta=0.25"});
  t.push_back({"HardSwish", ulps(1), kOne});
  t.push_back({"Softplus", ulps(8), kOne});
  t.push_back({"Softsign", ulps(2), kOne});
  t.push_back({"ThresholdedRelu", kExact, kOne + "; T[33]|alpha=0.3"});
  t.push_back({"Shrink", ulps(1), kOne + "; T[33]|lambd=1.5 bias=0.25"});
  t.push_back({"Mish", ulps(12), kOne});
  t.push_back({"Swish", ulps(6), kOne + "; T[33]|alpha=0.3", 24});
  t.push_back({"SwiGLU", ulps(8), "T[33] T[33]; T[3,5] T[3,5]|alpha=0.5; T[N,19] T[N,19]; T[0,3] T[0,3]; T[] T[]", 28});
  t.push_back({"Gelu", sums(8), kOne + "; T[33]|approximate='tanh'; T[2,19]|approximate='tanh'"});
  t.push_back({"PRelu", ulps(1), "T[33] T[33]; T[2,3,7] T[3,1]; T[3,5] T[1]; T[0,4] T[4]; T[2,1,3,9] T[]"});
  t.push_back({"PRelu", ulps(1), "T[2,3,7] T[3]; T[2,3] T[1]", 6});
  t.push_back({"Adagrad", ulps(8),
               "T[]@0..1 i64[]@0..9 T[33]@-1..1 T[33]@-1..1 T[33]@0..1 | norm_coefficient=0.01 decay_factor=0.1 -> 2",
               1, "ai.onnx.preview.training"});
  t.push_back({"Momentum", ulps(8),
               "T[]@0..1 i64[]@0..9 T[33]@-1..1 T[33]@-1..1 T[33]@0..1 | alpha=0.9 beta=0.8 mode='nesterov' -> 2;"
               "T[]@0..1 i64[]@0..9 T[3,5]@-1..1 T[3,5]@-1..1 T[3,5]@0..1 | alpha=0.9 beta=0.8 mode='standard' -> 2",
               1, "ai.onnx.preview.training"});
  t.push_back({"Adam", sums(32),
               "T[]@0..1 i64[]@1..9 T[33]@-1..1 T[33]@-1..1 T[33]@0..1 T[33]@0..1 | alpha=0.9 beta=0.8 -> 3", 1,
               "ai.onnx.preview.training"});
}

}  // namespace cppgen::differential
