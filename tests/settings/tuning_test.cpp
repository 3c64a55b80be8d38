// Settings of tunings: when models are tuned, what is tried, what is kept.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/tuning_results.h"
#include "cppgen/support/file_io.h"
#include "cppgen/tune/forecast.h"
#include "cppgen/tune/tuner.h"
#include "tests/settings/effect.h"
#include "tests/support/redis_server.h"

namespace cppgen {
namespace {

using Names = std::vector<std::string>;
using Scope = schedule::TuningScope;

std::string results_file(const Settings& s) { return tuning_file(s); }

int64_t lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

std::vector<tune::Candidate> candidates_of(const Settings& s) { return tune::candidates(s, schedule::Tuning(16)); }

std::vector<Scope> scopes_of(const Settings& s) {
  std::set<Scope> scopes;
  for (const tune::Candidate& c : candidates_of(s)) scopes.insert(c.scope);
  return {scopes.begin(), scopes.end()};
}

// Tests whether a compilation tunes the model first: then results are stored.
template <class Test>
bool compilation_tunes(const Test& test, const Settings& settings, const std::string& model,
                       const std::string& output) {
  std::filesystem::remove_all(parent_directory(tuning_file(settings)));
  test({"compile", model, "-o", output});
  return std::filesystem::exists(tuning_file(settings));
}

TEST_F(SettingEffect, MAX_AUTOTUNE) {
  environment["CPPGEN_DISABLE_PROFILER_CODEGEN"] = "1";
  const auto run = [&](const Names& arguments) { succeed(arguments); };
  const auto see = [&] { return compilation_tunes(run, settings(), relu(), path("tuned.package")); };
  expect_effect<bool>("1", see, false, true);
}

TEST_F(SettingEffect, AUTOTUNE_POLICY) {
  environment["CPPGEN_DISABLE_PROFILER_CODEGEN"] = "1";
  const auto run = [&](const Names& arguments) { succeed(arguments); };
  const auto see = [&] { return compilation_tunes(run, settings(), relu(), path("tuned.package")); };
  expect_effect<bool>("autotune", see, false, true);
}

// Tests which kinds are tried.
TEST_F(SettingEffect, MAX_AUTOTUNE_GEMM) {
  expect_effect<std::vector<Scope>>("1", [&] { return scopes_of(settings()); },
                                    {Scope::site_contraction, Scope::site_other, Scope::whole, Scope::run},
                                    {Scope::site_contraction});
}

TEST_F(SettingEffect, MAX_AUTOTUNE_POINTWISE) {
  expect_effect<std::vector<Scope>>("1", [&] { return scopes_of(settings()); },
                                    {Scope::site_contraction, Scope::site_other, Scope::whole, Scope::run},
                                    {Scope::site_other});
}

TEST_F(SettingEffect, MAX_AUTOTUNE_GEMM_SEARCH_SPACE) {
  environment["CPPGEN_AUTOTUNE_MAX_CANDIDATES"] = "1000";
  const auto values = [&] {
    Names names;
    for (const tune::Candidate& c : candidates_of(settings()))
      if (c.name.starts_with("contraction_units=")) names.push_back(c.name.substr(c.name.find('=') + 1));
    std::sort(names.begin(), names.end());
    return names;
  };
  expect_effect<Names>("EXHAUSTIVE", values, {"32", "8"}, {"12", "20", "24", "32", "4", "64", "8"});
}

// The number of candidates of contractions, and of other kernels.
TEST_F(SettingEffect, AUTOTUNE_MAX_CANDIDATES) {
  ModelMaker maker;
  maker.input("a", {"512", "1024"}).input("b", {"64", "4000"}).output("y").output("z");
  maker.node("Relu", {"a"}, {"y"}, "the_relu");
  maker.node("ReduceSum", {"b"}, {"z"}, "the_sum");
  const std::string others = write("others.onnx", maker), contractions = products(2);
  const auto count = [&](const std::string& model, Scope scope) {
    CompileRequest request;
    request.model = model, request.settings = settings();
    auto all = candidates_of(request.settings);
    std::erase_if(all, [&](const auto& c) { return c.scope != scope; });
    return int64_t(
        tune::shortlist(tune::Forecast(request), all, request.settings.autotune_max_candidates).candidates.size());
  };
  using Seen = std::pair<int64_t, int64_t>;
  const auto see = [&] { return Seen(count(contractions, Scope::site_contraction), count(others, Scope::site_other)); };
  const Seen all = see();
  EXPECT_GT(all.first, 2);
  EXPECT_GT(all.second, 2);
  expect_effect<Seen>("2", see, all, {2, 2});
}

TEST_F(SettingEffect, BENCHMARK_FUSION) {
  const auto see = [&] {
    const auto all = candidates_of(settings());
    return std::any_of(all.begin(), all.end(), [](const auto& c) { return c.choice.separate_epilogue; });
  };
  expect_effect<bool>("1", see, false, true);
}

TEST_F(SettingEffect, DISABLE_PROFILER_CODEGEN) {
  environment["CPPGEN_AUTOTUNE_MAX_CANDIDATES"] = "2";
  environment["CPPGEN_FORCE_PROFILE"] = "1";
  const auto see = [&] {
    return succeed({"tune", relu(), "--any-load"}).out.find("0 candidates measured, 0 unchanged") != std::string::npos;
  };
  expect_effect<bool>("1", see, false, true);
}

// Counts the compilers that are started: for the usual kernels, and for those of two candidates; nothing is stored.
TEST_F(SettingEffect, CI_FLAG) {
  use_compiler();
  environment["CPPGEN_AUTOTUNE_MAX_CANDIDATES"] = "3";
  using Seen = std::pair<bool, bool>;
  const auto see = [&] {
    succeed_anew({"tune", products(1)});
    return Seen(commands().empty(), std::filesystem::exists(results_file(settings())));
  };
  expect_effect<Seen>("1", see, {false, true}, {false, false});
}

TEST_F(SettingEffect, FORCE_PROFILE) {
  environment["CPPGEN_DISABLE_PROFILER_CODEGEN"] = "1";
  succeed({"tune", relu(), "--any-load"});
  const auto known = [&] {
    return succeed({"tune", relu(), "--any-load"}).out.find("tuned before") != std::string::npos;
  };
  expect_effect<bool>("1", known, true, false);
}

TEST_F(SettingEffect, FLUSH_PROFILE_CACHE) {
  environment["CPPGEN_DISABLE_PROFILER_CODEGEN"] = "1";
  const auto lines = [&] {
    std::filesystem::remove(results_file(settings()));
    succeed({"tune", relu()});
    succeed({"tune", products(1)});
    return lines_of(read_file(results_file(settings())));
  };
  expect_effect<int64_t>("1", lines, 2, 1);
}

// Lines of the log: one for each candidate, or one for each site where it made a difference.
TEST_F(SettingEffect, LOG_AUTOTUNE) {
  environment["CPPGEN_AUTOTUNE_MAX_CANDIDATES"] = "1", environment["CPPGEN_FORCE_PROFILE"] = "1";
  const auto logged = [&] {
    const std::string log = succeed({"tune", products(1), "--set", "MAX_AUTOTUNE_GEMM=1"}).err;
    return log.find("XSMM (contractions): ") != std::string::npos;
  };
  expect_effect<bool>("1", logged, false, true);
}

TEST_F(SettingEffect, AUTOTUNE_NUM_CHOICES_DISPLAYED) {
  environment["CPPGEN_AUTOTUNE_MAX_CANDIDATES"] = "6", environment["CPPGEN_FORCE_PROFILE"] = "1";
  environment["CPPGEN_LOG_AUTOTUNE"] = "1";
  const auto lines = [&] {
    std::istringstream log(succeed({"tune", products(1), "--set", "MAX_AUTOTUNE_GEMM=1"}).err);
    std::vector<double> ratios;
    for (std::string line; std::getline(log, line);) {
      double ms = 0, usual_ms = 0;
      const size_t times = line.find("): ");
      if (times != line.npos && std::sscanf(line.c_str() + times, "): %lf ms instead of %lf", &ms, &usual_ms) == 2)
        ratios.push_back(ms / usual_ms);
    }
    const auto clearly_less = [](double a, double b) { return a < 0.99 * b; };  // four digits are printed
    EXPECT_TRUE(std::is_sorted(ratios.begin(), ratios.end(), clearly_less)) << "the fastest first";
    return std::min<size_t>(ratios.size(), 3);
  };
  expect_effect<size_t>("2", lines, 3, 2);
}

// cppgen, in front of which `script` comes; $1 is the command, $2 the package.
std::string program_with(const TempFolder& folder, const std::string& script) {
  const std::string file = folder.write("program", "#!/bin/sh\n" + script + "\nexec " CPPGEN_PROGRAM " \"$@\"\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file;
}

tune::TuneReport tuned(const std::string& model, const Settings& settings, const std::string& program) {
  tune::TuneRequest request;
  request.compile.model = model, request.compile.settings = settings, request.program = program;
  return tune::tune_model(request);
}

// Other packages take no time. A candidate that takes three seconds comes to its end, unless the limit is lower: it
// never ends then, so that a slow machine keeps both times apart.
TEST_F(SettingEffect, AUTOTUNE_RESULT_TIMEOUT_SECONDS) {
  const std::string others =
      "\n[ $1 = run ] && exit 0; echo '{\"profiled_runs\": 1, \"median_ms\": 1, \"steps\": [{\"origins\": "
      "[\"product0\"], \"calls\": 1, \"ms\": 1}]}'; exit 0";
  environment["CPPGEN_AUTOTUNE_MAX_CANDIDATES"] = "1", environment["CPPGEN_FORCE_PROFILE"] = "1";
  environment["CPPGEN_MAX_AUTOTUNE_GEMM"] = "1", environment["CPPGEN_MAX_AUTOTUNE_GEMM_BACKENDS"] = "CPP,ONEDNN";
  const auto stopped = [&] {
    const bool low = settings().autotune_result_timeout_seconds < 3;
    const std::string script =
        "case $2 in */variant) exec sleep " + std::string(low ? "600" : "3") + ";; esac" + others;
    const tune::TuneReport report = tuned(products(1), settings(), program_with(folder, script));
    return !report.failed.empty() && report.failed[0].find("was stopped after 2") != std::string::npos;
  };
  expect_effect<bool>("2", stopped, false, true);
}

// A search in which every candidate takes no time. It starts at the first constant that changes the_relu, half of its
// usual block.
class Search {
 public:
  Search(std::map<std::string, std::string>& environment, const TempFolder& folder, const std::string& most)
      : program_(
            program_with(folder,
                         "case $2 in */variant) ms=1e-9;; *) ms=1; esac\n"
                         "[ $1 = profile -o $1 = bench ] && echo \"{\\\"profiled_runs\\\": 1, \\\"median_ms\\\": $ms, "
                         "\\\"steps\\\": ["
                         "{\\\"origins\\\": [\\\"the_relu\\\"], \\\"calls\\\": 1, \\\"ms\\\": $ms},"
                         "{\\\"origins\\\": [\\\"the_sum\\\"], \\\"calls\\\": 1, \\\"ms\\\": $ms}]}\" && exit 0")) {
    environment["CPPGEN_MAX_AUTOTUNE_POINTWISE"] = "1", environment["CPPGEN_AUTOTUNE_MAX_CANDIDATES"] = most;
    environment["CPPGEN_FORCE_PROFILE"] = "1";
  }
  int measured(const std::string& model, const Settings& settings) const {
    return tuned(model, settings, program_).measured;
  }

 private:
  std::string program_;
};

TEST_F(SettingEffect, COORDINATE_DESCENT_TUNING) {
  const Search search(environment, folder, "1");
  expect_effect<int>(
      "1", [&] { return search.measured(relu(), settings()); }, 1, 2);
}

// From half of the usual value, two doublings lead to twice it.
TEST_F(SettingEffect, COORDINATE_DESCENT_RADIUS) {
  const Search search(environment, folder, "1");
  environment["CPPGEN_COORDINATE_DESCENT_TUNING"] = "1";
  expect_effect<int>(
      "2", [&] { return search.measured(relu(), settings()); }, 2, 3);
}

// The block of the_relu together with the accumulators of the_sum.
TEST_F(SettingEffect, COORDINATE_DESCENT_CHECK_ALL_DIRECTIONS) {
  const Search search(environment, folder, "11");
  environment["CPPGEN_COORDINATE_DESCENT_TUNING"] = "1";
  ModelMaker maker;
  maker.input("a", {"512", "1024"}).input("b", {"64", "4000"}).output("y").output("z");
  maker.node("Relu", {"a"}, {"y"}, "the_relu");
  maker.node("ReduceSum", {"b"}, {"z"}, "the_sum");
  const std::string model = write("two.onnx", maker);
  const int usual = search.measured(model, settings());
  expect_effect<int>(
      "1", [&] { return search.measured(model, settings()); }, usual, usual + 1);
}

// Tests whether another machine, with a cache of its own, knows the results.
TEST_F(SettingEffect, AUTOTUNE_REMOTE_CACHE) {
  RedisServer server;
  if (!server.started() && std::getenv("CI")) FAIL() << "redis-server is not installed";
  if (!server.started()) GTEST_SKIP() << "redis-server is not installed";
  environment["CPPGEN_DISABLE_PROFILER_CODEGEN"] = "1", environment["CPPGEN_REMOTE_CACHE"] = server.url();
  environment["CPPGEN_CACHE_DIR"] = path("here");
  succeed({"tune", relu(), "--any-load"});
  const auto known = [&] {
    std::filesystem::remove_all(path("there"));
    environment["CPPGEN_CACHE_DIR"] = path("there");
    return succeed({"tune", relu(), "--any-load"}).out.find("tuned before") != std::string::npos;
  };
  expect_effect<bool>("0", known, true, false);
}

TEST_F(SettingEffect, DETERMINISTIC) {
  const VecISA& isa = likely_isa(settings());
  append_tuning_results(results_file(settings()), tuning_place(isa, settings()),
                        {{"engine", {"XSMM", false, ""}, 2, 1, "m"},
                         {"lanes", {"", false, "row_accumulators=8"}, 2, 1, "m"},
                         {"units", {"", false, "contraction_units=8"}, 2, 1, "m"}});
  const auto used = [&] {
    Names names;
    const auto choices = stored_choices(isa, settings());
    for (const auto& [site, choice] : *choices) names.push_back(site);
    return names;
  };
  expect_effect<Names>("1", used, {"engine", "lanes", "units"}, {"units"});
}

}  // namespace
}  // namespace cppgen
