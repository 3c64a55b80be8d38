// Whatever graphs there are, their texts are read back: random graphs, models with bodies, sequences and strings, and
// every operator's samples; as they are imported and after each pass.
//
//   test_text_round_trips [--times N]    so many times as many random graphs and models, and all samples
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "cppgen/flow/compile/stages.h"
#include "cppgen/import/import.h"
#include "cppgen/ir/text/program_text.h"
#include "cppgen/ops/op.h"
#include "cppgen/partition/partition.h"
#include "cppgen/passes/pipeline.h"
#include "cppgen/schedule/draft.h"
#include "cppgen/schedule/schedule.h"
#include "cppgen/text/program_reader.h"
#include "tests/control_flow/random_model.h"
#include "tests/differential/case_text.h"
#include "tests/property/random_graph.h"
#include "tests/text/same_graph.h"
#include "tests/text/times.h"

namespace cppgen {
namespace {

uint64_t given_times = 1;

}  // namespace

uint64_t times() { return given_times; }
size_t sample_step() { return times() > 1 ? 1 : 7; }

namespace {

void expect_round_trips_of_passes(Graph graph) {
  expect_round_trip(graph);
  passes::PassOptions options;
  options.trace = [&](const char* pass, const Graph& g) {
    SCOPED_TRACE(pass);
    if (!testing::Test::HasFailure()) expect_round_trip(g);
  };
  try {
    passes::run_passes(graph, options);
  } catch (const UserError&) {  // a model that is refused, which the tests of such models count
  }
}

// Some of the outputs are kept in inputs. Whether they can be is the question of the lowering.
void keep_outputs(Graph& graph, uint64_t seed) {
  for (size_t output = seed % 3; output < graph.outputs.size() && !graph.inputs.empty(); output += 2)
    graph.states.push_back({output, (output + seed) % graph.inputs.size(), int64_t(1 + seed * seed)});
}

TEST(RoundTrip, RandomGraphs) {
  for (uint64_t seed = 1; seed <= 200 * times() && !HasFailure(); seed++) {
    SCOPED_TRACE(seed);
    property::RandomGraph random = property::make_random_graph(seed);
    keep_outputs(random.graph, seed);
    expect_round_trip(random.graph);
    if (seed % 4 == 0) expect_round_trips_of_passes(random.graph);
  }
}

TEST(RoundTrip, RandomModelsWithBodies) {
  for (uint64_t seed = 1; seed <= 60 * times() && !HasFailure(); seed++) {
    SCOPED_TRACE(seed);
    const std::string bytes = modules::random_model(seed).maker.bytes();
    expect_round_trips_of_passes(import_onnx_bytes(std::as_bytes(std::span(bytes)), ""));
  }
}

// Floats differ from each other; integers, which may be indices, are 0.
ir::HostTensor values(DType type, std::vector<int64_t> dims) {
  ir::HostTensor tensor{type, std::move(dims), {}};
  tensor.bytes.resize(size_t(tensor.elements()) * size_of(type));
  if (type == DType::f32)
    for (int64_t i = 0; i < tensor.elements(); i++) tensor.as<float>()[i] = 0.125f * float(i % 13) - 0.5f;
  return tensor;
}

// The bytes of all outputs, or the message of a run that is refused.
std::string results(const ir::Program& program, int64_t symbol) {
  std::vector<ir::HostTensor> inputs;
  for (ir::BufferId id : program.inputs) {
    std::vector<int64_t> dims;
    for (IndexExpr d : program.buffer(id).shape) dims.push_back(d.is_constant() ? d.constant() : symbol);
    inputs.push_back(values(program.buffer(id).type, std::move(dims)));
  }
  std::string bytes;
  try {
    for (const ir::HostTensor& t : ir::interpret(program, inputs))
      bytes.append(reinterpret_cast<const char*>(t.bytes.data()), t.bytes.size());
  } catch (const UserError& error) {
    return error.what();
  }
  return bytes;
}

void expect_round_trip(const ir::Program& program, int64_t symbol) {
  const std::string text = ir::program_text(program);
  try {
    const ir::Program read = text::read_program(text, "printed");
    EXPECT_EQ(ir::program_text(read), text);
    if (symbol) {
      EXPECT_EQ(results(read, symbol), results(program, symbol));
    }
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what() << "\n" << text;
  }
}

TEST(RoundTrip, LoweredRandomGraphs) {
  for (uint64_t seed = 1; seed <= 100 * times() && !HasFailure(); seed++) {
    SCOPED_TRACE(seed);
    property::RandomGraph random = property::make_random_graph(seed);
    expect_round_trip(ops::lower(random.graph), seed % 4 == 0 ? random.symbol_value : 0);
  }
}

TEST(RoundTrip, ProgramsAfterEachPass) {
  const schedule::Options options;
  const schedule::Target target = target_of(*find_isa("scalar"), MachineDescription());
  for (uint64_t seed = 1; seed <= 40 * times() && !HasFailure(); seed++) {
    SCOPED_TRACE(seed);
    property::RandomGraph random = property::make_random_graph(seed);
    ir::Program lowered = ops::lower(random.graph, {.library = true});
    schedule::DecisionLog log;
    schedule::fuse(lowered, options, target, log, [&](const char* pass, const schedule::DraftState& draft) {
      SCOPED_TRACE(pass);
      expect_round_trip(draft.schedule.program, 0);
    });
  }
}

TEST(RoundTrip, LoweredSamplesOfAllOperators) {
  std::vector<differential::Sample> samples = differential::all_samples();
  for (size_t i = sample_step() / 2; i < samples.size() && !HasFailure(); i += sample_step()) {
    SCOPED_TRACE(samples[i].row->op + (": " + samples[i].text));
    if (partition::is_one_plan(samples[i].graph)) expect_round_trip(ops::lower(samples[i].graph), 0);
  }
}

TEST(RoundTrip, SamplesOfAllOperators) {
  const std::vector<differential::Sample> samples = differential::all_samples();
  ASSERT_FALSE(samples.empty());
  for (size_t i = 0; i < samples.size() && !HasFailure(); i += sample_step()) {
    SCOPED_TRACE(samples[i].row->op + (": " + samples[i].text));
    expect_round_trip(samples[i].graph);
  }
}

}  // namespace
}  // namespace cppgen

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc == 3 && std::string(argv[1]) == "--times") cppgen::given_times = std::strtoull(argv[2], nullptr, 10);
  if (cppgen::given_times == 0 || (argc != 1 && argc != 3))
    return std::fprintf(stderr, "usage: %s [--times N]\n", argv[0]), 2;
  return RUN_ALL_TESTS();
}
