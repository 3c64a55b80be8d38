// The instruction sets of x86-64: detection from made-up CPUs, selection, and that forced ISAs really ran.
#include "isa/vec_isa.h"
#include "runtime/base/errors.h"
#include "tests/isa/vec_test_support.h"

namespace {

using cppgen::CpuFeature;
using cppgen::CpuFeatures;
using cppgen::IsaRequest;
using cppgen::select_isa;

constexpr CpuFeatures kNothing{};
constexpr CpuFeatures kHaswell{CpuFeature::avx, CpuFeature::avx2, CpuFeature::fma, CpuFeature::f16c};
CpuFeatures skylake() { return cppgen::find_isa("avx512")->required; }

std::string error_of(const IsaRequest& request, CpuFeatures cpu) {
  try {
    return "selected " + std::string(select_isa(request, cpu).name);
  } catch (const cppgen::UserError& e) {
    return e.what();
  }
}

TEST(IsaTable, AmxIsTheRowWithMatrixTiles) {
  ASSERT_NE(cppgen::matrix_tile_isa(), nullptr);
  EXPECT_EQ(cppgen::matrix_tile_isa()->name, "amx");
  EXPECT_EQ(cppgen::own_features(*cppgen::matrix_tile_isa()),
            (CpuFeatures{CpuFeature::amx_tile, CpuFeature::amx_int8, CpuFeature::amx_bf16}));
}

TEST(IsaDetection, NeedsTheOperatingSystemsState) {
  cppgen::CpuidRegisters all{~0u, ~0u, ~0u, ~0u, ~0u, ~0ull};
  EXPECT_TRUE(cppgen::decode_features(all).has_all(skylake()));
  EXPECT_TRUE(cppgen::decode_features(all).has(CpuFeature::amx_bf16));
  all.xcr0 = 0x7;  // AVX state, but no opmask and ZMM state
  EXPECT_TRUE(cppgen::decode_features(all).has_all(kHaswell));
  EXPECT_FALSE(cppgen::decode_features(all).has(CpuFeature::avx512f));
  EXPECT_FALSE(cppgen::decode_features(all).has(CpuFeature::amx_tile));
  all.xcr0 = 0;
  EXPECT_EQ(cppgen::decode_features(all), kNothing);
  cppgen::CpuidRegisters no_fma{~(1u << 12), ~0u, ~0u, ~0u, ~0u, ~0ull};
  EXPECT_EQ(cppgen::best_isa(cppgen::decode_features(no_fma)).name, "scalar");
}

TEST(IsaDetection, AgreesWithTheCompilersView) {
  __builtin_cpu_init();
  const CpuFeatures cpu = cppgen::detect_cpu_features();
  EXPECT_EQ(cpu.has(CpuFeature::avx2), bool(__builtin_cpu_supports("avx2")));
  EXPECT_EQ(cpu.has(CpuFeature::fma), bool(__builtin_cpu_supports("fma")));
  EXPECT_EQ(cpu.has(CpuFeature::avx512f), bool(__builtin_cpu_supports("avx512f")));
  EXPECT_EQ(cpu.has(CpuFeature::avx512bw), bool(__builtin_cpu_supports("avx512bw")));
}

TEST(IsaSelection, PicksTheBestOrTheForced) {
  EXPECT_EQ(select_isa({}, kNothing).name, "scalar");
  EXPECT_EQ(select_isa({}, kHaswell).name, "avx2");
  EXPECT_EQ(select_isa({}, skylake()).name, "avx512");
  EXPECT_EQ(select_isa({.vec_isa_ok = true}, skylake()).name, "avx512");
  EXPECT_EQ(select_isa({.vec_isa_ok = false}, skylake()).name, "scalar");
  EXPECT_EQ(select_isa({.isa = "avx2"}, skylake()).name, "avx2");
  EXPECT_EQ(select_isa({.simdlen = 256}, skylake()).name, "avx2");
  EXPECT_EQ(select_isa({.simdlen = 512}, skylake()).name, "avx512");
  EXPECT_EQ(select_isa({.simdlen = 1}, skylake()).name, "scalar");
  EXPECT_EQ(select_isa({.isa = "avx512", .simdlen = 512, .vec_isa_ok = true}, skylake()).name, "avx512");
  EXPECT_EQ(select_isa({.isa = "scalar", .vec_isa_ok = false}, skylake()).name, "scalar");
}

TEST(IsaSelection, RefusalsSayWhatIsAllowed) {
  EXPECT_EQ(error_of({.isa = "sse9"}, skylake()),
            "ISA=sse9 is unknown. Allowed: auto, scalar, avx2, avx512, avx512_vnni, avx512_bf16, amx");
  EXPECT_EQ(
      error_of({.isa = "avx512"}, kHaswell),
      "ISA=avx512 requests avx512 (AVX-512 F, BW, DQ and VL, 512-bit vectors), but this CPU lacks avx512f avx512bw "
      "avx512dq avx512vl; it has avx avx2 fma f16c. Allowed here: scalar, avx2; VEC_ISA_OK=1 compiles for other "
      "machines, too");
  EXPECT_EQ(select_isa({.isa = "avx512", .vec_isa_ok = true}, kHaswell).name, "avx512") << "compiled for another CPU";
  EXPECT_EQ(error_of({.simdlen = 256}, kNothing),
            "SIMDLEN=256 requests avx2 (AVX2 with FMA and F16C, 256-bit vectors), but this CPU lacks avx avx2 fma "
            "f16c; it has none. Allowed here: scalar");
  EXPECT_EQ(error_of({.simdlen = 128}, skylake()),
            "SIMDLEN=128 is not the width of any instruction set. Allowed: 0 (the widest), 1 (scalar), 256 (avx2), 512 "
            "(avx512)");
  EXPECT_EQ(error_of({.isa = "avx2", .simdlen = 512}, skylake()),
            "ISA=avx2 has vectors of 256 bits, but SIMDLEN=512 requests another width. Set only one of the two, or "
            "SIMDLEN=256");
  EXPECT_EQ(error_of({.isa = "avx2", .vec_isa_ok = false}, skylake()),
            "VEC_ISA_OK=0 allows only scalar kernels, but ISA=avx2 requests avx2. Allowed: ISA=scalar or SIMDLEN=1, or "
            "leave VEC_ISA_OK unset");
}

// Fails if a CPU with vector registers never ran a vector ISA in these tests.
TEST(IsaDispatch, VectorIsasRanWhereTheCpuHasThem) {
  std::vector<std::string> ran;
  for (const vec_test::VecKernels* isa : vec_test::runnable()) {
    std::vector<uint8_t> a(isa->lanes, 1), out(6 * isa->lanes + 3);
    isa->masks({.a = a.data(), .b = a.data(), .out = out.data(), .n = isa->lanes});
    if (std::count(out.begin() + 5 * isa->lanes, out.begin() + 6 * isa->lanes, 1) == isa->lanes)
      ran.push_back(isa->isa);
  }
  const auto did_run = [&](const char* name) { return std::find(ran.begin(), ran.end(), name) != ran.end(); };
  __builtin_cpu_init();
  EXPECT_TRUE(did_run("scalar"));
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  EXPECT_TRUE(did_run("avx2") || !has_avx2);
  EXPECT_TRUE(did_run("avx512") || !has_avx512);
}

}  // namespace
