// Whole networks: cppgen, the same graph as oneDNN primitives, and ONNX Runtime, in processes that take turns.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "bench/models/models.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"

namespace cppgen::bench {
namespace {

struct Options {
  std::string models, filter, json, svg, onnxruntime = ".", task, cache;
  std::vector<int> threads{1, 2};
  std::vector<std::string> only;
  MeasureOptions measure;
};

int run_task(const std::string& file) {
  const Task task = task_of(read_file(file));
  if (const int error = write_file(task.result, to_json(perform(task))))
    user_error("{}: {}", task.result, error_text(error));
  return 0;
}

std::vector<std::string> models_in(const Options& options) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(options.models)) {
    const auto& path = entry.path();
    if (path.extension() == ".onnx" && path.stem().string().find(options.filter) != std::string::npos)
      paths.push_back(path.string());
  }
  std::sort(paths.begin(), paths.end());
  if (paths.empty()) user_error("{}: no .onnx files whose name contains '{}'", options.models, options.filter);
  return paths;
}

bool all_agree(const std::vector<ModelResult>& results) {
  bool agree = true;
  for (const ModelResult& m : results)
    for (const PeerResult& peer : m.peers) agree = agree && peer.agrees && peer.failure.empty();
  return agree;
}

int run(Options options) {
  const TempDirectory folder(system_temp_directory(), "cppgen_bench");
  options.measure.folder = folder.path();
  const std::string cache = options.cache.empty() ? folder.path() + "/cache" : options.cache;
  const auto list = peers({std::filesystem::read_symlink("/proc/self/exe"), cache, options.onnxruntime, options.only});
  std::vector<ModelResult> results;
  print_heading();
  for (const std::string& path : models_in(options))
    for (int threads : options.threads) {
      results.push_back(measure(path, list, threads, options.measure));
      print_rows(results.back());
    }
  print_means(results);
  if (!options.json.empty()) write_text_file(options.json, json_text(results));
  if (!options.svg.empty()) write_text_file(options.svg, svg_text(results));
  return all_agree(results) ? 0 : 1;
}

}  // namespace
}  // namespace cppgen::bench

int main(int argc, char** argv) try {
  cppgen::bench::Options options;
  CLI::App app{"Networks on cppgen, oneDNN and ONNX Runtime, in processes that take turns"};
  auto* models = app.add_option("--models", options.models, "folder with .onnx files")->check(CLI::ExistingDirectory);
  app.add_option("--filter", options.filter, "only models whose name contains this");
  app.add_option("--threads", options.threads, "numbers of threads, one after the other")->check(CLI::Range(1, 1024));
  app.add_option("--peers", options.only, "only these; the first one is what the others are compared with");
  app.add_option("--onnxruntime", options.onnxruntime, "folder that has node_modules/onnxruntime-node; default: here");
  app.add_option("--alternations", options.measure.alternations, "processes of each peer")->check(CLI::Range(1, 1000));
  app.add_option("--seconds", options.measure.seconds, "of timed runs in each process")->check(CLI::Range(0.0, 600.0));
  app.add_option("--runs", options.measure.runs, "timed runs in each process, instead of --seconds");
  app.add_option("--cache", options.cache, "CACHE_DIR of cppgen; default: one that is removed at the end");
  app.add_option("--json", options.json, "file to write the results to");
  app.add_option("--svg", options.svg, "file to draw the results in");
  app.add_option("--task", options.task, "do what this file says: for the processes that this program starts")
      ->excludes(models);
  CLI11_PARSE(app, argc, argv);
  if (!options.task.empty()) return cppgen::bench::run_task(options.task);
  if (options.models.empty()) cppgen::user_error("--models is missing: a folder with .onnx files");
  return cppgen::bench::run(options);
} catch (const std::exception& error) {
  std::cerr << "bench_models: " << error.what() << "\n";
  return 2;
}
