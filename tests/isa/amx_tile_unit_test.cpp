// The tile unit of AMX: whether it may be used, and what the assembler makes of its instructions.
#include "runtime/contraction/amx_tile_unit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "isa/cpu_features.h"
#include "runtime/contraction/amx_support.h"

namespace {

using namespace cppgen;
using namespace cppgen::rt;

TEST(AmxSupport, IsRefusedWithAReasonWhereTheCpuLacksIt) {
  const AmxSupport& support = amx_support();
  if (!detect_cpu_features().has(CpuFeature::amx_tile)) {
    EXPECT_FALSE(support.usable);
    EXPECT_EQ(support.reason.rfind("this CPU or its operating system lacks amx_tile", 0), 0u) << support.reason;
  }
  EXPECT_EQ(support.usable, support.reason.empty());
}

// ---- encodings: the Intel 64 manual, volume 2 ----

void configure() { AmxTileUnit::configure(); }
void release() { AmxTileUnit::release(); }
void zero_5() { AmxTileUnit::zero<5>(); }
void load_6(const void* p, long stride) { AmxTileUnit::load<6>(p, stride); }
void store_3(void* p, long stride) { AmxTileUnit::store<3>(p, stride); }
void bf16_2_5_7() { AmxTileUnit::dot_bf16<2, 5, 7>(); }
void i8_2_5_7() { AmxTileUnit::dot_i8<2, 5, 7>(); }
void u8_2_5_7() { AmxTileUnit::dot_u8<2, 5, 7>(); }

using Bytes = std::vector<unsigned char>;

template <class Function>
bool has(Function* function, const Bytes& instruction) {
  const auto* code = reinterpret_cast<const unsigned char*>(function);
  const unsigned char* const end = code + 64;
  return std::search(code, end, instruction.begin(), instruction.end()) != end;
}

// VEX.128, map 0F38, W0: what comes before the opcode. `source` is the register in VEX.vvvv.
Bytes vex(int prefix, int opcode, int source = 0) {
  return {0xc4, 0xe2, static_cast<unsigned char>((~source & 15) << 3 | prefix), static_cast<unsigned char>(opcode)};
}
Bytes with(Bytes bytes, int last) {
  bytes.push_back(static_cast<unsigned char>(last));
  return bytes;
}
constexpr int kNone = 0, k66 = 1, kF3 = 2, kF2 = 3;

TEST(AmxTileUnit, AssemblesToTheInstructions) {
  EXPECT_TRUE(has(configure, vex(kNone, 0x49)));
  EXPECT_TRUE(has(release, with(vex(kNone, 0x49), 0xc0)));
  EXPECT_TRUE(has(zero_5, with(vex(kF2, 0x49), 0xc0 | 5 << 3)));
  EXPECT_TRUE(has(load_6, with(vex(kF2, 0x4b), 6 << 3 | 4)));
  EXPECT_TRUE(has(store_3, with(vex(kF3, 0x4b), 3 << 3 | 4)));
  EXPECT_TRUE(has(bf16_2_5_7, with(vex(kF3, 0x5c, 7), 0xc0 | 2 << 3 | 5)));
  EXPECT_TRUE(has(i8_2_5_7, with(vex(kF2, 0x5e, 7), 0xc0 | 2 << 3 | 5)));
  EXPECT_TRUE(has(u8_2_5_7, with(vex(k66, 0x5e, 7), 0xc0 | 2 << 3 | 5)));
}

}  // namespace
