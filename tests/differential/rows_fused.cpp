#include "tests/differential/row.h"

namespace cppgen::differential {

constexpr const char* kMicrosoft = "com.microsoft";

static void add_fused_pointwise_rows(std::vector<Row>& t) {
  t.push_back({"Gelu", sums(8), "T[33]; T[3,5,9]; T[0]; T[N,5]", 1, kMicrosoft});
  t.push_back({"BiasGelu", sums(8), "T[33] T[33]; T[2,3,7] T[7]; T[N,5] T[5]", 1, kMicrosoft});
  t.push_back({"FastGelu", sums(8), "T[33]; T[2,3,17] T[17]; T[0,3] T[3]; T[N,5] T[5]", 1, kMicrosoft});
  t.push_back({"QuickGelu", sums(8), "T[33]; T[3,5,9]|alpha=0.5; T[N,5]", 1, kMicrosoft});
  t.push_back({"BiasSoftmax", sums(64),
               "T[2,3,5,17]@-4..4 T[2,1,1,17]@-4..4|axis=3 is_inner_broadcast=1; T[3,33]@-4..4 T[33]@-4..4|"
               "axis=1 is_inner_broadcast=0",
               1, kMicrosoft});
  t.push_back({"Trilu", kExact, "T[5,7]; T[2,3,4] i64[]=-1|upper=0", 1, kMicrosoft});
  t.push_back({"UnfoldTensor", kExact, "T[5,7]|size=3; T[2,9,3]|dim=1 size=4 step=2; T[N,8]|size=8", 1, kMicrosoft});
  t.push_back({"GridSample", sums(64), "T[1,2,5,6]@-2..2 T[1,3,4,2]@-1..1|mode='bilinear'", 1, kMicrosoft});
  t.push_back({"CropAndResize", sums(64),
               "T[2,3,5,6]@-2..2 T[3,4]=0,0,1,1,0.25,0.125,0.75,1.5,1,0.75,0.25,0 i32[3]=0,1,0 i32![2]=3,4;"
               "T[1,2,N,7]@-2..2 T[2,4]@0..1 i32[2]=0,0 i32![2]=1,5|mode='nearest' extrapolation_value=0.5",
               1, kMicrosoft});
}

static void add_fused_product_rows(std::vector<Row>& t) {
  for (const char* op : {"FusedMatMul", "TransposeMatMul"})
    t.push_back({op, sums(256),
                 "T[3,17,33]@-2..2 T[3,17,21]@-2..2|transA=1 alpha=0.5; T[3,5]@-2..2 T[9,5]@-2..2|transB=1;"
                 "T[0,4] T[4,3]; T[N,7]@-2..2 T[7,9]@-2..2",
                 1, kMicrosoft});
  t.push_back({"FusedMatMul", sums(256), "T[33,3,17]@-2..2 T[3,21,17]@-2..2|transBatchA=1 transB=1", 1, kMicrosoft});
  t.push_back(
      {"FusedMatMulActivation", sums(256), "T[5,17]@-2..2 T[17,9]@-2..2|activation='Tanh' alpha=0.25", 1, kMicrosoft});
  t.push_back({"FusedGemm", sums(256),
               "T[9,33]@-2..2 T[17,33]@-2..2 T[17]@-2..2|transB=1 activation='Relu';"
               "T[5,7]@-2..2 T[7,3]@-2..2|activation='LeakyRelu' activation_alpha=0.3",
               1, kMicrosoft});
  t.push_back({"FusedConv", sums(256),
               "T[1,3,9,9]@-2..2 T[16,3,3,3]@-2..2 T[16]@-2..2 T[1,16,7,7]@-2..2|activation='Relu';"
               "T[2,4,9]@-2..2 T[4,1,3]@-2..2|group=4 activation='HardSigmoid' activation_params=[0.3,0.5]",
               1, kMicrosoft});
}

static void add_row_norm_rows(std::vector<Row>& t) {
  t.push_back(
      {"SimplifiedLayerNormalization", sums(128), "T[3,33]@-2..2 T[33]@-2..2; T[N,5]@1..2 T[5]@-2..2 -> 2", 17});
  t.push_back({"SkipLayerNormalization", sums(128),
               "T[2,3,33]@-2..2 T[2,3,33]@-2..2 T[33]@-2..2 T[33]@-2..2 T[33]@-2..2|epsilon=0.1 -> 4;"
               "T[2,3,5]@-2..2 T[3,5]@-2..2 T[5]@-2..2|epsilon=0.1",
               1, kMicrosoft});
  t.push_back({"SkipSimplifiedLayerNormalization", sums(128),
               "T[2,3,33]@-2..2 T[1,3,33]@-2..2 T[33]@-2..2 T[33]@-2..2|epsilon=0.1; T[3,5]@-2..2 T[3,5]@-2..2 "
               "T[5]@-2..2|epsilon=0.1",
               1, kMicrosoft});
  t.push_back({"EmbedLayerNormalization", sums(128),
               "i32[2,3]@0..4 i32[2,3]@0..1 T[5,17]@-2..2 T[4,17]@-2..2 T[2,17]@-2..2 T[17]@-2..2 T[17]@-2..2 "
               "i32[2,3]@0..1|epsilon=0.1 -> 2;"
               "i32[1,3]@0..4 - T[5,8]@-2..2 T[4,8]@-2..2 - T[8]@-2..2 T[8]@-2..2 - i32[1,3]@0..3|epsilon=0.1",
               1, kMicrosoft});
}

void add_fused_rows(std::vector<Row>& t) {
  add_fused_pointwise_rows(t);
  add_fused_product_rows(t);
  add_row_norm_rows(t);
}

// Windows that are moved or overlap, and caches.
void add_moved_rows(std::vector<Row>& t) {
  t.push_back({"Col2Im", sums(64),
               "T[2,18,64]@-2..2 i64[2]=7,18 i64[2]=2,3|strides=[2,1] pads=[1,0,1,0]; T[1,4,3]@-2..2 i64[1]=8 i64[1]=4|"
               "strides=[2]; T[N,6,5]@-2..2 i64[1]=9 i64[1]=3|dilations=[2]"});
  t.push_back({"DeformConv", sums(512),
               "T[1,4,7,17]@-2..2 T[16,4,3,3]@-2..2 T[1,36,7,17]@-2..2 T[16]@-2..2 T[1,18,7,17]@-2..2|offset_group=2 "
               "pads=[1,1,1,1]; T[1,4,9]@-2..2 T[6,2,3]@-2..2 T[1,3,4]@-2..2|group=2 strides=[2]"});
  t.push_back({"MaxRoiPool", kExact,
               "T[1,2,9,17] T[4,5]@0..0.9|pooled_shape=[3,5]; T[1,1,5,5] T[N,5]@0..0.9|pooled_shape=[1,2]"});
  t.push_back(
      {"AffineGrid", sums(8), "T[2,3,4]@-2..2 i64[5]=2,1,3,5,17; T[1,2,3]@-2..2 i64[4]=1,1,7,9|align_corners=1", 20});
  t.push_back({"TensorScatter", kExact,
               "T[3,2,7,17] T[3,2,3,17] i64[3]=0,4,2; T[2,7,5] T[2,3,5] i64[2]@0..99|mode='circular'; T[2,7,5] "
               "T[2,3,5]; T[2,4,5] T[2,0,5]; T[2,5,7,3] T[2,5,2,3] i64[2]=1,0|axis=2",
               24});
}

}  // namespace cppgen::differential
