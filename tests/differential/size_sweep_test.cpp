// Every operator with each dimension of its inputs at 0, 1 and 2. A model that fixes these sizes is the measure: one
// that learns them in the run gives the same results, interpreted and compiled, or is refused, too.
//   test_size_sweep [--share N | --only OPERATOR]
// compiles every N-th sample only, or all of an operator.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "cppgen/flow/reference/reference_plan.h"
#include "cppgen/partition/partition.h"
#include "cppgen/passes/pipeline.h"
#include "runtime/base/errors.h"
#include "runtime/values/input_binding.h"
#include "tests/differential/agreement.h"
#include "tests/differential/free_sizes.h"
#include "tests/differential/selection.h"
#include "tests/isas_to_test.h"
#include "tests/property/differential.h"

namespace cppgen::differential {

Selection selection{.share = 12};
const std::vector<std::string_view> selecting_options{"--share", "--turn", "--only"};

namespace {

constexpr int kMostReports = 60;

// Operators that refuse some of these sizes only if they are fixed, or only if the run says them, and why.
const std::map<std::string, std::string> kOthersRefused = {
    {"Squeeze", "without axes the rank is that of the sizes, so a dimension that the run makes 1 is refused"},
};

struct Outcome {
  std::vector<ir::HostTensor> results;
  std::string refusal, fault;  // a UserError; anything else
  bool assumed_equal = false;  // refused because of dimensions that the model is assumed to have in common
};

ir::HostTensor host_copy(const rt::Tensor& t) {
  const auto* bytes = static_cast<const std::byte*>(t.data());
  return {t.type(), t.dims(), {bytes, bytes + t.bytes()}};
}

rt::Tensor runtime_copy(const ir::HostTensor& t) {
  rt::Tensor copy(t.type, t.dims);
  if (!t.bytes.empty()) std::memcpy(copy.data(), t.bytes.data(), t.bytes.size());
  return copy;
}

template <class F>
Outcome outcome_of(F&& run) {
  Outcome outcome;
  try {
    run(outcome);
  } catch (const UserError& e) {
    outcome.refusal = std::string("refused: ") + e.what();
  } catch (const std::exception& e) {
    outcome.fault = e.what();
  }
  return outcome;
}

// A graph after the passes on the interpreter, as `run --reference` does it.
class Interpreted {
 public:
  explicit Interpreted(const Graph& graph)
      : model_(deep_copy(graph), CompileRequest()), plan_(reference_plan(model_)) {}

  Outcome run(const std::vector<ir::HostTensor>& inputs) const {
    return outcome_of([&](Outcome& outcome) {
      std::vector<rt::Tensor> copies;
      for (const auto& t : inputs) copies.push_back(runtime_copy(t));
      std::vector<rt::TensorView> views;
      for (const auto& t : copies) views.push_back(t.view());
      outcome.assumed_equal = !are_equal_as_assumed(views);
      for (const rt::Tensor& t : reference_runner(model_, plan_).run(views)) outcome.results.push_back(host_copy(t));
    });
  }

 private:
  ReferenceModel model_;
  rt::Plan plan_;

  // A bound that does not hold is another matter.
  bool are_equal_as_assumed(const std::vector<rt::TensorView>& views) const {
    rt::BoundaryChecks checks;
    checks.bounds = false;
    std::vector<int64_t> symbols(plan_.symbols.size());
    try {
      rt::bind_inputs(plan_, views, symbols, checks);
    } catch (const UserError&) {
      return false;
    }
    return true;
  }
};

Graph passed(Graph graph) {
  passes::run_passes(graph);
  return graph;
}

// One sample, and what models with fixed sizes give.
class Swept {
 public:
  explicit Swept(Sample sample) : sample_(std::move(sample)), sizes_(sizes_of(sample_)) {}

  const Sample& sample() const { return sample_; }
  const std::vector<Dims>& sizes() const { return sizes_; }

  const Outcome& fixed(const std::vector<Dims>& sizes) {
    const auto [at, fresh] = fixed_.try_emplace(sizes);
    if (fresh)
      at->second = outcome_of([&](Outcome& outcome) {
        outcome = Interpreted(passed(graph_with(sample_, sizes))).run(inputs_with(sample_, sizes));
      });
    return at->second;
  }

