// The names that users of other compilers know: each is a setting here, or has a reason why it is none.
#include <algorithm>
#include <fstream>
#include <set>

#include "runtime/base/foreign_names.h"
#include "runtime/base/setting_values.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

struct KnownName {
  std::string name;       // without CPPGEN_
  std::string variables;  // of other programs, separated by spaces
};

const std::vector<KnownName>& known_names() {
  static const std::vector<KnownName> names = {
      // Target and compiler
      {"CXX", "CXX AIT_NVCC_CCBIN"},
      {"COMPILER_OPT", "AIT_COMPILER_OPT"},
      {"ISA", ""},
      {"VEC_ISA_OK", "TORCHINDUCTOR_VEC_ISA_OK"},
      {"SIMDLEN", ""},
      {"USE_AMX", ""},
      {"FPMATH_MODE", ""},
      {"USE_FAST_MATH", "TORCHINDUCTOR_USE_FAST_MATH AIT_USE_FAST_MATH"},
      {"USE_TANH_FOR_SIGMOID", "AIT_USE_TANH_FOR_SIGMOID"},
      {"USE_DECOMPOSE_TANH", ""},
      {"ENABLE_UNSAFE_MATH_OPT_FLAG", "TORCHINDUCTOR_CPP_ENABLE_UNSAFE_MATH_OPT_FLAG"},
      {"ENABLE_FLOATING_POINT_CONTRACT_FLAG", "TORCHINDUCTOR_CPP_ENABLE_FLOATING_POINT_CONTRACT_FLAG"},
      {"NDEBUG", "AIT_NDEBUG"},
      {"DEBUG_LEVEL", "AIT_CUDA_DEBUG_LEVEL"},
      {"ENABLE_LTO", "AIT_ENABLE_CUDA_LTO"},
      {"ENABLE_ASM_INFO", "AIT_ENABLE_PTXAS_INFO"},
      {"PRECOMPILE_HEADERS", ""},
      {"INCLUDE_FROM_SOURCETREE", "AIT_ENABLE_INCLUDE_FROM_SOURCETREE"},
      // Compile pool and caches
      {"COMPILE_THREADS", "TORCHINDUCTOR_COMPILE_THREADS NUM_BUILDERS"},
      {"COMPILE_TIMEOUT_SECONDS", ""},
      {"CACHE_DIR", "CACHE_DIR TORCHINDUCTOR_CACHE_DIR COMPILE_FUNC_DIR EJKERNEL_PERSISTENT_CACHE_DIR"},
      {"KERNEL_CACHE", "TORCHINDUCTOR_FX_GRAPH_CACHE EASYDEL_CACHE_COMPILES"},
      {"FORCE_DISABLE_CACHES", "TORCHINDUCTOR_FORCE_DISABLE_CACHES"},
      {"RECOMPILE", "RECOMPILE AIT_RECOMPILE EASYDEL_RECOMPILE_FORCE"},
      {"CACHE_SIZE_LIMIT", ""},
      {"WEIGHTS_CACHE_LIMIT", ""},
      {"FILE_LOCK_TIMEOUT", "TORCHINDUCTOR_FILE_LOCK_TIMEOUT"},
      {"REMOTE_CACHE", "TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE"},
      {"AUTOTUNE_REMOTE_CACHE", "TORCHINDUCTOR_AUTOTUNE_REMOTE_CACHE"},
      {"BUNDLED_AUTOTUNE_CACHE", "TORCHINDUCTOR_BUNDLED_AUTOTUNE_REMOTE_CACHE"},
      {"NON_BLOCKING_REMOTE_CACHE_WRITE", "TORCHINDUCTOR_NON_BLOCKING_REMOTE_CACHE_WRITE"},
      {"TIME_COMPILATION", "AIT_TIME_COMPILATION"},
      {"WORKER_LOG_PATH", "TORCHINDUCTOR_WORKER_LOGPATH"},
      // Threads and memory
      {"THREADS", ""},
      {"MIN_CHUNK_SIZE", "TORCHINDUCTOR_CPP_MIN_CHUNK_SIZE"},
      {"DYNAMIC_THREADS", "TORCHINDUCTOR_CPP_DYNAMIC_THREADS"},
      {"NO_REDUNDANT_LOOPS", "TORCHINDUCTOR_CPP_NO_REDUNDANT_LOOPS"},
      {"AFFINITY", ""},
      {"SMT", ""},
      {"CORE_TYPE", ""},
      {"NUM_STREAMS", ""},
      {"MULTISTREAM_MODE", "AIT_MULTISTREAM_MODE"},
      {"MULTISTREAM_EXTRA_STREAMS", "AIT_MULTISTREAM_EXTRA_STREAMS"},
      {"MULTISTREAM_MAX_MEM_PARALLEL_OPS", "AIT_MULTISTREAM_MAX_MEM_PARALLEL_OPS"},
      {"SPIN_MICROSECONDS", ""},
      {"HUGE_PAGES", ""},
      {"WEIGHT_PREPACK", "TORCHINDUCTOR_CPP_WEIGHT_PREPACK"},
      {"FREEZING", "TORCHINDUCTOR_FREEZING"},
      {"FREEZING_DISCARD_PARAMETERS", ""},
      {"MEMORY_PLANNING", "TORCHINDUCTOR_MEMORY_PLANNING"},
      {"MEMORY_POOL", "TORCHINDUCTOR_MEMORY_POOL"},
      {"INPLACE_BUFFERS", ""},
      {"ALLOW_BUFFER_REUSE", ""},
      {"REORDER_FOR_PEAK_MEMORY", ""},
      {"STACK_ALLOCATION", "TORCHINDUCTOR_STACK_ALLOCATION"},
      {"FORCE_MMAP_WEIGHTS", ""},
      {"AUTO", "EASYDEL_AUTO"},
      // Fusion and scheduling
      {"MAX_FUSION_SIZE", ""},
      {"MAX_HORIZONTAL_FUSION_SIZE", "TORCHINDUCTOR_CPP_MAX_HORIZONTAL_FUSION_SIZE"},
      {"MAX_FUSION_UNIQUE_IO_BUFFERS", ""},
      {"SCORE_FUSION_MEMORY_THRESHOLD", ""},
      {"AGGRESSIVE_FUSION", ""},
      {"EPILOGUE_FUSION", ""},
      {"PROLOGUE_FUSION", "TORCHINDUCTOR_PROLOGUE_FUSION"},
      {"REALIZE_READS_THRESHOLD", ""},
      {"REALIZE_OPCOUNT_THRESHOLD", ""},
      {"REALIZE_ACC_READS_THRESHOLD", ""},
      {"REALIZE_ACC_READS_SIZE_THRESHOLD", ""},
      {"UNROLL_REDUCTIONS_THRESHOLD", ""},
      {"MAX_POINTWISE_CAT_INPUTS", ""},
      {"FORCE_POINTWISE_CAT", ""},
      {"SPLIT_REDUCTIONS", "TORCHINDUCTOR_SPLIT_REDUCTIONS"},
      {"MIN_NUM_SPLIT", "TORCHINDUCTOR_MIN_NUM_SPLIT"},
      {"PICK_LOOP_ORDERS", ""},
      {"LOOP_ORDERING_AFTER_FUSION", "TORCHINDUCTOR_LOOP_ORDERING_AFTER_FUSION"},
      {"ONLINE_SOFTMAX", "TORCHINDUCTOR_ONLINE_SOFTMAX"},
      {"ENABLE_TILING_HEURISTICS", "TORCHINDUCTOR_CPP_ENABLE_TILING_HEURISTICS"},
      {"ENABLE_LOOP_TAIL_VEC", "TORCHINDUCTOR_CPP_ENABLE_LOOP_TAIL_VEC"},
      {"PATTERN_MATCHER", ""},
      {"CONSTANT_FOLDING", ""},
      {"LAYOUT_OPTIMIZATION", "TORCHINDUCTOR_LAYOUT_OPTIMIZATION"},
      {"FORCE_LAYOUT_OPT", "TORCHINDUCTOR_FORCE_LAYOUT_OPT"},
      {"CONV_1X1_AS_MM", ""},
      {"DECOMPOSE_MEM_BOUND_MM", ""},
      {"FALLBACK_SCATTER_REDUCE_SUM", "TORCHINDUCTOR_CPP_FALLBACK_SCATTER_REDUCE_SUM"},
      {"COMBO_KERNELS", ""},
      // Autotuning
      {"MAX_AUTOTUNE", "TORCHINDUCTOR_MAX_AUTOTUNE"},
      {"MAX_AUTOTUNE_GEMM", "TORCHINDUCTOR_MAX_AUTOTUNE_GEMM"},
      {"MAX_AUTOTUNE_POINTWISE", "TORCHINDUCTOR_MAX_AUTOTUNE_POINTWISE"},
      {"MAX_AUTOTUNE_GEMM_BACKENDS", "TORCHINDUCTOR_MAX_AUTOTUNE_GEMM_BACKENDS"},
      {"MAX_AUTOTUNE_CONV_BACKENDS", "TORCHINDUCTOR_MAX_AUTOTUNE_CONV_BACKENDS"},
      {"MAX_AUTOTUNE_GEMM_SEARCH_SPACE", "TORCHINDUCTOR_MAX_AUTOTUNE_GEMM_SEARCH_SPACE"},
      {"GEMM_MAX_K_SLICES", "TORCHINDUCTOR_CPP_GEMM_MAX_K_SLICES"},
      {"GEMM_CACHE_BLOCKING", "TORCHINDUCTOR_CPP_GEMM_CACHE_BLOCKING"},
      {"GEMM_THREAD_FACTORS", "TORCHINDUCTOR_CPP_GEMM_THREAD_FACTORS"},
      {"AUTOTUNE_POLICY", "EJKERNEL_AUTOTUNE_POLICY"},
      {"LOG_AUTOTUNE", "EJKERNEL_LOG_AUTOTUNE"},
      {"AUTOTUNE_NUM_CHOICES_DISPLAYED", ""},
      {"AUTOTUNE_IN_SUBPROC", "TORCHINDUCTOR_AUTOTUNE_IN_SUBPROC"},
      {"AUTOTUNE_RESULT_TIMEOUT_SECONDS", ""},
      {"AUTOTUNE_MAX_CANDIDATES", "EJKERNEL_RDA_MAX_CANDIDATES"},
      {"AUTOTUNE_CACHE_LIMIT", "EJKERNEL_TRITON_SMEM_LIMIT"},
      {"COORDINATE_DESCENT_TUNING", "TORCHINDUCTOR_COORDINATE_DESCENT_TUNING"},
      {"COORDINATE_DESCENT_RADIUS", "TORCHINDUCTOR_COORDINATE_DESCENT_RADIUS"},
      {"COORDINATE_DESCENT_CHECK_ALL_DIRECTIONS", "TORCHINDUCTOR_COORDINATE_DESCENT_CHECK_ALL_DIRECTIONS"},
      {"FLUSH_PROFILE_CACHE", "FLUSH_PROFILE_CACHE"},
      {"FORCE_PROFILE", "FORCE_PROFILE"},
      {"DISABLE_PROFILER_CODEGEN", "DISABLE_PROFILER_CODEGEN"},
      {"CI_FLAG", "CI_FLAG"},
      {"COMBINE_PROFILER_MULTI_SOURCES", "COMBINE_PROFILER_MULTI_SOURCES"},
      {"FORCE_ONE_PROFILER_SOURCE_PER_TARGET", "FORCE_ONE_PROFILER_SOURCE_PER_TARGET"},
      {"OPS_RECORD", "EJKERNEL_OPS_RECORD"},
      {"BENCHMARK_FUSION", "TORCHINDUCTOR_BENCHMARK_FUSION"},
      // Checks and numerics
      {"SIZE_ASSERTS", "TORCHINDUCTOR_SIZE_ASSERTS"},
      {"ALIGNMENT_ASSERTS", "TORCHINDUCTOR_ALIGNMENT_ASSERTS"},
      {"SCALAR_ASSERTS", "TORCHINDUCTOR_SCALAR_ASSERTS"},
      {"NAN_ASSERTS", "TORCHINDUCTOR_NAN_ASSERTS"},
      {"ASSERT_INDIRECT_INDEXING", ""},
      {"DEBUG_INDEX_ASSERTS", ""},
      {"EMULATE_PRECISION_CASTS", "TORCHINDUCTOR_EMULATE_PRECISION_CASTS"},
      {"DETERMINISTIC", "TORCHINDUCTOR_DETERMINISTIC"},
      {"FORCE_NATIVE_RUNTIME", "FORCE_NATIVE_RUNTIME"},
      {"INJECT_RELU_BUG", ""},
      {"INJECT_LOG1P_BUG", ""},
      // Seeing what happened
      {"LOGLEVEL", "LOGLEVEL LOGGING_LEVEL_ED"},
      {"TRACE", "TORCH_COMPILE_DEBUG"},
      {"TRACE_DIR", ""},
      {"GRAPH_DIAGRAM", "INDUCTOR_POST_FUSION_SVG INDUCTOR_ORIG_FX_SVG"},
      {"PLOT_SHORTEN_TENSOR_NAMES", "AIT_PLOT_SHORTEN_TENSOR_NAMES"},
      {"DESCRIPTIVE_NAMES", ""},
      {"KERNEL_NAME_MAX_OPS", ""},
      {"COMMENT_ORIGIN", ""},
      {"DEBUG_FUSION", "TORCHINDUCTOR_DEBUG_FUSION"},
      {"ENABLE_KERNEL_PROFILE", "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE"},
      {"PROFILE_OUTPUT", "TORCHINDUCTOR_PROFILE_OUTPUT"},
      {"OPS_STAMP", "EJKERNEL_OPS_STAMP"},
      {"OPS_PREFIX", "EJKERNEL_OPS_PREFIX"},
      {"PROGRESS", ""},
      {"PROGRESS_NCOLS", "TQDM_NCOLS"},
      {"SAVE_ARGS", "TORCHINDUCTOR_SAVE_ARGS"},
      {"BENCHMARK_KERNEL", "TORCHINDUCTOR_BENCHMARK_KERNEL"},
      // Ahead of time
      {"ENABLE_STANDALONE", "AIT_ENABLE_STANDALONE"},
      {"USE_CMAKE_COMPILATION", "AIT_USE_CMAKE_COMPILATION"},
      {"AOT_OUTPUT_PATH", ""},
      {"AOT_DEBUG_COMPILE", "AOT_INDUCTOR_DEBUG_COMPILE"},
  };
  return names;
}

