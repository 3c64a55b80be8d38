// Products with weights of few bits (MatMulNBits), as decoders of language models run them: how close they come to
// reading their weights at the bandwidth of the memory, or of the caches if the weights fit.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <thread>

#include "bench/kernels/limits.h"
#include "bench/kernels/model_builder.h"
#include "bench/report/turns.h"
#include "cppgen/flow/compile/compiler.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/settings.h"
#include "runtime/session/session.h"
#include "runtime/values/random_inputs.h"

namespace cppgen::bench {
namespace {

struct Options {
  std::vector<int> threads{1, 2};
  std::vector<int64_t> bits{4, 8, 2}, blocks{32, 128};
  int64_t rows = 1, accuracy_level = 0, megabytes = 80;
  double seconds = 0.5;
  std::string filter;
};

// Weights [n, k] in blocks of so many along k. `copies` products with weights of their own read the same input.
struct Case {
  int64_t k, n, bits, block;
  bool zeros;
  int64_t copies;

  int64_t blocks() const { return k / block; }
  std::string name() const {
    return fmt::format("{} x {}x{}, {} bits by {}{}", copies, k, n, bits, block, zeros ? ", zeros" : "");
  }
};

std::vector<uint8_t> some_bytes(int64_t count, int64_t seed) {
  std::vector<uint8_t> bytes(static_cast<size_t>(count));
  for (size_t i = 0; i < bytes.size(); i++) bytes[i] = uint8_t((i + size_t(seed)) * 2654435761u >> 13);
  return bytes;
}

void add_product(ModelBuilder& m, const Case& c, int64_t copy, const Options& options) {
  Names inputs = {"x",
                  m.bytes({c.n, c.blocks(), c.block * c.bits / 8}, some_bytes(c.n * c.k * c.bits / 8, copy), false),
                  m.numbers({c.n, c.blocks()}, std::vector<float>(size_t(c.n * c.blocks()), 0.01F))};
  const int64_t zero_bytes = (c.blocks() * c.bits + 7) / 8;
  if (c.zeros) inputs.push_back(m.bytes({c.n, zero_bytes}, some_bytes(c.n * zero_bytes, copy), false));
  m.output(m.node("com.microsoft.MatMulNBits", inputs,
                  {{"K", {c.k}},
                   {"N", {c.n}},
                   {"bits", {c.bits}},
                   {"block_size", {c.block}},
                   {"accuracy_level", {options.accuracy_level}}}),
           {options.rows, c.n});
}

// Compiled by cppgen, with the settings of the environment.
class Products : public Timed {
 public:
  Products(const CompileRequest& request, int threads) : model_(compile_model(request)) {
    rt::SessionOptions options = rt::SessionOptions::from(request.settings);
    options.threads = threads;
    session_ = std::make_unique<rt::Session>(rt::Executable::load(model_.package, {model_.trusted}), options);
    inputs_ = rt::random_inputs(session_->plan(), {}, 1);
    for (auto& t : inputs_) in_.push_back(t.view());
    for (auto& dims : session_->output_dims(in_)) outputs_.emplace_back(DType::f32, dims);
    for (auto& t : outputs_) out_.push_back(t.output());
  }
  double run() override {
    const double start = now();
    session_->run(in_, out_);
    return now() - start;
  }
  void rest() override { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }
  int64_t weights_bytes() const { return session_->stats().weights_bytes; }
  const std::string& isa() const { return session_->plan().isa; }

 private:
  CompiledModel model_;
  std::unique_ptr<rt::Session> session_;
  std::vector<rt::Tensor> inputs_, outputs_;
  std::vector<rt::TensorView> in_;
  std::vector<rt::OutputView> out_;
};

class WeightsStream : public Timed {
 public:
  WeightsStream(int threads, const Probes& probes, int64_t bytes) : team_(threads), streams_(team_, probes, bytes, 0) {}
  double run() override { return streams_.read(); }
  void rest() override {}

