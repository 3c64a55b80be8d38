// Every operator, node by node: compiled against the interpreter, over types, ranks, empty and odd sizes, broadcasting
// and special values.
//   test_differential [--share N | --only OPERATOR [--case K] [--print 1]]
// runs every N-th sample, each for one instruction set, or all samples (of an operator) for all; or prints the text
// that is emitted for one. Without options, it runs a share that takes about a minute.
#include "tests/property/differential.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cppgen/ops/op.h"
#include "tests/differential/agreement.h"
#include "tests/differential/case_text.h"
#include "tests/differential/numbers.h"
#include "tests/differential/selection.h"
#include "tests/isas_to_test.h"

namespace cppgen::differential {

Selection selection{.share = 16};
const std::vector<std::string_view> selecting_options{"--share", "--turn", "--only", "--case", "--print"};

namespace {

constexpr size_t kBatch = 512, kCasesPerUnit = 32;
constexpr size_t kMostReports = 40;
constexpr int64_t kSymbol = 5;

// Operators without samples, and why.
const std::map<std::string, std::string> kWithoutRows = {
    {"Loop", "a body is no sample: tests/modules"},
    {"Scan", "likewise"},
    {"cppgen.BagPositions", "only a run knows how many members the largest bag has: tests/modules"},
    {"cppgen.CoupledProbabilities",
     "its rounds end below a threshold, which rounding may reach a round earlier: tests/idioms/learners.py"},
};

std::string name_of(const Row& r) { return r.domain[0] ? std::string(r.domain) + "." + r.op : r.op; }
std::string name_of(const ops::Op& op) {
  return fmt::format("{}{}{}", op.domain, op.domain.empty() ? "" : ".", op.name);
}

std::string describe(const Sample& s) {
  return fmt::format("{} (opset {}){}: {}", name_of(*s.row), s.row->opset,
                     s.type ? fmt::format(" of {}", cppgen::name_of(*s.type)) : "", s.text);
}

TEST(Samples, CoverTheOperatorTable) {
  std::set<std::string> with_rows;
  for (const Row& r : rows()) with_rows.insert(name_of(r));
  for (const ops::Op& op : ops::table()) {
    const bool has_rows = with_rows.count(name_of(op)) > 0, excused = kWithoutRows.count(name_of(op)) > 0;
    if (!op.lower) continue;  // the host's: it has no kernels; see tests/modules
    EXPECT_NE(has_rows, excused) << name_of(op) << ": a row in tests/differential, or a reason in kWithoutRows";
  }
  for (const std::string& name : with_rows) {
    auto known = [&](const ops::Op& op) { return name_of(op) == name; };
    EXPECT_TRUE(std::any_of(ops::table().begin(), ops::table().end(), known)) << name << " is no operator";
  }
}

// A case that no type is taken for tests nothing.
TEST(Samples, AreTaken) {
  for (const Row& row : rows())
    for (const std::string& text : case_texts(row)) {
      std::string reason;
      bool taken = false;
      for (int t = 0; t < kDTypeCount && !taken; t++) {
        Sample s = parse(row, text, DType(t));
        const std::string refused = refusal(s);
        taken = refused.empty();
        if (reason.empty()) reason = refused;
      }
      EXPECT_TRUE(taken) << row.op << ": " << text << "\n" << reason;
    }
}

// What is not taken is refused with an error of the user's, before anything is emitted.
TEST(Samples, AreRefusedAsTheUsersErrors) {
  for (const Row& row : rows())
    for (const std::string& text : case_texts(row))
      for (int t = 0; t < kDTypeCount; t++) {
        Sample s = parse(row, text, DType(t));
        const std::string refused = refusal(s);
        EXPECT_FALSE(refused.starts_with(kOurFault)) << describe(s) << "\n" << refused;
      }
}

// Every share-th sample of each operator and type, and at least one; other ones in each turn.
std::vector<Sample> chosen_samples() {
  std::map<std::pair<std::string, int>, std::vector<Sample>> groups;
  for (Sample& s : all_samples())
    if (selection.only.empty() || selection.only == s.row->op)
      groups[{name_of(*s.row), s.type ? int(*s.type) : -1}].push_back(std::move(s));
  std::vector<Sample> chosen;
  size_t first = 0;
  for (auto& [key, group] : groups) {
    first = (first * 5 + 3) % 1009;  // spreads the shapes over operators and types
    const size_t begin = (first + selection.turn) % std::min(group.size(), selection.share);
    for (size_t k = begin; k < group.size(); k += selection.share) chosen.push_back(std::move(group[k]));
  }
  if (selection.only_case >= 0) chosen = {chosen.at(size_t(selection.only_case))};
  return chosen;
}

property::Case case_of(const Sample& s, size_t index) {
  property::Case c;
  c.seed = index;
  c.random.graph = s.graph;
  c.random.symbol_value = kSymbol;
  return c;
}

std::vector<ir::HostTensor> inputs_of(const Sample& s, int64_t symbol_value) {
  std::vector<ir::HostTensor> inputs;
  for (ValueId v : s.graph.inputs) {
    const Value& value = s.graph.value(v);
    const Numbers special = s.factors.contains(value.name) ? Numbers::special_factors : Numbers::special;
    const Numbers numbers = symbol_value == kSymbol ? Numbers::ordinary : special;
    std::vector<int64_t> dims;
    for (IndexExpr d : value.type->shape) dims.push_back(d.is_constant() ? d.constant() : symbol_value);
    auto range = s.ranges.find(value.name);
    const Tensor t =
        make_numbers(value.type->dtype, dims, range == s.ranges.end() ? std::nullopt : std::optional(range->second),
                     numbers, uint64_t(v) * 7919 + uint64_t(symbol_value));
    const auto* bytes = static_cast<const std::byte*>(t.data.bytes);
    inputs.push_back({t.dtype, dims, {bytes, bytes + t.data.size}});
  }
  return inputs;
}

property::DifferentialOptions options_for(const std::vector<Sample>& samples) {
  property::DifferentialOptions options;
  options.cases_per_unit = kCasesPerUnit;
  options.refusals_fail = true;
  options.inputs = [&](const property::Case& c, int64_t symbol) { return inputs_of(samples[c.seed], symbol); };
  options.compare = [&](const property::Case& c, const ir::HostTensor& e, const rt::Tensor& a) {
    return disagreement(samples[c.seed].row->agreement, e, a);
  };
  if (selection.print) options.corrupt = [](std::string& source) { std::puts(source.c_str()); };
  return options;
}

// All samples on all instruction sets, or each on one of them in turn.
std::map<const VecISA*, std::vector<property::Case>> cases_by_isa(const std::vector<Sample>& samples) {
  const std::vector<const VecISA*> isas = isas_to_test();
  std::map<const VecISA*, std::vector<property::Case>> cases;
  for (size_t i = 0; i < samples.size(); i++)
    for (size_t k = 0; k < isas.size(); k++)
      if (selection.share == 1 || (i + selection.turn) % isas.size() == k)
        cases[isas[k]].push_back(case_of(samples[i], i));
  return cases;
}

TEST(Differential, EveryOperatorAgreesWithTheInterpreter) {
  const std::vector<Sample> samples = chosen_samples();
  property::DifferentialOptions options = options_for(samples);
  size_t failed = 0;
  for (const auto& [isa, cases] : cases_by_isa(samples)) {
    options.isas = {isa};
    for (size_t first = 0; first < cases.size(); first += kBatch) {
      const size_t last = std::min(first + kBatch, cases.size());
      for (const property::Failure& f :
           property::check_cases({cases.begin() + long(first), cases.begin() + long(last)}, options))
        if (failed++ < kMostReports)
          ADD_FAILURE() << f.isa << ", " << describe(samples[cases[first + f.index].seed]) << "\n" << f.what;
    }
  }
  std::printf("%zu samples, %zu failures\n", samples.size(), failed);
}

}  // namespace
}  // namespace cppgen::differential
