// A compiled model may be taken from the cache with other settings than those that it was compiled with only if what is
// stored does not depend on them: every row of the table is part of the key, or has a reason here, which is tried.
#include "cppgen/flow/compile/model_key.h"

#include <nlohmann/json.hpp>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/package/model_cache.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

struct Independent {
  std::string_view name, why;
};

constexpr std::string_view kOfRuns = "sessions read it when they are made";
constexpr std::string_view kOfCaches = "it decides where things are stored, and for how long";
constexpr std::string_view kOfCompiling = "it decides how compilers are started, not what they compile";
constexpr std::string_view kOfTuning = "it decides what is measured; the results that are used are in the key";
constexpr std::string_view kOfReports = "it decides what is printed, or written elsewhere";
constexpr std::string_view kOfOutput = "it concerns packages that are written with --output, which are no cache";

// The rows that are not in the key.
constexpr Independent kIndependent[] = {
    {"ENABLE_ASM_INFO", kOfReports},
    {"COMPILE_THREADS", kOfCompiling},
    {"COMPILE_TIMEOUT_SECONDS", kOfCompiling},
    {"CACHE_DIR", kOfCaches},
    {"CACHE_DIR_SHARED", kOfCaches},
    {"KERNEL_CACHE", kOfCaches},
    {"FORCE_DISABLE_CACHES", kOfCaches},
    {"RECOMPILE", kOfCaches},
    {"CACHE_SIZE_LIMIT", kOfCaches},
    {"WEIGHTS_CACHE_LIMIT", kOfCaches},
    {"FILE_LOCK_TIMEOUT", kOfCaches},
    {"TIME_COMPILATION", kOfReports},
    {"WORKER_LOG_PATH", kOfReports},
    {"AUTO", kOfRuns},
    {"THREADS", kOfRuns},
    {"MIN_CHUNK_SIZE", kOfRuns},
    {"AFFINITY", kOfRuns},
    {"SMT", kOfRuns},
    {"CORE_TYPE", kOfRuns},
    {"NUM_STREAMS", kOfRuns},
    {"SPIN_MICROSECONDS", kOfRuns},
    {"MULTISTREAM_MODE", kOfRuns},
    {"MULTISTREAM_EXTRA_STREAMS", kOfRuns},
    {"MULTISTREAM_MAX_MEM_PARALLEL_OPS", kOfRuns},
    {"HUGE_PAGES", kOfRuns},
    {"MEMORY_PLANNING", kOfRuns},
    {"FLUSH_DENORMALS", kOfRuns},
    {"MEMORY_POOL", kOfRuns},
    {"ALLOW_BUFFER_REUSE", kOfRuns},
    {"FORCE_MMAP_WEIGHTS", kOfRuns},
    {"NUMA_WEIGHTS", kOfRuns},
    {"SIZE_ASSERTS", kOfRuns},
    {"ALIGNMENT_ASSERTS", kOfRuns},
    {"SCALAR_ASSERTS", kOfRuns},
    {"NAN_ASSERTS", kOfRuns},
    {"MAX_AUTOTUNE", kOfTuning},
    {"MAX_AUTOTUNE_GEMM", kOfTuning},
    {"MAX_AUTOTUNE_POINTWISE", kOfTuning},
    {"MAX_AUTOTUNE_GEMM_SEARCH_SPACE", kOfTuning},
    {"AUTOTUNE_POLICY", kOfTuning},
    {"LOG_AUTOTUNE", kOfReports},
    {"AUTOTUNE_NUM_CHOICES_DISPLAYED", kOfReports},
    {"AUTOTUNE_RESULT_TIMEOUT_SECONDS", kOfTuning},
    {"AUTOTUNE_MAX_CANDIDATES", kOfTuning},
    {"COORDINATE_DESCENT_TUNING", kOfTuning},
    {"COORDINATE_DESCENT_RADIUS", kOfTuning},
    {"COORDINATE_DESCENT_CHECK_ALL_DIRECTIONS", kOfTuning},
    {"FLUSH_PROFILE_CACHE", kOfTuning},
    {"FORCE_PROFILE", kOfTuning},
    {"DISABLE_PROFILER_CODEGEN", kOfTuning},
    {"CI_FLAG", kOfTuning},
    {"DETERMINISTIC", kOfTuning},
    {"BENCHMARK_FUSION", kOfTuning},
    {"LOGLEVEL", kOfReports},
    {"TRACE", kOfReports},
    {"TRACE_DIR", kOfReports},
    {"DEBUG_FUSION", kOfReports},
    {"ENABLE_KERNEL_PROFILE", kOfRuns},
    {"PROFILE_OUTPUT", kOfRuns},
    {"OPS_STAMP", kOfRuns},
    {"OPS_PREFIX", kOfRuns},
    {"OPS_RECORD", kOfReports},
    {"SAVE_ARGS", kOfRuns},
    {"PROGRESS", kOfReports},
    {"GRAPH_DIAGRAM", kOfReports},
    {"PLOT_SHORTEN_TENSOR_NAMES", kOfReports},
    {"PROGRESS_NCOLS", kOfReports},
    {"PASSES_NUMERIC_CHECK", kOfReports},
    {"REMOTE_CACHE", kOfCaches},
    {"AUTOTUNE_REMOTE_CACHE", kOfCaches},
    {"NON_BLOCKING_REMOTE_CACHE_WRITE", kOfCaches},
    {"BENCHMARK_KERNEL", kOfReports},
    {"ENABLE_STANDALONE", kOfOutput},
    {"USE_CMAKE_COMPILATION", kOfOutput},
    {"AOT_OUTPUT_PATH", kOfOutput},
};

