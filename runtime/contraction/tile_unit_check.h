#pragma once
#include <cstdint>
#include <cstring>
#include <string>

#include "runtime/base/narrow_floats.h"
#include "runtime/contraction/emulated_tile_unit.h"

namespace cppgen::rt {

struct TileProducts {
  alignas(64) float bf16[16 * 16];
  alignas(64) int32_t i8[16 * 16], u8[16 * 16];
};

// One product of each kind, added to a sum. The operands are small integers: every order of summation gives the same
// bits.
template <class Unit>
TileProducts tile_products() {
  alignas(64) uint16_t a[16 * 32], b[16 * 32];
  alignas(64) int8_t p[16 * 64], q[16 * 64];
  alignas(64) int32_t zero[16 * 16] = {};
  for (int i = 0; i < 16 * 32; i++)
    a[i] = f32_to_bf16(float(i * 7 % 23 - 11)), b[i] = f32_to_bf16(float(i * 5 % 19 - 9));
  for (int i = 0; i < 16 * 64; i++) p[i] = int8_t(i * 37 % 256 - 128), q[i] = int8_t(i * 91 % 256 - 128);
  TileProducts result;
  Unit unit;
  unit.configure();
  unit.template zero<0>(), unit.template zero<1>();
  unit.template load<2>(zero, 64);
  unit.template load<3>(a, 64), unit.template load<4>(a, 64), unit.template load<5>(b, 64);
  unit.template dot_bf16<0, 4, 5>(), unit.template dot_bf16<0, 4, 3>();
  unit.template load<3>(p, 64), unit.template load<6>(p, 64), unit.template load<7>(q, 64);
  unit.template dot_i8<1, 6, 7>(), unit.template dot_i8<1, 6, 3>();
  unit.template dot_u8<2, 6, 7>(), unit.template dot_u8<2, 6, 3>();
  unit.template store<0>(result.bf16, 64), unit.template store<1>(result.i8, 64), unit.template store<2>(result.u8, 64);
  unit.release();
  return result;
}

// Compares the tile unit with EmulatedTileUnit; empty if they agree, else the name of the product that differs.
template <class Unit>
std::string difference_from_emulation() {
  const TileProducts got = tile_products<Unit>(), want = tile_products<EmulatedTileUnit>();
  if (std::memcmp(got.bf16, want.bf16, sizeof got.bf16) != 0) return "products of bfloat16";
  if (std::memcmp(got.i8, want.i8, sizeof got.i8) != 0) return "products of int8";
  if (std::memcmp(got.u8, want.u8, sizeof got.u8) != 0) return "products of uint8";
  return "";
}

}  // namespace cppgen::rt
