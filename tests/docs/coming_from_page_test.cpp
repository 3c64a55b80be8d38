// docs/coming_from.md is generated from the aliases of the table of settings. After a change of the table update it:
//   UPDATE_DOCS=1 build/release/bin/test_docs
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/base/settings.h"

namespace cppgen {
namespace {

constexpr const char* kPath = CPPGEN_SOURCE_DIR "/docs/coming_from.md";

constexpr const char* kIntroduction = R"(# Coming from another compiler

This page is generated from `runtime/base/settings.def`; the test `docs` fails if it is out of date and prints the
command that updates it.

cppgen reads the variables that you already have in your scripts, if the `CPPGEN_` variable of the same meaning is not
set. The tables list them with the setting that they stand for, and what is different here. [settings.md](settings.md)
describes every setting, and lists the variables that have no effect on purpose. A value that is not allowed here never
stops a program: it is ignored, and a warning says so. If two variables of the same meaning disagree, the one that
[settings.md](settings.md) lists first counts, and a warning names both.

)";

// The program that a variable belongs to, by how it begins.
struct Origin {
  const char* program;
  const char* text;
  std::vector<std::string> beginnings;
};

const std::vector<Origin>& origins() {
  static const std::vector<Origin> all = {
      {"TorchInductor",
       "`torch.compile` compiles Python functions while they run; cppgen compiles an ONNX file (`torch.onnx.export`).\n"
       "Dimensions stay symbolic, so there are no recompilations for other sizes; results have the same bits for any\n"
       "number of threads. Options of Python (`torch._inductor.config.cpp.simdlen`) are settings here, too:\n"
       "`CPPGEN_SIMDLEN`.",
       {"TORCH", "AOT_INDUCTOR", "AOTI_", "INDUCTOR_", "LOG_AUTOTUNE_RESULTS", "CXX"}},
      {"AITemplate",
       "A model is an ONNX file instead of a Python module, and a package takes the place of `test.so`. `cppgen "
       "bench`\n"
       "times runs, and `cppgen profile` single kernels.",
       {"AIT_", "CACHE_DIR", "NUM_BUILDERS", "RECOMPILE", "LOGLEVEL", "FORCE_PROFILE", "FLUSH_PROFILE_CACHE", "CI_FLAG",
        "DISABLE_PROFILER_CODEGEN", "COMBINE_PROFILER", "FORCE_ONE_PROFILER"}},
      {"EasyDeL and ejkernel",
       "Kernels are chosen by the compiler and not by calls of operations, so policies apply to a whole model.",
       {"EASYDEL_", "EJKERNEL_", "COMPILE_FUNC_DIR", "LOGGING_LEVEL_ED", "TQDM_NCOLS", "FORCE_NATIVE_RUNTIME"}},
      {"programs on OpenMP (ONNX Runtime, oneDNN, PyTorch)",
       "Kernels run on oneTBB. The variables that bind threads of OpenMP, or let them wait actively, cause a warning "
       "that\n"
       "names the settings in their place.",
       {"OMP_"}}};
  return all;
}

// The difference, where the name alone would mislead.
const std::map<std::string, std::string>& differences() {
  static const std::map<std::string, std::string> all = {
      {"CI_FLAG", "CIRCLECI means 1"},
      {"CACHE_DIR", "names the parent directory, in which `cppgen/` is created"},
      {"TORCHINDUCTOR_CACHE_DIR", "names the parent directory, in which `cppgen/` is created"},
      {"COMPILE_FUNC_DIR", "names the parent directory, in which `cppgen/` is created"},
      {"EJKERNEL_PERSISTENT_CACHE_DIR", "names the parent directory, in which `cppgen/` is created"},
      {"CXX", "only where it can build kernels; otherwise a warning names the compiler that is used"},
      {"AIT_NVCC_CCBIN", "the compiler of kernels: there is no second one"},
      {"AIT_COMPILER_OPT", "-O3 vectorises here: lower levels are for debugging"},
      {"TORCHINDUCTOR_VEC_ISA_OK", "1 also skips the probe of the compiler"},
      {"TORCHINDUCTOR_FX_GRAPH_CACHE", "covers kernels and whole models"},
      {"TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE", "the address of a Redis server; 1 is ignored with a warning"},
      {"TORCHINDUCTOR_BENCHMARK_KERNEL", "a folder with programs and scripts that build them"},
      {"AIT_ENABLE_STANDALONE", "also verifies sample outputs"},
      {"AIT_USE_CMAKE_COMPILATION", "in addition to the compiled kernels"},
      {"TORCHINDUCTOR_CPP_GEMM_CACHE_BLOCKING",
       "Mt and Nt count tiles of rows and panels of columns; Kt must be 0, because the format of packed weights "
       "determines the blocks of K"},
      {"TORCHINDUCTOR_BENCHMARK_FUSION", "part of a tuning (`cppgen tune`), not of every compilation"},
      {"TORCHINDUCTOR_CPP_WEIGHT_PREPACK", "packed weights are part of the package"},
      {"TORCHINDUCTOR_MAX_AUTOTUNE_GEMM_BACKENDS",
       "the order of preference, also without a tuning; CPP are our own tiles; ATEN and TRITON are ignored with a "
       "warning"},
      {"TORCHINDUCTOR_MAX_AUTOTUNE_CONV_BACKENDS",
       "the order of preference, also without a tuning; CPP are our own tiles, which WINOGRAD_4X4 and WINOGRAD_2X2 "
       "replace "
       "where they are predicted to be faster; ATEN and TRITON are ignored with a warning"},
      {"EJKERNEL_OPS_RECORD",
       "names a file; contractions are recorded when a model is compiled, one line of JSON each; `cppgen tune --from` "
       "reads it"},
      {"AIT_MULTISTREAM_MAX_MEM_PARALLEL_OPS", "0 means no maximum"},
      {"TORCHINDUCTOR_MAX_AUTOTUNE", "`cppgen tune` does the same once; its results are used from then on"},
      {"TORCHINDUCTOR_MAX_AUTOTUNE_GEMM_SEARCH_SPACE", "EXHAUSTIVE tries more constants of plans, not all shapes"},
      {"EJKERNEL_AUTOTUNE_POLICY", "for whole models, which are tuned before they are compiled"},
      {"FORCE_PROFILE", "also measures again what has been measured"},
      {"AIT_MULTISTREAM_MODE", "streams are independent steps on the threads of one session"},
      {"TORCH_COMPILE_DEBUG", "the directory is `CPPGEN_TRACE_DIR`"},
      {"TORCHINDUCTOR_DEBUG_FUSION", "`cppgen explain` shows the same without a variable"},
      {"TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE", "`cppgen profile` adds the bound of each step"},
      {"OMP_NUM_THREADS", "of a list, the first number counts; CPPGEN_THREADS and --threads precede it"},
      {"TORCHINDUCTOR_DEBUG_COMPILE",
       "1 adds line numbers only; `CPPGEN_DEBUG_LEVEL=2` also compiles without optimisation"},
      {"TORCHINDUCTOR_BENCHMARK_TEMPLATE_FUSION", "part of a tuning (`cppgen tune`), for all fused kernels"},
      {"TORCHINDUCTOR_BENCHMARK_EPILOGUE_FUSION", "part of a tuning (`cppgen tune`), for all fused kernels"},
      {"AOT_INDUCTOR_DEBUG_INTERMEDIATE_VALUE_PRINTER",
       "1 saves inputs and outputs of kernels; 2 and 3 are ignored with a "
       "warning"},
      {"TORCHINDUCTOR_PROFILE", "1; a pattern of names is ignored with a warning"},
      {"TORCHINDUCTOR_AUTOTUNE_NUM_CHOICES_DISPLAYED", "a number"},
      {"LOGLEVEL", "names of Python's logging: WARNING, not warn"},
  };
  return all;
}

// A default that differs from the one that users of another compiler know.
struct OtherDefault {
  const char* setting;
  const char* theirs;
  const char* reason;
};

const std::vector<OtherDefault>& other_defaults() {
  static const std::vector<OtherDefault> all = {
      {"MAX_AUTOTUNE_GEMM_BACKENDS", "`ATEN,TRITON,CPP` (TorchInductor)",
       "CPP are our own tiles; the others are libraries, which only a tuning or another order chooses"},
      {"MAX_AUTOTUNE_CONV_BACKENDS", "`ATEN,TRITON` (TorchInductor)", "the same"},
      {"MAX_POINTWISE_CAT_INPUTS", "`8` (TorchInductor)",
       "readers load an element of every input: with 8, densenet121 takes 1.1 to 1.3 times as long, and shufflenet as "
       "long "
       "as with 0"},
      {"MIN_CHUNK_SIZE", "`4096` (TorchInductor)",
       "threads take chunks as they become free, so small ones balance well"},
      {"FREEZING", "`0` (TorchInductor)", "a model file does not change while it runs, and constants are packed once"},
      {"MEMORY_PLANNING", "`0` (TorchInductor)", "a plan is made once for each set of sizes"},
      {"USE_FAST_MATH", "`1` (AITemplate)",
       "errors of exp, log, sigmoid, tanh and erf stay below 2.7 ULP instead of 100"},
  };
  return all;
}

std::string table_of_defaults() {
  const std::vector<SettingDescription> settings = Settings().describe();
  std::string text = "| setting | default there | here | why |\n|---|---|---|---|\n";
  for (const OtherDefault& other : other_defaults())
    for (const SettingDescription& setting : settings)
      if (setting.name == other.setting)
        text += fmt::format("| `CPPGEN_{}` | {} | `{}` | {} |\n", setting.name, other.theirs, setting.default_value,
                            other.reason);
  return text;
}

bool belongs_to(const Origin& origin, const std::string& variable) {
  for (const std::string& beginning : origin.beginnings)
    if (variable.starts_with(beginning)) return true;
  return false;
}

std::string table_of(const Origin& origin) {
  std::map<std::string, std::string> rows;  // by variable
  for (const SettingDescription& setting : Settings().describe())
    for (const std::string& alias : setting.aliases) {
      if (!belongs_to(origin, alias)) continue;
      const auto note = differences().find(alias);
      rows[alias] = fmt::format("| `{}` | `CPPGEN_{}` | `{}` | {} |\n", alias, setting.name,
                                setting.default_value.empty() ? "empty" : setting.default_value,
                                note == differences().end() ? "" : note->second);
    }
  std::string text = "| variable | here | default | what differs |\n|---|---|---|---|\n";
  for (const auto& [variable, row] : rows) text += row;
  return text;
}

std::string expected_page() {
  std::string text = kIntroduction;
  for (const Origin& origin : origins())
    text += fmt::format("## {}\n\n{}\n\n{}\n", origin.program, origin.text, table_of(origin));
  return text + "## Defaults that differ\n\n" + table_of_defaults();
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Docs, PageForPeopleFromOtherCompilersIsUpToDate) {
  if (std::getenv("UPDATE_DOCS")) std::ofstream(kPath, std::ios::binary) << expected_page();
  EXPECT_EQ(read(kPath), expected_page()) << "update it: UPDATE_DOCS=1 build/release/bin/test_docs";
}

TEST(Docs, EachAliasBelongsToOneProgram) {
  std::map<std::string, int> aliases;
  for (const SettingDescription& setting : Settings().describe())
    for (const std::string& alias : setting.aliases)
      for (const Origin& origin : origins()) aliases[alias] += belongs_to(origin, alias);
  for (const auto& [alias, count] : aliases) EXPECT_EQ(count, 1) << alias;
  for (const auto& [alias, text] : differences()) EXPECT_TRUE(aliases.contains(alias)) << alias << " is not an alias";
}

TEST(Docs, EachDefaultThatDiffersIsThatOfASetting) {
  std::map<std::string_view, int> settings;
  for (const SettingDescription& setting : Settings().describe()) settings[setting.name]++;
  for (const OtherDefault& other : other_defaults()) EXPECT_EQ(settings[other.setting], 1) << other.setting;
}

}  // namespace
}  // namespace cppgen
