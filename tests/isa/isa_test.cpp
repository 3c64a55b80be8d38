// The table of ISAs of every architecture, and the functions of the runtime that kernels call.
#include <set>

#include "isa/vec_isa.h"
#include "runtime/abi/abi.h"
#include "runtime/base/errors.h"
#include "runtime/base/settings.h"
#include "tests/isa/vec_test_support.h"

namespace {

using cppgen::IsaRequest;
using cppgen::select_isa;

constexpr cppgen::CpuFeatures kNothing{};
TEST(IsaTable, RowsAreOrderedAndComplete) {
  const auto rows = cppgen::all_isas();
  ASSERT_GE(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "scalar");
  EXPECT_EQ(rows[0].required, kNothing);
  for (size_t i = 0; i < rows.size(); i++) {
    EXPECT_EQ(cppgen::find_isa(rows[i].name), &rows[i]);
    EXPECT_FALSE(rows[i].compiler_flags.empty());
    const vec_test::VecKernels* kernels = vec_test::kernels_of(rows[i].folder);
    ASSERT_NE(kernels, nullptr) << rows[i].name << " has no tests";
    EXPECT_EQ(kernels->lanes, rows[i].lanes);
  }
  EXPECT_EQ(cppgen::find_isa("none"), nullptr);
  EXPECT_EQ(cppgen::own_features(rows[0]), kNothing);
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

TEST(IsaSelection, TheScalarRowNeedsNothing) {
  EXPECT_EQ(select_isa({}, kNothing).name, "scalar");
  EXPECT_EQ(select_isa({.isa = "scalar", .vec_isa_ok = false}, kNothing).name, "scalar");
  EXPECT_EQ(select_isa({.simdlen = 1}, kNothing).name, "scalar");
  EXPECT_THROW(select_isa({.isa = "none"}, kNothing), cppgen::UserError);
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