 private:
  Sample sample_;
  std::vector<Dims> sizes_;
  std::map<std::vector<Dims>, Outcome> fixed_;
};

// "" if the outcomes agree.
std::string difference(const Row& row, const Outcome& fixed, const Outcome& free) {
  if (!fixed.fault.empty()) return "with fixed sizes: " + fixed.fault;
  if (!free.fault.empty()) return free.fault;
  if (free.assumed_equal) return "";
  // Indices are not looked at where fixed sizes leave nothing to compute.
  const auto is_empty = [](const ir::HostTensor& t) { return t.bytes.empty(); };
  if (free.refusal.find(": index ") != std::string::npos &&
      std::all_of(fixed.results.begin(), fixed.results.end(), is_empty))
    return "";
  if (fixed.refusal.empty() != free.refusal.empty() && kOthersRefused.count(row.op)) return "";
  if (fixed.refusal.empty() != free.refusal.empty())
    return fixed.refusal.empty() ? free.refusal : "must be " + fixed.refusal;
  for (size_t i = 0; i < fixed.results.size(); i++)
    if (std::string text = disagreement(row.agreement, fixed.results[i], runtime_copy(free.results[i])); !text.empty())
      return fmt::format("output {}: {}", i, text);
  return "";
}

std::string text_of(const std::vector<Dims>& sizes) {
  std::string text;
  for (const Dims& d : sizes) text += fmt::format(" [{}]", fmt::join(d, ","));
  return text;
}

std::string text_of(const FreeSizes& free) {
  std::string text;
  for (const auto& d : free.symbols) text += fmt::format(" [{}]", fmt::join(d, ","));
  return text;
}

std::string describe(const Sample& s) {
  return fmt::format("{}{}{} (opset {}){}: {}", s.row->domain, s.row->domain[0] ? "." : "", s.row->op, s.row->opset,
                     s.type ? fmt::format(" of {}", name_of(*s.type)) : "", s.text);
}

// Each case of each operator, for the first type that the compiler takes.
std::vector<Sample> swept_samples() {
  std::vector<Sample> samples;
  for (Sample& s : all_samples()) {
    if (!selection.only.empty() && selection.only != s.row->op) continue;
    if (s.text.find("declared=") != std::string::npos) continue;  // a declared result states the sizes
    if (!samples.empty() && samples.back().row == s.row && samples.back().text == s.text) continue;
    samples.push_back(parse(*s.row, s.text, s.type.value_or(DType::f32)));
  }
  return samples;
}

// A graph with free sizes; nothing if no size that it is given would be taken.
std::optional<Graph> taken(const Sample& s, const FreeSizes& free, std::string& fault) {
  std::optional<Graph> graph;
  const Outcome outcome = outcome_of([&](Outcome&) {
    graph = passed(graph_with(s, free));
    Interpreted{*graph};
  });
  fault = outcome.fault;
  return outcome.refusal.empty() && fault.empty() ? std::move(graph) : std::nullopt;
}

struct Counts {
  int graphs = 0, refused = 0, runs = 0, results = 0, assumed = 0, faults = 0;
};

void report(Counts& counts, const Sample& s, const FreeSizes& free, const std::string& sizes, const std::string& what) {
  if (++counts.faults <= kMostReports)
    ADD_FAILURE() << describe(s) << "\nsymbols" << text_of(free) << "\nsizes  " << sizes << "\n" << what;
}

void sweep(Swept& swept, const FreeSizes& free, Counts& counts) {
  const Sample& s = swept.sample();
  std::string fault;
  const std::optional<Graph> graph = taken(s, free, fault);
  counts.graphs++;
  if (!fault.empty()) return report(counts, s, free, " any", fault);
  if (!graph) return void(counts.refused++);
  const Interpreted model(*graph);
  for (const std::vector<Dims>& sizes : runs_of(free, swept.sizes())) {
    const Outcome &fixed = swept.fixed(sizes), outcome = model.run(inputs_with(s, sizes));
    counts.runs++, counts.results += outcome.refusal.empty(), counts.assumed += outcome.assumed_equal;
    if (const std::string what = difference(*s.row, fixed, outcome); !what.empty())
      report(counts, s, free, text_of(sizes), what);
  }
}

TEST(SizeSweep, InterpretedAsWithFixedSizes) {
  Counts counts;
  for (Sample& sample : swept_samples()) {
    Swept swept(std::move(sample));
    for (const FreeSizes& free : free_sizes(swept.sizes())) sweep(swept, free, counts);
  }
  std::printf("%d models (%d refused), %d runs, %d with results, %d of unequal sizes, %d faults\n", counts.graphs,
              counts.refused, counts.runs, counts.results, counts.assumed, counts.faults);
  EXPECT_GT(counts.results, selection.only.empty() ? 5000 : 0);
  EXPECT_EQ(counts.faults, 0);
}

// A compiled model with free sizes, and the same on the interpreter, which agrees with fixed sizes.
struct CompiledCase {
  std::shared_ptr<Swept> swept;
  std::shared_ptr<Interpreted> interpreted;
  FreeSizes free;
  std::vector<std::vector<Dims>> runs;
};

// The first free sizes of every share-th sample that make one plan.
std::pair<std::vector<CompiledCase>, std::vector<property::Case>> compiled_cases() {
  std::vector<CompiledCase> cases;
  std::vector<property::Case> compiled;
  size_t number = selection.turn;
  for (Sample& sample : swept_samples()) {
    if (number++ % selection.share != 0) continue;
    const auto swept = std::make_shared<Swept>(std::move(sample));
    size_t left = 2;
    for (const FreeSizes& free : free_sizes(swept->sizes())) {
      std::string fault;
      std::optional<Graph> graph = taken(swept->sample(), free, fault);
      if (!graph || !partition::is_one_plan(*graph)) continue;
      property::Case c;
      c.seed = cases.size(), c.run_passes = false;
      cases.push_back({swept, std::make_shared<Interpreted>(*graph), free, runs_of(free, swept->sizes())});
      c.random.graph = std::move(*graph);
      compiled.push_back(std::move(c));
      if (--left == 0) break;
    }
  }
  return {std::move(cases), std::move(compiled)};
}

property::DifferentialOptions options_for(const std::vector<CompiledCase>& cases) {
  property::DifferentialOptions options;
  options.cases_per_unit = 32;
  options.library = true;
  options.runs = [&](const property::Case& c) { return int64_t(cases[c.seed].runs.size()); };
  options.inputs = [&](const property::Case& c, int64_t run) {
    return inputs_with(cases[c.seed].swept->sample(), cases[c.seed].runs[size_t(run)]);
  };
  options.expected = [&](const property::Case& c, int64_t run) {
    const CompiledCase& own = cases[c.seed];
    Outcome outcome = own.interpreted->run(inputs_with(own.swept->sample(), own.runs[size_t(run)]));
    if (!outcome.refusal.empty()) user_error("{}", outcome.refusal);
    return std::move(outcome.results);
  };
  options.compare = [&](const property::Case& c, const ir::HostTensor& e, const rt::Tensor& a) {
    return disagreement(cases[c.seed].swept->sample().row->agreement, e, a);
  };
  return options;
}

TEST(SizeSweep, CompiledAsInterpreted) {
  const auto [cases, compiled] = compiled_cases();
  property::DifferentialOptions options = options_for(cases);
  options.isas = {isas_to_test().back()};
  constexpr size_t kBatch = 256;
  Counts counts;
  for (size_t first = 0; first < compiled.size(); first += kBatch) {
    const size_t last = std::min(first + kBatch, compiled.size());
    for (const property::Failure& f :
         property::check_cases({compiled.begin() + long(first), compiled.begin() + long(last)}, options)) {
      const CompiledCase& c = cases[compiled[first + f.index].seed];
      report(counts, c.swept->sample(), c.free, "", f.isa + ": " + f.what);
    }
  }
  std::printf("%zu models, %d faults\n", compiled.size(), counts.faults);
  EXPECT_GT(compiled.size(), 0u);
}

}  // namespace
}  // namespace cppgen::differential
