// Seconds of each stage of compiling models: with an empty cache, with cached kernels only, and wholly cached.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/settings.h"

namespace cppgen::bench {
namespace {

struct Options {
  std::vector<std::string> models;
  std::string json;
  int runs = 3;
};

// The report with the median total.
CompileReport median(std::vector<CompileReport> reports) {
  std::sort(reports.begin(), reports.end(), [](const auto& a, const auto& b) { return a.total_s < b.total_s; });
  return reports[reports.size() / 2];
}

struct Measured {
  std::string model;
  CompileReport cold;     // empty cache
  CompileReport kernels;  // kernels cached, the model not
  CompileReport cached;   // the whole model cached
};

Measured measure(const std::string& path, const Options& options) {
  std::vector<CompileReport> cold, kernels, cached;
  for (int i = 0; i < options.runs; i++) {
    TempDirectory cache(system_temp_directory(), "cppgen_bench");
    CompileRequest request;
    request.model = path;
    request.settings = Settings::from_environment();
    request.settings.set("CACHE_DIR", cache.path());
    cold.push_back(compile_model(request).report);
    cached.push_back(compile_model(request).report);
    std::filesystem::remove_all(cache.path() + "/models");
    kernels.push_back(compile_model(request).report);
  }
  return {std::filesystem::path(path).stem().string(), median(cold), median(kernels), median(cached)};
}

// The stages of a cold compilation name the columns: every model has the same ones.
void print_row(const Measured& m, bool heading) {
  if (heading) {
    fmt::print("{:<20} {:>7} {:>7} {:>7}", "model, seconds", "cold", "kernels", "cached");
    for (const auto& [stage, seconds] : m.cold.stages) fmt::print(" {:>8}", stage);
    fmt::print(" {:>7} {:>6}\n", "kernels", "units");
  }
  fmt::print("{:<20} {:>7.3f} {:>7.3f} {:>7.3f}", m.model, m.cold.total_s, m.kernels.total_s, m.cached.total_s);
  for (const auto& [stage, seconds] : m.cold.stages) fmt::print(" {:>8.3f}", seconds);
  fmt::print(" {:>7} {:>6}\n", m.cold.kernels, m.cold.units);
  std::fflush(stdout);
}

nlohmann::ordered_json report_json(const CompileReport& report) {
  nlohmann::ordered_json stages = nlohmann::ordered_json::object();
  for (const auto& [stage, seconds] : report.stages) stages[stage] = seconds;
  return {{"total_s", report.total_s},      {"weights_s", report.weights_s},     {"stages_s", std::move(stages)},
          {"kernels", report.kernels},      {"translation_units", report.units}, {"cached_units", report.cached_units},
          {"from_cache", report.from_cache}};
}

void write_json(const std::string& path, const std::vector<Measured>& all) {
  auto list = nlohmann::ordered_json::array();
  for (const Measured& m : all)
    list.push_back({{"model", m.model},
                    {"isa", m.cold.isa},
                    {"cold", report_json(m.cold)},
                    {"kernels_cached", report_json(m.kernels)},
                    {"cached", report_json(m.cached)}});
  std::ofstream file(path);
  file << nlohmann::ordered_json{{"models", std::move(list)}}.dump(2) << "\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

int run(const Options& options) {
  std::vector<Measured> all;
  for (const auto& model : options.models) {
    all.push_back(measure(model, options));
    print_row(all.back(), all.size() == 1);
  }
  if (!options.json.empty()) write_json(options.json, all);
  return 0;
}

}  // namespace
}  // namespace cppgen::bench

int main(int argc, char** argv) try {
  cppgen::bench::Options options;
  CLI::App app{"Seconds per stage of compiling models, each with a cache of its own that starts empty"};
  app.add_option("models", options.models, ".onnx files")->required()->check(CLI::ExistingFile);
  app.add_option("--json", options.json, "file to write the results to");
  app.add_option("--runs", options.runs, "compilations of each model, of which the median counts")
      ->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  return cppgen::bench::run(options);
} catch (const std::exception& error) {
  std::cerr << "bench_compile_time: " << error.what() << "\n";
  return 1;
}
