// Settings of how kernels are compiled.
#include <nlohmann/json.hpp>

#include "cppgen/compile/kernel_cache.h"
#include "cppgen/compile/vec_headers.h"
#include "cppgen/support/file_io.h"
#include "isa/vec_isa.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  if (fs::exists(folder))
    for (const auto& file : fs::directory_iterator(folder)) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

// The kernels of a package, one after the other.
std::string objects(const std::string& package) {
  std::string bytes;
  for (const std::string& file : files_in(package))
    if (file.ends_with(".so")) bytes += read_file(file);
  return bytes;
}

std::string only_command(const std::vector<std::string>& commands) {
  EXPECT_EQ(commands.size(), 1u);
  return commands.empty() ? "" : commands[0];
}

TEST_F(SettingEffect, WORKER_LOG_PATH) {
  use_compiler();
  const std::string model = products(3);
  const auto logs = [&] {
    fs::remove_all(path("logs"));
    succeed_anew({"run", model});
    size_t complete = 0;
    for (const std::string& file : files_in(path("logs"))) {
      const std::string log = read_file(file);
      complete += contains(log, " -std=gnu++20 ") && contains(log, "exited with status 0 (");
    }
    EXPECT_EQ(complete, files_in(path("logs")).size());
    return complete == commands().size();
  };
  expect_effect<bool>(path("logs"), logs, false, true);
}

TEST_F(SettingEffect, INCLUDE_FROM_SOURCETREE) {
  use_compiler();
  const std::string model = relu();
  const auto from_tree = [&] {
    succeed_anew({"run", model});
    const std::string command = only_command(commands());
    EXPECT_NE(contains(command, " -I" CPPGEN_SOURCE_DIR " "), contains(command, "/include/" + embedded_headers_hash()));
    return contains(command, " -I" CPPGEN_SOURCE_DIR " ");
  };
  expect_effect<bool>("1", from_tree, false, true);
}

TEST_F(SettingEffect, TIME_COMPILATION) {
  const std::string model = relu();
  const std::vector<std::string> parts{"seconds of the compilation of ",
                                       "\n    fold_constants ",
                                       "\n    make_steps ",
                                       "\n    kernels_0 ",
                                       "  1 kernel, compiled\n",
                                       "\n  total "};
  const auto printed = [&] {
    const std::string table = succeed_anew({"run", model}).err;
    return std::count_if(parts.begin(), parts.end(), [&](const std::string& p) { return contains(table, p); });
  };
  expect_effect<long>("1", printed, 0, long(parts.size()));
  environment["CPPGEN_TIME_COMPILATION"] = "1";
  EXPECT_TRUE(contains(succeed({"run", model}).err, ", which came from the cache as a whole:\n"));
  environment["CPPGEN_TRACE"] = "1";  // compiles the model again
  EXPECT_TRUE(contains(succeed({"run", model}).err, "  1 kernel, from the cache\n"));
}

// Options of the compiler, and what is in the object.
TEST_F(SettingEffect, DEBUG_LEVEL) {
  use_compiler();
  const std::string model = relu();
  struct Seen {
    bool g1, g, o0, lines, source_stays;
    bool operator==(const Seen&) const = default;
  };
  const auto see = [&] {
    succeed_anew({"compile", model, "-o", path("debug.package")});
    const std::string command = only_command(commands()) + " ", object = objects(path("debug.package"));
    fs::remove_all(path("debug.package"));
    const auto sources = files_in(path("cache/cppgen/sources"));
    const bool stays =
        sources.size() == 1 && contains(object, sources[0]) && contains(read_file(sources[0]), "k0_relu");
    return Seen{contains(command, " -g1 "), contains(command, " -g "), contains(command, " -O0 "),
                contains(object, ".debug_line"), stays};
  };
  const Seen none{false, false, false, false, false};
  expect_effect<Seen>("1", see, none, {true, false, false, true, true});
  expect_effect<Seen>("2", see, none, {false, true, true, true, true});
  expect_effect<Seen>("-g -Og", see, none, {false, true, false, true, true});
  environment["CPPGEN_DEBUG_LEVEL"] = "3";
  EXPECT_TRUE(contains(run({"run", model}).err, "\"3\" is not allowed; allowed: 0, 1, 2, -..."));
}

TEST_F(SettingEffect, ENABLE_FLOATING_POINT_CONTRACT_FLAG) {
  use_compiler();
  const std::string model = relu();
  const auto contraction = [&] {
    succeed_anew({"run", model});
    const std::string command = only_command(commands());
    const size_t at = command.find("-ffp-contract=") + 14;
    return command.substr(at, command.find(' ', at) - at);
  };
  expect_effect<std::string>("on", contraction, "off", "on");
  expect_effect<std::string>("fast", contraction, "off", "fast");
  expect_effect<std::string>("0", contraction, "off", "off");
  expect_effect<std::string>("1", contraction, "off", "fast");
}

