#include "tests/differential/row.h"

namespace cppgen::differential {
namespace {

// Reductions whose axes are an input, of ranks 0 to 6; `r` is the range of the elements.
std::string by_axes(const std::string& r) {
  return "T[]" + r + "; T[33]" + r + "; T[0]; T[5,19]" + r + " i64[1]=1; T[19,5]" + r +
         " i64[1]=0|keepdims=0; T[3,0,5] "
         "i64[1]=1; T[2,3,17]" +
         r + " i64[2]=0,-1; T[3,4,5,6]" + r + " i64[2]=1,2|keepdims=0; T[2,3,2,3,2]" + r +
         " i64[2]=-1,0; T[2,1,2,3,2,5]" + r + " i64[3]=5,2,0; T[4,5]" + r + "|noop_with_empty_axes=1; T[4,70]" + r +
         "|keepdims=0; T[N,7]" + r + " i64[1]=0; T[2,N]" + r + " i64[1]=1";
}
const std::string kByAttribute = "T[5,19]@-3..3|axes=[1]; T[3,4,5]@-3..3|axes=[0,-1] keepdims=0; T[7,33]@-3..3";
const std::string kPositions =
    "T[33]; T[5,19]|axis=1; T[19,5]|axis=0 keepdims=0; T[3,4,9]|axis=-2 select_last_index=1; T[2,3,2,3,2,5]|axis=5;"
    "T[0,3]|axis=1; T[4,40]@0..2|axis=1; T[4,40]@0..2|axis=1 select_last_index=1; T[N,5]|axis=0";
const std::string kRows =
    "T[33]|axis=0; T[5,19]; T[19,5]|axis=0; T[2,3,17]|axis=1; T[2,3,4,5]|axis=-1; T[2,1,3,2,2,7]|axis=2; T[0,3]; "
    "T[3,0];"
    "T[N,20]; T[4,130]|axis=-1";

}  // namespace

void add_reduction_rows(std::vector<Row>& t) {
  for (const char* op : {"ReduceMax", "ReduceMin"}) t.push_back({op, kExact, by_axes("")});
  for (const char* op : {"ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare"})
    t.push_back({op, sums(64), by_axes("@-3..3")});
  t.push_back({"ReduceProd", ulps(256), by_axes("@1..2")});
  for (const char* op : {"ReduceLogSum", "ReduceLogSumExp"}) t.push_back({op, sums(64), by_axes("@1..3")});
  for (const char* op : {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2"})
    t.push_back({op, sums(64), kByAttribute, 11});
  t.push_back({"ReduceSum", sums(64), "T[3,7]; T[5,19] i64[1]=1; T[2,3,4] i64[1]=1|keepdims=0"});
  for (const char* op : {"ArgMax", "ArgMin"}) t.push_back({op, kExact, kPositions, 13});
  for (const char* op : {"Softmax", "LogSoftmax"}) t.push_back({op, sums(32), kRows});
  t.push_back({"Hardmax", kExact, kRows});
  t.push_back({"Softmax", sums(32), "T[2,3,17]|axis=1; T[4,9]", 11});
  t.push_back({"BatchNormalization", sums(32),
               "T[2,3,17]@-4..4 T[3]@-2..2 T[3]@-2..2 T[3]@-2..2 T[3]@1..3; T[5,4]@-4..4 T[4]@-2..2 T[4]@-2..2 "
               "T[4]@-2..2 T[4]@1..3|epsilon=0.001; T[2,3,4,5]@-4..4 T![3]@-2..2 T![3]@-2..2 T![3]@-2..2 T![3]@1..3;"
               "T[4,3,9]@-4..4 T[3]@-2..2 T[3]@-2..2 T[3]@-2..2 T[3]@1..3|training_mode=1 momentum=0.8 -> 3;"
               "T[0,3] T[3]@-2..2 T[3]@-2..2 T[3]@-2..2 T[3]@1..3",
               15});
  t.push_back({"BatchNormalization", sums(32),
               "T[2,3,17]@-4..4 T[3,17]@-2..2 T[3,17]@-2..2 T[3,17]@-2..2 T[3,17]@1..3|spatial=0;"
               "T[2,9]@-4..4 T![9]@-2..2 T![9]@-2..2 T![9]@-2..2 T![9]@1..3|spatial=0",
               7});
  t.push_back({"LayerNormalization", sums(128),
               "T[5,19]@-4..4 T[19]@-2..2 T[19]@-2..2; T[2,3,17]@-4..4 T[17]@-2..2; T[2,3,4,5]@-4..4 T[3,4,5]@-2..2 "
               "T[3,4,5]@-2..2|axis=1 epsilon=0.01 -> 3; T[0,3] T[3]; T[N,33]@-4..4 T[33]@-2..2 T[33]@-2..2; "
               "T[3,8]@-4..4 T[8]@-2..2 T[1]@-2..2|axis=-1 -> 3"});
  t.push_back(
      {"RMSNormalization", sums(64),
       "T[5,19]@-4..4 T[19]@-2..2; T[2,3,4,5]@-4..4 T[4,5]@-2..2|axis=-2; T[0,3] T[3]; T[N,33]@-4..4 T[33]@-2..2", 23});
  t.push_back({"InstanceNormalization", sums(128),
               "T[2,3,17]@-4..4 T[3]@-2..2 T[3]@-2..2; T[1,4,5,7]@-4..4 T[4]@-2..2 T[4]@-2..2|epsilon=0.01"});
  t.push_back(
      {"GroupNormalization", sums(128),
       "T[2,6,17]@-4..4 T[6]@-2..2 T[6]@-2..2|num_groups=3; T[1,4,5,7]@-4..4 T[4]@-2..2 T[4]@-2..2|num_groups=2"});
  t.push_back({"GroupNormalization", sums(128), "T[2,6,17]@-4..4 T[3]@-2..2 T[3]@-2..2|num_groups=3", 18});
  t.push_back(
      {"MeanVarianceNormalization", sums(128), "T[2,3,5,7]@-4..4; T[4,19]@-4..4|axes=[1]; T[3,5,2]@-4..4|axes=[0,-1]"});
  t.push_back(
      {"LpNormalization", sums(64),
       "T[5,19]@1..4; T[19,5]@1..4|axis=0 p=1; T[2,3,4]@1..4|axis=-2; T[0,3]; T[33]@1..4|p=1; T[2,3]=0,0,0,3,0,-4;"
       "T[2,3]=0,0,0,3,0,-4|p=1"});
  t.push_back({"LRN", sums(32), "T[2,7,3,5]@-4..4|size=3; T[1,4,9]@-4..4|size=2 alpha=0.1 beta=0.5 bias=2.0"});
  t.push_back({"NegativeLogLikelihoodLoss", sums(64),
               "T[5,7]@-4..4 i64[5]@0..6; T[5,7]@-4..4 i64[5]@0..6 T[7]@1..2|reduction='sum'; T[2,3,4,5]@-4..4 "
               "i32[2,4,5]@0..2|reduction='none'; T[3,4]@-4..4 i64[3]@0..3 T[4]@1..2|ignore_index=1"});
  t.push_back({"SoftmaxCrossEntropyLoss", sums(64),
               "T[5,7]@-4..4 i64[5]@0..6 -> 2; T[5,7]@-4..4 i64[5]@0..6 T[7]@1..2|reduction='sum'; T[2,3,4,5]@-4..4 "
               "i32[2,4,5]@0..2|reduction='none' -> 2; T[3,4]@-4..4 i64[3]@0..3|ignore_index=1",
               13});
}

void add_window_rows(std::vector<Row>& t) {
  t.push_back(
      {"MaxPool", kExact,
       "T[1,2,33]|kernel_shape=[3]; T[2,3,9,7]|kernel_shape=[3,2] strides=[2,1] pads=[1,0,1,1]; T[1,2,8,8]"
       "|kernel_shape=[3,3] strides=[2,2] ceil_mode=1; T[1,1,9,9]|kernel_shape=[2,2] dilations=[2,3];"
       "T[1,2,5,6,7]|kernel_shape=[2,2,2]; T[1,2,7,5]|kernel_shape=[2,2] auto_pad='SAME_UPPER' -> 2; T[0,2,5]"
       "|kernel_shape=[2]; T[1,3,6,20]|kernel_shape=[3,3] pads=[1,1,1,1] storage_order=1 -> 2;"
       "T[1,2,9,9]@0..1|kernel_shape=[3,2] pads=[2,1,2,1] dilations=[2,1] -> 2; T[2,1,3,4,5]@0..2|kernel_shape=[2,3,2] "
       "pads=[1,1,1,1,1,1] strides=[1,2,1] storage_order=1 -> 2; T[1,2,20,19]|kernel_shape=[7,9] pads=[3,4,3,4];"
       "T[1,2,33,40]|kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]; T[1,1,17,39]|kernel_shape=[5,6] dilations=[1,2] "
       "strides=[1,2] pads=[2,5,2,5]"});
  t.push_back({"AveragePool", sums(16),
               "T[1,2,33]|kernel_shape=[3]; T[2,3,9,7]|kernel_shape=[3,2] strides=[2,1] pads=[1,0,1,1]; T[1,2,8,8]"
               "|kernel_shape=[3,3] strides=[2,2] ceil_mode=1 count_include_pad=1 pads=[1,1,1,1]; T[1,1,9,9]"
               "|kernel_shape=[2,2] dilations=[2,3]; T[1,2,5,6,7]|kernel_shape=[2,2,2]; T[1,2,7,5]|kernel_shape=[2,2] "
               "auto_pad='SAME_LOWER'; T[0,2,5]|kernel_shape=[2]"});
  t.push_back({"LpPool", sums(32),
               "T[1,2,33]|kernel_shape=[3]; T[2,3,9,7]@-2..2|kernel_shape=[3,2] strides=[2,1] pads=[1,0,1,1] p=1; "
               "T[1,2,8,8]@-2..2|kernel_shape=[2,2] p=3"});
  for (const char* op : {"GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"})
    t.push_back(
        {op, op[6] == 'M' ? kExact : sums(32), "T[1,2,33]@-3..3; T[2,3,9,7]@-3..3; T[1,20,2,3,4]@-3..3; T[0,2,3]"});
  t.push_back({"MaxUnpool", kExact,
               "T[1,1,2,2] i64[1,1,2,2]=5,7,13,15|kernel_shape=[2,2] strides=[2,2]; T[1,1,3] i64[1,1,3]=1,2,5 "
               "i64[3]=1,1,7|kernel_shape=[2] strides=[2]"});
  t.push_back(
      {"Upsample", sums(8, 1), "T[1,2,3,5]@-3..3 f32[4]=1,1,2,3; T[1,2,3,5]@-3..3 f32[4]=1,1,2,2|mode='linear'", 9});
  std::string resizes;
  for (const char* mode : {"nearest", "linear", "cubic"})
    for (const char* where : {"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"})
      for (const char* to : {"- f32[4]=1,1,0.6,2.4", "- - i64[4]=1,2,3,19"})
        resizes += std::string("T[1,2,4,5]@-3..3 ") + to + "|mode='" + mode + "' coordinate_transformation_mode='" +
                   where + "';";
  t.push_back(
      {"Resize", sums(64, 1),
       resizes +
           "T[1,1,4,6]@-3..3 f32[8]=0,0,0.2,0.1,1,1,0.8,0.9 - i64[4]=1,1,3,4|mode='linear' "
           "coordinate_transformation_mode='tf_crop_and_resize';"
           "T[1,2,9,7]@-3..3 - f32[4]=1,1,0.5,0.4|mode='linear' antialias=1;"
           "T[2,3,4,19,5]@-3..3 - f32[5]=1,1,2.5,0.5,3|mode='cubic';"
           "T[2,9,7]@-3..3 - - i64[2]=4,19|mode='nearest' axes=[1,2] nearest_mode='ceil'; T[33]@-3..3 - f32[1]=0.5",
       19});
  t.push_back(
      {"GridSample", sums(64),
       "T[1,2,4,5]@-3..3 T[1,3,7,2]@-1..1; T[2,1,5,4]@-3..3 T[2,2,19,2]@-1.5..1.5|mode='nearest' padding_mode='border';"
       "T[1,2,5,5]@-3..3 T[1,3,4,2]@-1.5..1.5|mode='cubic' padding_mode='reflection' align_corners=1"});
  t.push_back(
      {"RoiAlign", sums(64),
       "T[2,3,9,9]@-3..3 T[3,4]=0,0,5,5,1,2,7,8,3,3,4,6 i64[3]=0,1,0|output_height=3 output_width=5 sampling_ratio=2;"
       "T[2,3,9,9]@-3..3 T[3,4]=0,0,5,5,1,2,7,8,-3,3,4,19 i64[3]=0,1,0|output_height=3 output_width=2;"
       "T[1,2,8,8]@-3..3 T[1,4]=0,0,6,6 i64[1]=0|output_height=2 output_width=2 sampling_ratio=3 mode='max' "
       "coordinate_transformation_mode='output_half_pixel' spatial_scale=0.5"});
}

}  // namespace cppgen::differential