bool is_independent(std::string_view name) {
  return std::any_of(std::begin(kIndependent), std::end(kIndependent),
                     [&](const auto& row) { return row.name == name; });
}

class ModelKeys : public SettingEffect {
 protected:
  // A product with weights that are packed, a sum that is split, and a function.
  std::string layers() const {
    ModelMaker maker;
    maker.input("x", {"8", "48"}).output("y");
    auto& weights = maker.initializer("w", {48, 64}, onnx::TensorProto::FLOAT);
    for (int i = 0; i < 48 * 64; i++) weights.add_float_data(float(i % 7 - 3));
    maker.node("MatMul", {"x", "w"}, {"p"});
    maker.node("Softmax", {"p"}, {"s"});
    maker.node("Exp", {"s"}, {"y"});
    return write("layers.onnx", maker);
  }

  CompileRequest request(const std::string& model, const std::vector<std::pair<std::string, std::string>>& more) const {
    std::vector<std::pair<std::string, std::string>> options{{"CACHE_DIR", path("cache")}, {"PROGRESS", "0"}};
    options.insert(options.end(), more.begin(), more.end());
    CompileRequest request;
    request.model = model;
    request.settings = Settings::from_environment(process_environment(), options);
    return request;
  }

  std::string key(const std::string& model, const std::vector<std::pair<std::string, std::string>>& options) const {
    const CompileRequest made = request(model, options);
    std::vector<rt::CustomFile> custom;
    if (!made.settings.custom_ops.empty()) custom = rt::read_custom_files(made.settings.custom_ops);
    return model_key(made, custom, "the bytes of a model");
  }

  // Values to try for a row, of which some may be impossible on this machine, or the default.
  std::vector<std::string> values_of(const SettingDescription& row) const {
    const std::map<std::string_view, std::string> special{{"CXX", compiler()},
                                                          {"DEBUG_LEVEL", "1"},
                                                          {"TUNING", "column_work=8192"},
                                                          {"COSTS", "function=20"},
                                                          {"DISABLE_PASSES", "fuse_epilogues"},
                                                          {"GEMM_CACHE_BLOCKING", "4,4,0"},
                                                          {"ISA", "scalar"},
                                                          {"REMOTE_CACHE", "redis://127.0.0.1:1"},
                                                          {"CUSTOM_OPS", custom_operators()},
                                                          {"MAX_MEMORY", "1GiB"},
                                                          {"CACHE_DIR", path("other_cache")},
                                                          {"INCLUDE_FROM_SOURCETREE", "1"}};
    if (const auto found = special.find(row.name); found != special.end()) return {found->second};
    if (row.allowed == "any path") return {path("for_" + std::string(row.name))};
    std::vector<std::string> values{"0", "1", "2", "20"};
    std::string word;
    for (const char c : row.allowed + " ")
      if (c == ',' || c == ' ') {
        if (!word.empty()) values.push_back(word);
        word.clear();
      } else {
        word += c;
      }
    return values;
  }

  std::string custom_operators() const {
    const std::string file = path("custom.json");
    if (!fs::exists(file)) folder.write("custom.json", "{\"operators\": []}");
    return file;
  }

  // Options that give the row another value, which is possible here.
  std::vector<std::pair<std::string, std::string>> other(const SettingDescription& row) const {
    for (const std::string& value : values_of(row)) {
      try {
        const auto changed = request("", {{std::string(row.name), value}}).settings.describe();
        for (const SettingDescription& now : changed)
          if (now.name == row.name && now.value != row.value) return {{std::string(row.name), value}};
      } catch (const UserError&) {
        continue;
      }
    }
    ADD_FAILURE() << row.name << ": no value to try";
    return {};
  }

  std::map<std::string, std::string> files_of(const std::string& package) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(package))
      if (entry.is_regular_file()) files[fs::relative(entry.path(), package)] = read_file(entry.path().string());
    return files;
  }

  // The contents of the cache after a compilation, in which no model is cached.
  std::map<std::string, std::string> stored(const std::string& model,
                                            const std::vector<std::pair<std::string, std::string>>& options) const {
    package::ModelCache::clear(path("cache"));
    const CompiledModel compiled = compile_model(request(model, options));
    EXPECT_FALSE(compiled.report.from_cache);
    return files_of(compiled.package);
  }
};

