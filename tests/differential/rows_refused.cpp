// Samples that operators do not support. The page about operators shows the messages that these samples give, so a
// sample that is taken now fails a test until its row is removed.
#include "tests/differential/row.h"

namespace cppgen::differential {

const std::vector<Row>& refused_rows() {
  static const std::vector<Row> all = {
      {"Attention", {}, "f32[2,5,8] f32[8,24] - - f32[2,2,2,9,4] - i32[1]|num_heads=2", 1, "com.microsoft"},
      {"Attention", {}, "f32[2,5,8] f32[8,24]|num_heads=2 do_rotary=1", 1, "com.microsoft"},
      {"Attention", {}, "f32[2,5,8] f32[8,24] - i32[2,1,9,9]|num_heads=2", 1, "com.microsoft"},
      {"MultiHeadAttention", {}, "f32[2,5,3,3,8]|num_heads=3", 1, "com.microsoft"},
      {"MultiHeadAttention",
       {},
       "f32[1,4,16] f32[1,4,16] f32[1,4,16] - - - - - i32[1]|num_heads=2",
       1,
       "com.microsoft"},
      {"MultiHeadAttention", {}, "f32[1,4,16] f32[1,4,16] f32[1,4,16] - i32[1,1,9,9]|num_heads=2", 1, "com.microsoft"},
      {"GroupQueryAttention",
       {},
       "f32[1,1,16] f32[1,1,8] f32[1,1,8] - - i32[1] i32[1]|num_heads=2 kv_num_heads=1 qk_output=1",
       1,
       "com.microsoft"},
      {"GroupQueryAttention",
       {},
       "f32[1,1,16] f32[1,1,8] f32[1,1,8] - - i32[1] i32[1] - - - - - f32[1]|num_heads=2 kv_num_heads=1",
       1,
       "com.microsoft"},
      {"RotaryEmbedding", {}, "f32[2,3,16] i64[1] f32[9,4] f32[9,4]|is_packed_batching=1", 1, "com.microsoft"},
      {"MatMulNBits", {}, "f32[3,32] u8![5,2,8] f32![5,2] - i32[32]|K=32 N=5 bits=4 block_size=16", 1, "com.microsoft"},
      {"Constant", {}, "|value_string='a'"},
      {"RoiAlign", {}, "f32[1,2,8,8] f32[1,4] i64[1]|output_height=2 output_width=2 sampling_ratio=2000"},
      {"QLinearMatMul", {}, "u8[5,7] f32[] u8[] u8[7,9] f32[] u8[] f32[9] u8[9]"},
      {"QLinearConv", {}, "u8[1,3,9] f32[3] u8[] u8[4,3,3] f32[] u8[] f32[] u8[]"},
      {"Det", {}, "f32[2,N,N]"},
      {"Inverse", {}, "f32[2,N,N]", 1, "com.microsoft"},
      {"CropAndResize", {}, "f32[1,2,8,8] f32[1,4] i32[1] i32[2]", 1, "com.microsoft"},
  };
  return all;
}

}  // namespace cppgen::differential
