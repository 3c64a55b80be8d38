// Whole networks: cppgen, the same graph as oneDNN primitives, and other libraries, in processes that take turns.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "bench/models/models.h"
#include "bench/models/quantize.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"

namespace cppgen::bench {
namespace {

struct Options {
  std::string models, filter, json, svg, markdown, onnxruntime = ".", python, task, cache, keep;
  std::vector<int> threads{1, 2};
  std::vector<std::string> only, int8{"resnet50", "bert_base"};
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

// Measures models and keeps what came out.
class Comparison {
 public:
  explicit Comparison(const Options& options)
      : options_(options), folder_(system_temp_directory(), "cppgen_bench"), measure_(options.measure) {
    const std::string cache = options.cache.empty() ? folder_.path() + "/cache" : options.cache;
    peers_ = peers(
        {std::filesystem::read_symlink("/proc/self/exe"), cache, options.onnxruntime, options.python, options.only});
    measure_.folder = folder_.path();
  }

  void add(const std::string& path) { add(path, peers_, false); }

  void add_quantized(const std::string& path) {
    std::vector<Peer> able = peers_;
    std::erase_if(able, [](const Peer& peer) { return !peer.quantized; });
    if (able.empty()) return;
    const std::string copy = (options_.keep.empty() ? folder_.path() : options_.keep) + "/" +
                             std::filesystem::path(path).stem().string() + ".int8.onnx";
    write_quantized(request_of(path, peers_[0]), copy);
    add(copy, able, true);
    if (options_.keep.empty()) std::filesystem::remove(copy);
  }

  const std::vector<ModelResult>& results() const { return results_; }

 private:
  const Options& options_;
  TempDirectory folder_;
  MeasureOptions measure_;
  std::vector<Peer> peers_;
  std::vector<ModelResult> results_;

  void add(const std::string& path, const std::vector<Peer>& list, bool quantized) {
    measure_.quantized = quantized;
    for (int threads : options_.threads) {
      results_.push_back(measure(path, list, threads, measure_));
      print_rows(results_.back());
    }
  }
};

int run(const Options& options) {
  Comparison comparison(options);
  print_heading();
  for (const std::string& path : models_in(options)) {
    comparison.add(path);
    const std::string name = std::filesystem::path(path).stem().string();
    if (std::find(options.int8.begin(), options.int8.end(), name) != options.int8.end()) comparison.add_quantized(path);
  }
  const std::vector<ModelResult>& results = comparison.results();
  print_means(results);
  if (!options.json.empty()) write_text_file(options.json, json_text(results));
  if (!options.markdown.empty()) write_text_file(options.markdown, markdown_text(results));
  if (!options.svg.empty()) write_text_file(options.svg, svg_text(results));
  return all_agree(results) ? 0 : 1;
}

}  // namespace
}  // namespace cppgen::bench

int main(int argc, char** argv) try {
  cppgen::bench::Options options;
  CLI::App app{"Networks on cppgen and other libraries, in processes that take turns"};
  auto* models = app.add_option("--models", options.models, "folder with .onnx files")->check(CLI::ExistingDirectory);
  app.add_option("--filter", options.filter, "only models whose name contains this");
  app.add_option("--threads", options.threads, "numbers of threads, one after the other")->check(CLI::Range(1, 1024));
  app.add_option("--peers", options.only, "only these; the first one is what the others are compared with");
  app.add_option("--onnxruntime", options.onnxruntime, "folder that has node_modules/onnxruntime-node; default: here");
  app.add_option("--python", options.python, "interpreter whose environment has ONNX Runtime, OpenVINO, TorchInductor")
      ->check(CLI::ExistingFile);
  app.add_option("--int8", options.int8, "models that are also measured as statically quantized copies");
  app.add_option("--keep", options.keep, "folder to leave quantized copies in")->check(CLI::ExistingDirectory);
  app.add_option("--alternations", options.measure.alternations, "processes of each peer")->check(CLI::Range(1, 1000));
  app.add_option("--seconds", options.measure.seconds, "of timed runs in each process")->check(CLI::Range(0.0, 600.0));
  app.add_option("--runs", options.measure.runs, "timed runs in each process, instead of --seconds");
  app.add_option("--cache", options.cache, "CACHE_DIR of cppgen; default: one that is removed at the end");
  app.add_option("--json", options.json, "file to write the results to");
  app.add_option("--markdown", options.markdown, "file to write a table of medians to");
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