 private:
  Team team_;
  Streams streams_;
};

void measure(const Case& c, const Options& options, const std::string& folder) {
  ModelBuilder builder("products");
  builder.input("x", {options.rows, c.k});
  for (int64_t i = 0; i < c.copies; i++) add_product(builder, c, i, options);
  CompileRequest request;
  request.model = folder + "/products.onnx";
  request.settings = Settings::from_environment();
  request.settings.set("CACHE_DIR", folder + "/cache");
  builder.write(request.model);
  for (int threads : options.threads) {
    Products products(request, threads);
    const int64_t bytes = products.weights_bytes();
    WeightsStream stream(threads, probes_of(products.isa()), bytes);
    const std::vector<Samples> s = time_in_turns({&stream, &products}, {options.seconds, 10, 5});
    const double flops = 2.0 * double(options.rows * c.k * c.n * c.copies);
    fmt::print("{:<40} {:>3} {:>8.1f} {:>8.2f} {:>8.2f} {:>9.1f} {:>9.4f} {:>6.2f} {:>6.2f}\n", c.name(), threads,
               double(bytes) * 1e-6, double(bytes) / s[0].least() * 1e-9, double(bytes) / s[1].least() * 1e-9,
               flops / s[1].least() * 1e-9, s[1].least() / double(c.copies) * 1e3, s[0].least() / s[1].least(),
               s[0].median() / s[1].median());
    std::fflush(stdout);
  }
}

// Each case runs by itself, and with as many copies as exceed the caches.
std::vector<Case> cases_of(const Options& options) {
  constexpr int64_t kShapes[][2] = {{2048, 2048}, {2048, 8192}, {4096, 4096}, {4096, 11008}};  // K, columns
  std::vector<Case> cases;
  for (int64_t bits : options.bits)
    for (int64_t block : options.blocks)
      for (bool zeros : {false, true})
        for (const auto& [k, n] : kShapes) {
          const int64_t many = std::max<int64_t>(1, options.megabytes * 1'000'000 / (k * n * bits / 8));
          for (int64_t copies : {int64_t{1}, many}) cases.push_back({k, n, bits, block, zeros, copies});
        }
  return cases;
}

int run(const Options& options) {
  TempDirectory folder(system_temp_directory(), "cppgen_bench");
  fmt::print("{:<40} {:>3} {:>8} {:>8} {:>8} {:>9} {:>9} {:>6} {:>6}\n", "products, K x columns", "thr", "MB",
             "rd GB/s", "GB/s", "GFLOP/s", "ms each", "share", "median");
  for (const Case& c : cases_of(options))
    if (c.name().find(options.filter) != std::string::npos) measure(c, options, folder.path());
  return 0;
}

}  // namespace
}  // namespace cppgen::bench

int main(int argc, char** argv) try {
  cppgen::bench::Options options;
  CLI::App app{"Products with weights of few bits against the bandwidth of the memory"};
  app.add_option("--threads", options.threads, "numbers of threads, one after the other")->check(CLI::Range(1, 1024));
  app.add_option("--bits", options.bits, "of a weight")->check(CLI::IsMember({2, 4, 8}));
  app.add_option("--blocks", options.blocks, "weights along K that share a scale")
      ->check(CLI::IsMember({16, 32, 64, 128, 256}));
  app.add_option("--rows", options.rows, "rows of the input")->check(CLI::Range(1, 4096));
  app.add_option("--accuracy-level", options.accuracy_level, "the nodes' attribute")->check(CLI::Range(0, 4));
  app.add_option("--megabytes", options.megabytes, "of the weights that exceed the caches")->check(CLI::Range(1, 4000));
  app.add_option("--seconds", options.seconds, "time for each case")->check(CLI::Range(0.0, 1000.0));
  app.add_option("--filter", options.filter, "only cases whose name contains this: \"1 x 2048x2048, 4 bits\"");
  CLI11_PARSE(app, argc, argv);
  return cppgen::bench::run(options);
} catch (const std::exception& error) {
  std::cerr << "bench_packed_weights: " << error.what() << "\n";
  return 1;
}
