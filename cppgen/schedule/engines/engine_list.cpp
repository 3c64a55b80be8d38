#include "cppgen/schedule/engines/engine_list.h"

#include "cppgen/schedule/engines/loops.h"
#include "cppgen/schedule/engines/n_bits.h"
#include "cppgen/schedule/engines/onednn.h"
#include "cppgen/schedule/engines/tile_conditions.h"
#include "cppgen/schedule/engines/tile_engine.h"
#include "cppgen/schedule/engines/xsmm.h"

namespace cppgen::schedule {

const std::vector<Engine>& engine_list() {
  using enum rt::TileFormat;
  static const std::vector<Engine> list = {
      tile_engine("amx-bf16", {split1}, splits_into_one),
      tile_engine("amx-bf16x3", {split2}, splits_into_two),
      tile_engine("amx-bf16x6", {split3}, splits_into_three),
      tile_engine("avx512-bf16", {bf16_of_f32}, rounds_to_bf16),
      tile_engine("cppgen", {f32, f32_wide, f32_narrow}),
      tile_engine("amx-int8", {u8s8_block}, multiplies_bytes_on_tiles),
      tile_engine("amx-int8", {s8s8_block}, multiplies_bytes_on_tiles),
      tile_engine("cppgen", {u8s8}),
      tile_engine("cppgen", {s8s8}),
      tile_engine("amx-bf16-tensors", {split_bf16}, multiplies_bf16_tiles),
      tile_engine("avx512-bf16-tensors", {bf16}, multiplies_bf16_pairs),
      tile_engine("cppgen-bf16", {f32_of_bf16}),
      tile_engine("cppgen-f16", {f32_of_f16}),
      n_bit_engine(),
      xsmm_engine(),
      onednn_engine(),
      loops_engine(),
  };
  return list;
}

}  // namespace cppgen::schedule
