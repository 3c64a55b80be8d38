// The table of ISAs, detection from made-up CPUs, selection, and that forced ISAs really ran.
#include <set>

#include "isa/vec_isa.h"
#include "runtime/abi/abi.h"
#include "runtime/base/errors.h"
#include "runtime/base/settings.h"
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

TEST(IsaTable, RowsAreOrderedAndComplete) {
  const auto rows = cppgen::all_isas();
  ASSERT_GE(rows.size(), 3u);
  EXPECT_EQ(rows[0].name, "scalar");
  EXPECT_EQ(rows[0].required, kNothing);
  for (size_t i = 0; i < rows.size(); i++) {
    EXPECT_EQ(cppgen::find_isa(rows[i].name), &rows[i]);
    EXPECT_FALSE(rows[i].compiler_flags.empty());
    const vec_test::VecKernels* kernels = vec_test::kernels_of(rows[i].folder);
    ASSERT_NE(kernels, nullptr) << rows[i].name << " has no tests";
    EXPECT_EQ(kernels->lanes, rows[i].lanes);
  }
  EXPECT_EQ(cppgen::find_isa("neon"), nullptr);
}

TEST(IsaTable, AmxIsTheRowWithMatrixTiles) {
  EXPECT_EQ(cppgen::amx_isa().name, "amx");
  EXPECT_EQ(cppgen::own_features(cppgen::amx_isa()),
            (CpuFeatures{CpuFeature::amx_tile, CpuFeature::amx_int8, CpuFeature::amx_bf16}));
  EXPECT_EQ(cppgen::own_features(cppgen::all_isas()[0]), kNothing);
}

// The settings accept exactly the rows of the table.
TEST(IsaTable, SettingsNameItsRows) {
  const auto allowed = [](std::string_view name) {
    for (const cppgen::SettingDescription& row : cppgen::Settings().describe())
      if (row.name == name) return row.allowed;
    return std::string();
  };
  std::string names = "a list of auto";
  std::set<int> widths{0};
  for (const cppgen::VecISA& row : cppgen::all_isas()) {
    names += ", " + std::string(row.name);
    widths.insert(row.vector_bits);
  }
  EXPECT_EQ(allowed("ISA"), names);
  EXPECT_EQ(allowed("SIMDLEN"), fmt::format("{}", fmt::join(widths, ", ")));
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

// vec numbers the runtime's double precision functions itself: the same order as the .def file.
template <size_t... I>
constexpr std::array<double (*)(double), sizeof...(I)> tagged(std::index_sequence<I...>) {
  return {+[](double x) { return x + 1000.0 * I; }...};
}
TEST(IsaDispatch, RuntimeMathReachesTheRightFunction) {
  constexpr auto functions = tagged(std::make_index_sequence<18>());
  const cppgen_runtime rt{functions.data(), [](double x, double y) { return 7 * x + y; }, nullptr, nullptr};
  for (const vec_test::VecKernels* isa : vec_test::runnable()) {
    std::vector<double> a(isa->lanes), b(isa->lanes, 3.0), out((functions.size() + 1) * isa->lanes);
    for (int i = 0; i < isa->lanes; i++) a[i] = i;
    isa->runtime_math({.a = a.data(), .b = b.data(), .out = out.data(), .rt = &rt});
    for (size_t f = 0; f < functions.size(); f++)
      for (int i = 0; i < isa->lanes; i++) ASSERT_EQ(out[f * isa->lanes + i], i + 1000.0 * double(f)) << isa->isa << f;
    for (int i = 0; i < isa->lanes; i++) ASSERT_EQ(out[functions.size() * isa->lanes + i], 7.0 * i + 3.0);
  }
}

}  // namespace
