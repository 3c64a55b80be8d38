#include "tests/property/run_case.h"

#include <fmt/format.h>

#include <cstring>
#include <numeric>

#include "cppgen/ops/op.h"
#include "runtime/base/errors.h"
#include "runtime/session/session.h"
#include "tests/property/compare_results.h"

namespace cppgen::property {
namespace {

// Returns what is wrong, or "": what the reference refuses must end the compiled run, too.
std::string expect_refusal(rt::Session& session, const std::vector<rt::TensorView>& views, const std::string& reason) {
  try {
    session.run(views);
  } catch (const UserError&) {
    return "";
  }
  return "the run should have ended with an error: " + reason;
}

// "" or what differs; `run` is a value of the symbol, or a number of DifferentialOptions::runs.
std::string run_once(const Case& c, const DifferentialOptions& options, const ir::Program& reference,
                     rt::Session& session, int64_t run) {
  auto inputs = options.inputs ? options.inputs(c, run) : inputs_of(c, run);
  std::vector<rt::Tensor> copies;
  std::vector<rt::TensorView> views;
  for (const auto& t : inputs) {
    copies.emplace_back(t.type, t.dims);
    if (!t.bytes.empty()) std::memcpy(copies.back().data(), t.bytes.data(), t.bytes.size());
  }
  for (const auto& t : copies) views.push_back(t.view());
  std::vector<ir::HostTensor> expected;
  try {
    expected = options.expected ? options.expected(c, run) : ir::interpret(reference, inputs);
  } catch (const UserError& e) {
    if (options.refusals_fail) return fmt::format("the interpreter refuses the inputs: {}", e.what());
    return expect_refusal(session, views, e.what());
  }
  auto actual = session.run(views);
  for (size_t o = 0; o < expected.size(); o++) {
    ValueId v = c.random.graph.outputs[o];
    std::string text = options.compare ? options.compare(c, expected[o], actual[o])
                                       : difference(expected[o], actual[o], c.random.facts[size_t(v)]);
    if (!text.empty()) return fmt::format("output {} (N = {}): {}", c.random.graph.value(v).name, run, text);
  }
  return "";
}

}  // namespace

std::string run_case(const Case& c, const DifferentialOptions& differential,
                     std::shared_ptr<const rt::Executable> executable) {
  Graph graph = c.random.graph;
  ir::Program reference = ops::lower(graph);
  rt::SessionOptions options;
  options.threads = 1 + int64_t(c.seed % 2);
  options.min_chunk_size = 64;
  options.multistream_mode = c.seed % 3 == 0;
  rt::Session session(std::move(executable), options);
  std::vector<int64_t> runs{c.random.symbol_value, c.random.symbol_value + 3};
  if (differential.runs) {
    runs.resize(size_t(differential.runs(c)));
    std::iota(runs.begin(), runs.end(), int64_t(0));
  }
  for (int64_t run : runs) {
    std::string wrong = run_once(c, differential, reference, session, run);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace cppgen::property
