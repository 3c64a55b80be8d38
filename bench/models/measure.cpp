#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "bench/kernels/model_builder.h"
#include "bench/models/agreement.h"
#include "bench/models/cut.h"
#include "bench/models/models.h"
#include "cppgen/flow/compile/compiler.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/subprocess.h"
#include "runtime/base/errors.h"
#include "runtime/base/settings.h"
#include "runtime/package/executable.h"
#include "runtime/values/npy.h"
#include "runtime/values/random_inputs.h"

namespace cppgen::bench {
namespace {

constexpr int kFirstRuns = 3, kLeastRuns = 3, kMostRuns = 200;
constexpr double kProcessSeconds = 900;
// Outputs of quantized models as a whole: that they are of the same model, no more.
constexpr double kManyRoundings = 0.1;
// A byte differs where its value is within a few float32 roundings of the middle between two quanta: of 255 quanta.
constexpr double kMostRoundings = 1e-3;

struct Files {
  std::vector<std::string> inputs;
  std::string copies;  // a model that returns tensors of the outputs' shapes; empty if none is float32
  CutModel cut;        // of a quantized model
};

std::vector<int64_t> dims_of(const rt::TensorInfo& info) {
  std::vector<int64_t> dims;
  for (const rt::DimExpr& d : info.dims) dims.push_back(rt::evaluate(d, {}));
  return dims;
}

// Writes the inputs that all peers read, and the variants of the model that some of them need. Every dimension of the
// model has a size.
Files prepare(const std::string& path, const Peer& first, const MeasureOptions& options) {
  const std::string& folder = options.folder;
  const CompileRequest request = request_of(path, first);
  const CompiledModel compiled = compile_model(request);
  const rt::Plan plan = rt::Executable::load(compiled.package, {compiled.trusted})->plan();
  if (!plan.symbols.empty()) user_error("{}: it has dimensions without a size", path);
  Files files;
  for (const rt::Tensor& input : rt::random_inputs(plan, {}, 1)) {
    files.inputs.push_back(fmt::format("{}/input{}.npy", folder, files.inputs.size()));
    rt::write_npy(files.inputs.back(), input.view());
  }
  ModelBuilder copies("copies");
  int count = 0;
  for (const rt::TensorInfo& output : plan.outputs)
    if (output.type == DType::f32) {
      const std::vector<int64_t> dims = dims_of(output);
      copies.output(copies.node("Identity", {copies.input(fmt::format("in{}", count++), dims)}), dims);
    }
  if (count > 0) copies.write(files.copies = folder + "/copies.onnx");
  if (options.quantized) files.cut = cut_model(request, files.inputs, folder);
  return files;
}

TaskResult run_process(const Peer& peer, Task task, const std::string& folder) {
  const std::string file = folder + "/task.json";
  task.result = folder + "/result.json";
  remove_tree(task.result);
  if (const int error = write_file(file, to_json(task))) user_error("{}: {}", file, error_text(error));
  PosixProcessRunner runner;
  ProcessSpec spec;
  spec.argv = peer.command(file);
  spec.timeout_seconds = kProcessSeconds;
  const ProcessResult ended = runner.run(spec);
  if (!ended.ok()) user_error("{} {}: {}", peer.name, ended.describe(), ended.output);
  return task_result_of(read_file(task.result));
}

// One peer with its task and what it has measured so far.
class Contest {
 public:
  Contest(const Peer& peer, const std::string& model, const Files& files, int threads, const MeasureOptions& options)
      : peer_(peer), options_(options), cut_(files.cut), task_(peer.base) {
    task_.model = model, task_.threads = threads, task_.inputs = files.inputs;
    if (peer.behind_binding) task_.copies = files.copies;
    result_.name = peer.name;
  }

  // Runs a process that is not timed: it compiles the model, measures roughly how long a run takes, and writes outputs.
  void first(const std::string& outputs, const std::string& expected) {
    remove_tree(outputs);
    Task task = task_;
    task.runs = kFirstRuns, task.outputs = outputs;
    guarded([&] {
      const TaskResult r = run_process(peer_, task, options_.folder);
      Samples seconds;
      for (double s : r.seconds) seconds.add(s);
      const double fit = options_.seconds / seconds.median();
      task_.runs = options_.runs > 0 ? options_.runs : int(std::clamp(fit, double(kLeastRuns), double(kMostRuns)));
      if (outputs != expected) result_.error = difference_of_folders(outputs, expected).relative;
      result_.agrees = result_.error <= (options_.quantized ? kManyRoundings : peer_.tolerance);
      if (options_.quantized) compare_cut(outputs + ".cut", expected + ".cut");
    });
  }

  void turn() {
    if (!result_.failure.empty()) return;
    guarded([&] {
      const TaskResult r = run_process(peer_, task_, options_.folder);
      for (double s : r.seconds) result_.seconds.add(s);
      for (double s : r.copies) result_.copies.add(s);
      result_.implementation = r.implementation;
      load_.add(r.load_s);
      result_.load_s = load_.median();
    });
  }

  PeerResult result() const { return result_; }

 private:
  const Peer& peer_;
  const MeasureOptions& options_;
  const CutModel& cut_;
  Task task_;
  PeerResult result_;
  Samples load_;

  void compare_cut(const std::string& outputs, const std::string& expected) {
    remove_tree(outputs);
    Task task = task_;
    task.model = cut_.path, task.inputs = cut_.inputs, task.copies.clear();
    task.runs = 1, task.outputs = outputs;
    run_process(peer_, task, options_.folder);
    if (outputs == expected) return;
    const Difference d = difference_of_folders(outputs, expected);
    result_.quanta = d.quanta;
    result_.agrees = result_.agrees && d.relative <= peer_.tolerance && d.quanta <= 1 && d.share <= kMostRoundings;
  }

  template <class F>
  void guarded(F&& work) {
    try {
      work();
    } catch (const UserError& error) {
      result_.failure = error.what();
    }
  }
};

}  // namespace

CompileRequest request_of(const std::string& path, const Peer& peer) {
  CompileRequest request;
  request.model = path;
  request.settings = Settings::from_environment();
  for (const std::string& text : peer.base.settings) {
    const size_t at = text.find('=');
    request.settings.set(text.substr(0, at), text.substr(at + 1));
  }
  return request;
}

ModelResult measure(const std::string& path, const std::vector<Peer>& peers, int threads,
                    const MeasureOptions& options) {
  const Files files = prepare(path, peers[0], options);
  std::vector<Contest> contests;
  const auto outputs = [&](size_t i) { return fmt::format("{}/outputs{}", options.folder, i); };
  for (size_t i = 0; i < peers.size(); i++) {
    contests.emplace_back(peers[i], path, files, threads, options);
    contests.back().first(outputs(i), outputs(0));
  }
  for (int round = 0; round < options.alternations; round++)
    for (Contest& contest : contests) contest.turn();
  ModelResult result{std::filesystem::path(path).stem().string(), threads, {}};
  for (const Contest& contest : contests) result.peers.push_back(contest.result());
  return result;
}

}  // namespace cppgen::bench
