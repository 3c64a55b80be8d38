// Measures how close memory-bound kernels come to what the machine allows. Each model's bound is the time to stream its
// inputs and outputs once, at the bandwidth measured between its runs on as many threads and over as many bytes, or the
// time of its expensive vector functions where that is longer.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>

#include "bench/kernels/cases.h"
#include "bench/kernels/limits.h"
#include "bench/kernels/report.h"
#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/reference/reference_model.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/settings.h"
#include "runtime/session/session.h"
#include "runtime/values/random_inputs.h"

namespace cppgen::bench {
namespace {

struct Options {
  int threads = 0;
  int runs = 31;
  std::string filter, json;
  bool verify = false;
};

// max |got - expected| over max |expected|, over all outputs.
double relative_error(const std::vector<rt::Tensor>& got, const std::vector<ir::HostTensor>& expected) {
  double worst = 0;
  for (size_t o = 0; o < got.size(); o++) {
    const float *a = got[o].as<float>(), *b = reinterpret_cast<const float*>(expected[o].bytes.data());
    double difference = 0, size = 0;
    for (int64_t i = 0; i < got[o].elements(); i++) {
      if (std::isnan(a[i]) != std::isnan(b[i])) return INFINITY;
      difference = std::max(difference, std::abs(double(a[i]) - double(b[i])));
      size = std::max(size, std::abs(double(b[i])));
    }
    worst = std::max(worst, difference / std::max(size, 1e-30));
  }
  return worst;
}

double check_values(const CompileRequest& request, rt::Session& session, const std::vector<rt::Tensor>& inputs) {
  std::vector<rt::TensorView> views;
  std::vector<ir::HostTensor> host;
  for (const auto& t : inputs) {
    views.push_back(t.view());
    const std::byte* data = reinterpret_cast<const std::byte*>(t.data());
    host.push_back({t.type(), t.dims(), std::vector<std::byte>(data, data + t.bytes())});
  }
  return relative_error(session.run(views), ReferenceModel(request).run(host));
}

Result measure(const Case& c, const Options& options, const std::string& folder) {
  ModelBuilder builder(c.name);
  c.build(builder);
  CompileRequest request;
  request.model = folder + "/" + c.name + ".onnx";
  request.settings = Settings::from_environment();
  builder.write(request.model);
  CompiledModel model = compile_model(request);
  auto executable = rt::Executable::load(model.package, {model.trusted});
  rt::SessionOptions session_options = rt::SessionOptions::from(request.settings);
  if (options.threads > 0) session_options.threads = options.threads;
  rt::Session session(executable, session_options);

  std::vector<rt::Tensor> inputs = rt::random_inputs(session.plan(), {}, 1), outputs;
  std::vector<rt::TensorView> in;
  std::vector<rt::OutputView> out;
  int64_t read_bytes = 0, write_bytes = 0;
  for (auto& t : inputs) in.push_back(t.view()), read_bytes += t.bytes();
  for (auto& dims : session.output_dims(in)) outputs.emplace_back(DType::f32, dims);
  for (auto& t : outputs) out.push_back(t.output()), write_bytes += t.bytes();

  Result r{c.name, c.description, session.plan().isa};
  if (options.verify) r.error = check_values(request, session, inputs);
  const Probes& probes = probes_of(r.isa);
  int threads = session.stats().threads;
  r.steps = session.stats().steps;
  Team team(threads);
  Streams streams(team, probes, read_bytes, write_bytes);
  std::vector<double> reads, writes, non_temporal, runs;
  session.run(in, out);
  for (int i = 0; i < options.runs; i++) {
    reads.push_back(streams.read());
    writes.push_back(streams.write());
    non_temporal.push_back(streams.write_non_temporal());
    // A model finds its own inputs in the caches only as far as the streams before it left them there: twice, the
    // second timed, is what a repeated run sees, as each stream above does.
    session.run(in, out);
    double start = now();
    session.run(in, out);
    runs.push_back(now() - start);
  }
  for (auto& [name, ns] : function_rates(probes, executable->runtime()))
    if (auto w = c.work.find(name); w != c.work.end()) r.arithmetic_ms += w->second * ns * 1e-6 / threads;
  double read = median(reads), write = std::min(median(writes), median(non_temporal));
  r.read_gbs = double(read_bytes) / read * 1e-9, r.write_gbs = double(write_bytes) / write * 1e-9;
  r.memory_ms = (read + write) * 1e3;
  r.median_ms = median(runs) * 1e3;
  auto least = [](const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); };
  r.best_ms = least(runs) * 1e3;
  r.best_memory_ms = (least(reads) + std::min(least(writes), least(non_temporal))) * 1e3;
  return r;
}

int run(const Options& options) {
  TempDirectory folder(system_temp_directory(), "cppgen_bench");
  print_heading();
  std::vector<Result> results;
  for (const Case& c : memory_bound_cases()) {
    if (c.name.find(options.filter) == std::string::npos) continue;
    results.push_back(measure(c, options, folder.path()));
    print_row(results.back());
  }
  if (!options.json.empty()) write_json(options.json, results);
  return 0;
}

}  // namespace
}  // namespace cppgen::bench

int main(int argc, char** argv) try {
  cppgen::bench::Options options;
  CLI::App app{"Memory-bound kernels against the machine's bandwidth and vector-math throughput"};
  app.add_option("--threads", options.threads, "threads of a run and of the bandwidth loops; default: as a session");
  app.add_option("--runs", options.runs, "timed runs of each model")->check(CLI::Range(3, 10000));
  app.add_option("--filter", options.filter, "only models whose name contains this");
  app.add_option("--json", options.json, "file to write the results to");
  app.add_flag("--verify", options.verify, "also compare the results with the reference interpreter");
  CLI11_PARSE(app, argc, argv);
  return cppgen::bench::run(options);
} catch (const std::exception& error) {
  std::cerr << "bench_memory_bound: " << error.what() << "\n";
  return 1;
}