std::vector<std::string> warnings_about(const std::string& variable) {
  return Settings::from_environment({{"HOME", "/home/ada"}, {variable, "1"}}).warnings;
}

// Each row of the table has a test of its effect (coverage_test.cpp), which goes through its aliases.
TEST(KnownNames, EachIsASettingWithItsVariablesOrHasAReason) {
  std::map<std::string, std::vector<std::string>> aliases;
  for (const SettingDescription& row : Settings().describe()) aliases[std::string(row.name)] = row.aliases;
  for (const KnownName& known : known_names()) {
    std::vector<std::string> variables = setting_values::split(known.variables, ' ');
    if (const auto row = aliases.find(known.name); row != aliases.end()) {
      for (const std::string& variable : variables)
        EXPECT_EQ(std::count(row->second.begin(), row->second.end(), variable), 1) << known.name << ": " << variable;
      continue;
    }
    const std::string reason(reason_of_absence(known.name));
    EXPECT_NE(reason, "") << known.name;
    variables.push_back("CPPGEN_" + known.name);
    for (const std::string& variable : variables)
      EXPECT_EQ(warnings_about(variable), std::vector<std::string>{variable + " has no effect: " + reason});
  }
}

// inductor_variables.txt: what TorchInductor reads from the environment, in any of its versions from 2.4 to 2.15.
TEST(KnownNames, EachVariableOfTorchInductorHasAnAnswer) {
  std::set<std::string> aliases;
  for (const SettingDescription& row : Settings().describe()) aliases.insert(row.aliases.begin(), row.aliases.end());
  std::ifstream file(CPPGEN_SOURCE_DIR "/tests/settings/inductor_variables.txt");
  size_t count = 0;
  for (std::string variable; std::getline(file, variable); count++) {
    if (aliases.contains(variable)) continue;
    const std::vector<std::string> warnings = warnings_about(variable);
    ASSERT_EQ(warnings.size(), 1u) << variable;
    EXPECT_TRUE(warnings[0].starts_with(variable + " has no effect: ")) << warnings[0];
    EXPECT_EQ(warnings[0].find("does not know"), std::string::npos) << warnings[0];
  }
  EXPECT_GT(count, 250u);
}

}  // namespace
}  // namespace cppgen
