// Contractions of common networks: every engine of cppgen's choice list, oneDNN's primitives and libxsmm's kernels, in
// turns in one process, as shares of what the machine's multiply-add units, or its memory, allow.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>

#include "bench/kernels/contenders.h"
#include "bench/kernels/contraction_report.h"
#include "bench/kernels/limits.h"
#include "cppgen/support/temp_directory.h"

namespace cppgen::bench {
namespace {

struct Options {
  std::vector<int> threads{1, 2};
  std::vector<std::string> lists{"gemm", "vector", "convolution", "depthwise"};
  std::vector<std::string> only;  // contenders; empty: all
  std::string filter, json, svg;
  double seconds = 0.5;
  int64_t runs = 30;
};

constexpr double kTolerance = 1e-4;  // of max |expected|

// A limit of the machine, measured in turns with the contenders that it bounds.
class TimedLimit : public Timed {
 public:
  explicit TimedLimit(std::function<double()> rate) : rate_(std::move(rate)) {}
  double run() override {
    const double start = now();
    rates_.add(rate_());
    return now() - start;
  }
  void rest() override {}
  const Samples& rates() const { return rates_; }

 private:
  std::function<double()> rate_;
  Samples rates_;
};

double difference(const float* a, const float* b, int64_t count) {
  double worst = 0, size = 1e-30;
  for (int64_t i = 0; i < count; i++) {
    if (!std::isfinite(a[i])) return INFINITY;
    worst = std::max(worst, std::abs(double(a[i]) - double(b[i])));
    size = std::max(size, std::abs(double(b[i])));
  }
  return worst / size;
}

// The difference of some elements, spread over the result, the first and the last among them.
double difference_from_exact(const ContractionCase& c, const Operands& operands, const float* result) {
  constexpr int64_t kSamples = 257;
  const int64_t last = c.out_elements() - 1;
  std::vector<float> got, exact;
  for (int64_t i = 0; i < kSamples; i++) {
    const int64_t at = last * i / (kSamples - 1);
    got.push_back(result[at]), exact.push_back(float(exact_element(c, operands, at)));
  }
  return difference(got.data(), exact.data(), kSamples);
}

CaseResult measure(const ContractionCase& c, const std::vector<ContenderKind>& kinds, const Probes& probes, int threads,
                   const Options& options) {
  const Operands operands = random_operands(c);
  CaseResult result{c, threads, {}, {}, {}};
  std::vector<std::unique_ptr<Contender>> contenders;
  for (const ContenderKind& kind : kinds)
    if (auto contender = kind.make(c, operands, threads)) {
      result.contenders.push_back({kind.name, contender->implementation(), {}, 0});
      contenders.push_back(std::move(contender));
    }
  Team team(threads);
  const int64_t weight_bytes = c.weight_elements() * 4;
  Streams streams(team, probes, c.memory_bound() ? weight_bytes : 0, 0);
  TimedLimit arithmetic([&] { return multiply_add_rate(team, probes); });
  TimedLimit bandwidth([&] { return double(weight_bytes) / streams.read(); });
  std::vector<Timed*> all{&arithmetic};
  if (c.memory_bound()) all.push_back(&bandwidth);
  const size_t first = all.size();
  for (const auto& contender : contenders) all.push_back(contender.get());

  const std::vector<Samples> samples = time_in_turns(all, {options.seconds, options.runs, 5});
  result.flop_rate = arithmetic.rates();
  if (c.memory_bound()) result.byte_rate = bandwidth.rates();
  for (size_t i = 0; i < contenders.size(); i++) {
    result.contenders[i].seconds = samples[first + i];
    const float *got = contenders[i]->result(), *expected = contenders[0]->result();
    result.contenders[i].error =
        std::max(difference(got, expected, c.out_elements()), difference_from_exact(c, operands, got));
  }
  return result;
}

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::vector<ContenderKind> chosen_contenders(const std::string& folder, const Options& options) {
  std::vector<ContenderKind> kinds = cppgen_contenders(folder);
  kinds.push_back(onednn_contender());
  kinds.push_back(xsmm_contender());
  std::string names;
  for (const auto& kind : kinds) names += " " + kind.name;
  if (!options.only.empty())
    std::erase_if(kinds, [&](const ContenderKind& kind) { return !contains(options.only, kind.name); });
  if (kinds.empty()) throw std::runtime_error("no contender of these names; there are" + names);
  return kinds;
}

bool all_agree(const ContractionReport& report) {
  bool agree = true;
  for (const CaseResult& c : report.cases)
    for (const ContenderResult& r : c.contenders)
      if (!(r.error <= kTolerance)) {
        std::cerr << c.contraction.name << ": the result of " << r.name << " differs by " << r.error << "\n";
        agree = false;
      }
  return agree;
}

int run(const Options& options) {
  TempDirectory folder(system_temp_directory(), "cppgen_bench");
  const auto kinds = chosen_contenders(folder.path(), options);
  ContractionReport report{cppgen_isa(folder.path()), {}};
  const Probes& probes = probes_of(report.isa);
  for (const std::string& list : options.lists)
    for (int threads : options.threads) {
      bool heading = true;
      for (const ContractionCase& c : contraction_cases()) {
        if (c.list != list || c.name.find(options.filter) == std::string::npos) continue;
        report.cases.push_back(measure(c, kinds, probes, threads, options));
        if (heading) print_heading(report.cases.back());
        heading = false;
        print_row(report.cases.back());
      }
    }
  if (report.cases.empty()) throw std::runtime_error("no case of these lists and this filter");
  print_means(report);
  if (!options.json.empty()) write_text_file(options.json, json_text(report));
  if (!options.svg.empty()) write_text_file(options.svg, svg_text(report));
  return all_agree(report) ? 0 : 1;
}

}  // namespace
}  // namespace cppgen::bench

int main(int argc, char** argv) try {
  cppgen::bench::Options options;
  CLI::App app{"Contractions: cppgen's engines, oneDNN and libxsmm against the machine's multiply-add rate"};
  app.add_option("--threads", options.threads, "numbers of threads, one after the other")->check(CLI::Range(1, 1024));
  app.add_option("--lists", options.lists, "lists of cases: gemm, vector, convolution, depthwise, smoke");
  app.add_option("--contenders", options.only, "only these; default: all, cppgen:CPP first");
  app.add_option("--filter", options.filter, "only cases whose name contains this");
  app.add_option("--seconds", options.seconds, "time for each contender and case")->check(CLI::Range(0.0, 1000.0));
  app.add_option("--runs", options.runs, "runs of each at least")->check(CLI::Range(1, 100000));
  app.add_option("--json", options.json, "file to write the results to");
  app.add_option("--svg", options.svg, "file to draw the results in");
  CLI11_PARSE(app, argc, argv);
  return cppgen::bench::run(options);
} catch (const std::exception& error) {
  std::cerr << "bench_contractions: " << error.what() << "\n";
  return 1;
}