TEST_F(ModelKeys, EverySettingIsInTheKeyOrHasAReason) {
  std::set<std::string_view> rows;
  const Settings defaults = request("", {}).settings;
  const std::string usual = key("model.onnx", {});
  EXPECT_EQ(usual, key("model.onnx", {}));
  for (const SettingDescription& row : defaults.describe()) {
    rows.insert(row.name);
    EXPECT_EQ(key("model.onnx", other(row)) == usual, is_independent(row.name))
        << row.name << " belongs to the key, or into the list of this test with a reason";
  }
  for (const Independent& row : kIndependent) EXPECT_TRUE(rows.count(row.name)) << row.name << " is no setting";
}

// The reasons hold.
TEST_F(ModelKeys, WhatIsStoredDoesNotDependOnSettingsThatAreNotInTheKey) {
  const std::string model = layers();
  const auto usual = stored(model, {});
  ASSERT_TRUE(usual.count("plan.json") && usual.count("weights.bin") && usual.count("kernels_0.so"));
  for (const SettingDescription& row : request("", {}).settings.describe()) {
    if (!is_independent(row.name)) continue;
    const auto options = other(row);
    EXPECT_TRUE(stored(model, options) == usual) << row.name << "=" << options.at(0).second;
  }
}

// Folding stops at half of it.
TEST_F(ModelKeys, MemoryChangesWhatIsFolded) {
  ModelMaker maker;
  maker.input("x", {"1024", "1024"}).output("y");
  maker.initializer("w", {1024, 1024}, onnx::TensorProto::FLOAT).set_raw_data(std::string(4 << 20, '\x3e'));
  maker.node("Exp", {"w"}, {"e"});
  maker.node("Mul", {"x", "e"}, {"y"});
  const std::string model = write("folded.onnx", maker);
  EXPECT_FALSE(stored(model, {{"MAX_MEMORY", "6MiB"}}) == stored(model, {{"MAX_MEMORY", "1GiB"}}));
}

// Two compilers of the same text are two compilers; the same one by another name is not compiled with again.
TEST_F(ModelKeys, TheCompilerIsWhatItsFilesAre) {
  const std::string model = relu(), chosen = compiler();
  environment["CPPGEN_CXX"] = chosen;
  const auto from_cache = [&] {
    return nlohmann::json::parse(succeed({"run", model, "--json"}).out)["from_cache"].get<bool>();
  };
  EXPECT_FALSE(from_cache());
  EXPECT_TRUE(from_cache());
  fs::last_write_time(chosen, fs::last_write_time(chosen) + std::chrono::seconds(5));
  EXPECT_FALSE(from_cache()) << "it was updated";
  EXPECT_TRUE(from_cache());
  environment["CPPGEN_CXX"] = chosen + " -fno-ivopts";
  EXPECT_FALSE(from_cache()) << "other options";
  EXPECT_NE(succeed({"cache", "list"}).out.find("CXX=" + chosen + " -fno-ivopts"), std::string::npos);
}

TEST_F(ModelKeys, ACompilerThatDoesNotExistIsAnErrorAlsoForCachedModels) {
  const std::string model = relu(), made = package(model);
  succeed({"run", model});
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run", model, "--set", "CXX=g++-99"},
        {"bench", model, "--runs", "1", "--sweep", "CXX=g++,g++-99"},
        {"bench", model, "--runs", "1", "--sweep", "CXX=g++,/no/such/compiler"}}) {
    const Ended ended = run(command);
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_NE(ended.err.find("no C++ compiler: '"), std::string::npos) << ended.err;
  }
  EXPECT_NE(run({"bench", model, "--runs", "1", "--sweep", "CXX=g++,g++-99"}).err.find("with CXX=g++-99: "),
            std::string::npos);
  environment["CPPGEN_CXX"] = "g++-99";
  EXPECT_EQ(run({"run", model}).status, 2) << "the variable is as good as the option";
  environment.erase("CPPGEN_CXX");
  EXPECT_EQ(run({"bench", made, "--runs", "1", "--sweep", "CXX=g++,g++-99"}).status, 2)
      << "a package is compiled already";
  environment["CXX"] = "g++-99";
  const Ended foreign = succeed({"run", model, "--json"});
  EXPECT_NE(foreign.err.find("CXX=g++-99 is ignored"), std::string::npos) << foreign.err;
  EXPECT_TRUE(nlohmann::json::parse(foreign.out)["from_cache"]) << "it is what the default compiler made";
}

// Machines that only run models may have no compiler.
TEST_F(ModelKeys, ACachedModelNeedsNoDefaultCompiler) {
  const std::string model = relu();
  succeed({"run", model});
  environment["PATH"] = path("empty");
  const Ended cached = succeed({"run", model, "--json"});
  EXPECT_TRUE(nlohmann::json::parse(cached.out)["from_cache"]);
  EXPECT_EQ(run({"run", model, "--set", "CXX=g++"}).status, 2) << "asked for";
  const Ended other = run({"run", model_of("Exp", 8)});
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("no C++ compiler"), std::string::npos) << other.err;
  environment["CPPGEN_CACHE_DIR"] = path("another_cache");
  EXPECT_EQ(run({"run", model}).status, 2);
}

}  // namespace
}  // namespace cppgen
