#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "bench/kernels/model_builder.h"
#include "bench/models/models.h"
#include "cppgen/driver/compiler.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/subprocess.h"
#include "runtime/base/errors.h"
#include "runtime/base/settings.h"
#include "runtime/session/executable.h"
#include "runtime/session/npy.h"
#include "runtime/session/random_inputs.h"

namespace cppgen::bench {
namespace {

constexpr int kFirstRuns = 3, kLeastRuns = 3, kMostRuns = 200;
constexpr double kProcessSeconds = 900;

struct Files {
  std::vector<std::string> inputs;
  std::string copies;  // a model that returns tensors of the outputs' shapes; empty if none is float32
};

std::vector<int64_t> dims_of(const rt::TensorInfo& info) {
  std::vector<int64_t> dims;
  for (const rt::DimExpr& d : info.dims) dims.push_back(rt::evaluate(d, {}));
  return dims;
}

// Inputs that all peers read, and the model of copies. Every dimension of the model has a size.
Files prepare(const std::string& path, const Peer& first, const std::string& folder) {
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

template <class T>
double element(const rt::Tensor& tensor, int64_t i) {
  return double(tensor.as<T>()[i]);
}

double value_at(const rt::Tensor& t, int64_t i) {
  switch (t.type()) {
    case DType::f32:
      return element<float>(t, i);
    case DType::f64:
      return element<double>(t, i);
    case DType::i64:
      return element<int64_t>(t, i);
    case DType::i32:
      return element<int32_t>(t, i);
    default:
      return element<uint8_t>(t, i);
  }
}

double difference(const rt::Tensor& got, const rt::Tensor& expected) {
  if (got.type() != expected.type() || got.dims() != expected.dims()) return INFINITY;
  double worst = 0, size = std::numeric_limits<double>::min();
  for (int64_t i = 0, n = got.elements(); i < n; i++) {
    const double a = value_at(got, i), b = value_at(expected, i);
    if (std::isnan(a) != std::isnan(b)) return INFINITY;
    if (std::isnan(a)) continue;
    worst = std::max(worst, std::abs(a - b)), size = std::max(size, std::abs(b));
  }
  return worst / size;
}

// The worst output in two folders.
double difference_of_folders(const std::string& got, const std::string& expected) {
  double worst = 0;
  for (int i = 0;; i++) {
    const std::string name = fmt::format("/{}.npy", i);
    const bool a = std::filesystem::exists(got + name), b = std::filesystem::exists(expected + name);
    if (a != b) return INFINITY;
    if (!a) return worst;
    worst = std::max(worst, difference(rt::read_npy(got + name), rt::read_npy(expected + name)));
  }
}

// One peer with its task and what it has measured so far.
class Contest {
 public:
  Contest(const Peer& peer, const std::string& model, const Files& files, int threads, const MeasureOptions& options)
      : peer_(peer), options_(options), task_(peer.base) {
    task_.model = model, task_.threads = threads, task_.inputs = files.inputs;
    if (peer.behind_binding) task_.copies = files.copies;
    result_.name = peer.name;
  }

  // A process that is not timed: compiles what is compiled once, tells how long a run takes, writes outputs.
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
      if (outputs != expected) result_.error = difference_of_folders(outputs, expected);
      result_.agrees = result_.error <= (options_.tolerance > 0 ? options_.tolerance : peer_.tolerance);
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
  Task task_;
  PeerResult result_;
  Samples load_;

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
  const Files files = prepare(path, peers[0], options.folder);
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