// Results stay within the tolerance, also those of functions that round by adding large numbers, and do not depend on
// the number of threads.
TEST_F(SettingEffect, ENABLE_UNSAFE_MATH_OPT_FLAG) {
  use_compiler();
  ModelMaker maker;
  maker.input("x", {"8", "1000"}).output("y");
  maker.node("Tanh", {"x"}, {"a"}), maker.node("Erf", {"a"}, {"b"}), maker.node("Exp", {"b"}, {"c"});
  maker.node("Log", {"c"}, {"d"}), maker.node("Sin", {"d"}, {"e"}), maker.node("Softmax", {"e"}, {"y"});
  const std::string model = write("functions.onnx", maker);
  const auto unsafe = [&] {
    succeed_anew({"run", model});
    return contains(only_command(commands()), " -funsafe-math-optimizations -nostartfiles ");
  };
  expect_effect<bool>("1", unsafe, false, true);
  environment["CPPGEN_ENABLE_UNSAFE_MATH_OPT_FLAG"] = "1";
  for (const char* isa : {"scalar", "avx2", "avx512"}) {
    if (!detect_cpu_features().has_all(find_isa(isa)->required)) continue;
    environment["CPPGEN_ISA"] = isa;
    EXPECT_EQ(verified(model), 0) << isa;
    for (const char* threads : {"1", "2"}) succeed({"run", model, "--threads", threads, "--output", path(threads)});
    EXPECT_EQ(read_file(path("1/out_0.npy")), read_file(path("2/out_0.npy")));
  }
}

// Files, and whether the counts of the kernel are those of vectors.
TEST_F(SettingEffect, ENABLE_ASM_INFO) {
  const std::string model = relu();
  const auto see = [&] {
    succeed_anew({"run", model});
    std::set<std::string> names;
    for (const std::string& file : files_in(path("cache/cppgen/asm/relu.onnx")))
      names.insert(fs::path(file).filename());
    if (!names.empty()) {
      std::istringstream table(read_file(path("cache/cppgen/asm/relu.onnx/kernels.txt")));
      std::string line, kernel, unit;
      std::getline(table, line);
      int64_t instructions = 0, vector = 0, spills = -1;
      table >> kernel >> unit >> instructions >> vector >> spills;
      EXPECT_EQ(kernel + " " + unit, "k0_relu kernels_0");
      EXPECT_TRUE(instructions > vector && vector > 0 && spills >= 0) << instructions << " " << vector << " " << spills;
      EXPECT_TRUE(contains(read_file(path("cache/cppgen/asm/relu.onnx/kernels_0.s")), "max"));
    }
    return names;
  };
  expect_effect<std::set<std::string>>("1", see, {},
                                       {"kernels.txt", "kernels_0.cpp", "kernels_0.s", "kernels_0.vectors.txt"});
  environment["CPPGEN_ENABLE_ASM_INFO"] = "1";
  fs::remove_all(path("cache/cppgen/asm"));
  succeed({"run", model});
  EXPECT_EQ(files_in(path("cache/cppgen/asm/relu.onnx")).size(), 4u) << "also of a model that was compiled before";
}

// Counts the compilers that start for a model that another cache holds; that cache stays as it is.
TEST_F(SettingEffect, CACHE_DIR_SHARED) {
  use_compiler();
  const std::string model = relu();
  succeed({"run", model});
  fs::create_directories(path("shared"));
  fs::copy(path("cache/cppgen/kernels"), path("shared/kernels"), fs::copy_options::recursive);
  const auto compiled = [&] {
    succeed_anew({"run", model});
    return commands().size();
  };
  expect_effect<size_t>(path("shared"), compiled, 1, 0);
  environment["CPPGEN_CACHE_DIR_SHARED"] = path("shared");
  for (const auto& file : fs::recursive_directory_iterator(path("shared/kernels")))
    if (file.is_regular_file()) {
      EXPECT_EQ(write_file(file.path(), "damaged"), 0);
      EXPECT_EQ(compiled(), 1u);
      EXPECT_EQ(read_file(file.path()), "damaged");
    }
  fs::permissions(path("shared"), fs::perms::group_write, fs::perm_options::add);
  EXPECT_TRUE(contains(run({"run", relu(), "--set", "RECOMPILE=1"}).err, "CPPGEN_CACHE_DIR_SHARED"));
}

TEST_F(SettingEffect, AOT_DEBUG_COMPILE) {
  const std::string model = relu();
  using Seen = std::pair<bool, bool>;
  const auto see = [&] {
    succeed_anew({"compile", model, "-o", path("aot.package")});
    const Seen seen(contains(objects(path("aot.package")), ".debug_line"),
                    contains(read_file(path("aot.package/plan.json")), "assertion failed: "));
    fs::remove_all(path("aot.package"));
    return seen;
  };
  expect_effect<Seen>("1", see, {false, false}, {true, true});
  environment["CPPGEN_AOT_DEBUG_COMPILE"] = "1";
  use_compiler();
  succeed_anew({"run", model});
  EXPECT_FALSE(contains(only_command(commands()), " -g")) << "only packages are concerned";
}

}  // namespace
}  // namespace cppgen
