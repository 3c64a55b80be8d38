// Samples with one input of another shape: empty, of one element, of too many dimensions, of a dimension that is
// another; known and of the run. Whatever comes is a result or an error of the user's, in every stage and when the
// interpreter runs it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/ir/interpreter/interpreter.h"
#include "cppgen/ops/op.h"
#include "cppgen/passes/pipeline.h"
#include "isa/vec_isa.h"
#include "runtime/host/module_runner.h"
#include "tests/differential/case_text.h"
#include "tests/differential/numbers.h"

namespace cppgen::differential {
namespace {

using Dims = std::vector<int64_t>;
constexpr int64_t kSymbol = 5;     // the value of N
constexpr double kMostWork = 3e5;  // points that are interpreted
constexpr int kMostReports = 20;

std::vector<Dims> variants_of(const Dims& dims) {
  std::vector<Dims> all{
      {}, {0}, {1}, {2}, {0, 3}, Dims(dims.size(), 1), Dims(dims.size(), 0), Dims(dims.size() + 2, 1)};
  const auto changed = [&](auto change) {
    Dims d = dims;
    change(d);
    all.push_back(std::move(d));
  };
  changed([](Dims& d) { d.insert(d.begin(), 2); });
  for (size_t k = 0; k < dims.size(); k++) {
    changed([&](Dims& d) { d.erase(d.begin() + long(k)); });
    for (int64_t other : {int64_t(0), int64_t(1), dims[k] + 1}) changed([&](Dims& d) { d[k] = other; });
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::erase(all, dims);
  return all;
}

Dims dims_of(const Value& v) {
  if (v.constant) return v.constant->dims;
  Dims dims;
  for (IndexExpr d : v.type->shape) dims.push_back(d.is_constant() ? d.constant() : kSymbol);
  return dims;
}

// Elements of the sample's own constant, repeated, or numbers of its range.
Tensor elements_for(const Sample& s, const Value& own, const Dims& dims) {
  const DType type = own.constant ? own.constant->dtype : own.type->dtype;
  if (!own.constant || own.constant->elements() == 0) {
    const auto range = s.ranges.find(own.name);
    return make_numbers(type, dims, range == s.ranges.end() ? std::nullopt : std::optional(range->second),
                        Numbers::ordinary, 7);
  }
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  const size_t width = size_of(type), given = own.constant->data.size;
  std::vector<std::byte> bytes(size_t(count) * width);
  const auto* from = static_cast<const std::byte*>(own.constant->data.bytes);
  for (size_t i = 0; i < bytes.size(); i++) bytes[i] = from[i % given];
  return make_tensor(type, dims, std::move(bytes));
}

// One input of a sample, and what takes its place.
struct Variant {
  int input = 0;
  Dims dims;
  bool constant = false;
};

struct Run {
  Graph graph;
  std::vector<rt::Value> inputs;
};

rt::Value value_of(const Tensor& t) {
  rt::Tensor tensor(t.dtype, t.dims);
  if (t.data.size > 0) std::memcpy(tensor.data(), t.data.bytes, t.data.size);
  return tensor;
}

// The sample's graph with this input instead, and values for all inputs.
Run make_run(Sample s, const Variant& variant) {
  Graph& g = s.graph;
  const ValueId id = g.nodes[0].inputs[size_t(variant.input)];
  const Tensor elements = elements_for(s, g.value(id), variant.dims);
  Value& value = g.value(id);
  const bool was_input = !value.constant;
  value.constant.reset();
  value.contents.reset();
  value.type = TensorType{elements.dtype, Shape(variant.dims.begin(), variant.dims.end())};
  if (variant.constant) value.constant = elements;
  if (was_input && variant.constant) std::erase(g.inputs, id);
  if (!was_input && !variant.constant) g.inputs.push_back(id);
  Run run;
  for (ValueId v : g.inputs)
    run.inputs.push_back(value_of(v == id ? elements : elements_for(s, g.value(v), dims_of(g.value(v)))));
  run.graph = std::move(g);
  return run;
}

double work_of(const ir::Program& p) {
  double work = 0;
  const auto extent = [](IndexExpr e) { return e.is_constant() ? double(e.constant()) : 8.0; };
  for (const ir::Statement& s : p.statements) {
    const auto* nest = std::get_if<ir::LoopNest>(&s);
    if (!nest) continue;
    double points = 1;
    for (const auto* loops : {&nest->loops, &nest->reduced})
      for (const ir::Loop& l : *loops) points *= extent(l.extent);
    work += points;
  }
  return work;
}

std::vector<rt::Tensor> interpreted(const ir::Program& program, std::span<const rt::TensorView> inputs) {
  if (work_of(program) > kMostWork) user_error("too much work");
  std::vector<ir::HostTensor> host;
  for (const rt::TensorView& view : inputs) {
    host.push_back({view.type, {view.dims.begin(), view.dims.end()}, {}});
    const auto* bytes = static_cast<const std::byte*>(view.data);
    host.back().bytes.assign(bytes, bytes + rt::byte_size(view.type, view.dims));
  }
  std::vector<rt::Tensor> outputs;
  for (const ir::HostTensor& result : ir::interpret(program, host)) {
    outputs.emplace_back(result.type, result.dims);
    if (!result.bytes.empty()) std::memcpy(outputs.back().data(), result.bytes.data(), result.bytes.size());
  }
  return outputs;
}

void interpret_all(const ModelGraphs& cut, std::vector<ir::Program>& programs, const std::vector<rt::Value>& inputs) {
  if (cut.module) {
    const auto run_plan = [&](int32_t part, std::span<const rt::TensorView> views) {
      return interpreted(programs[size_t(part)], views);
    };
    rt::ModuleRunner(*cut.module, run_plan).run(inputs);
    return;
  }
  std::vector<rt::TensorView> views;
  for (const rt::Value& v : inputs) views.push_back(v.tensor()->view());
  interpreted(programs[0], views);
}

// Runs all stages but the C++ compiler.
void try_run(Run run) {
  passes::run_passes(run.graph);
  ModelGraphs cut = cppgen::cut(std::move(run.graph));
  StageClock clock;
  const schedule::Target target = target_of(*find_isa("avx2"), MachineDescription());
  std::vector<ir::Program> programs;
  for (Graph& graph : cut.graphs) {
    programs.push_back(ops::lower(graph));
    ir::verify(programs.back());
  }
  make_parts(cut, Settings(), schedule_options(Settings()), target, clock);
  interpret_all(cut, programs, run.inputs);
}

// "" if that gives a result or an error of the user's.
std::string fault_of(Run run) {
  try {
    try_run(std::move(run));
  } catch (const UserError&) {
    return "";
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

struct Counts {
  int variants = 0, faults = 0;
};

void try_variants(const Row& row, const std::string& text, DType type, Counts& counts) {
  const Sample sample = parse(row, text, type);
  const std::vector<ValueId> inputs = sample.graph.nodes[0].inputs;
  for (size_t i = 0; i < inputs.size(); i++) {
    if (inputs[i] == kNoValue) continue;
    const Value& own = sample.graph.value(inputs[i]);
    for (const Dims& dims : variants_of(dims_of(own)))
      for (bool constant : {false, true}) {
        if (constant && !own.constant) continue;
        const Variant variant{int(i), dims, constant};
        const std::string fault = fault_of(make_run(parse(row, text, type), variant));
        counts.variants++;
        if (fault.empty() || ++counts.faults > kMostReports) continue;
        ADD_FAILURE() << row.domain << " " << row.op << " (opset " << row.opset << "): " << text << "\ninput " << i
                      << (constant ? " is" : " has the shape") << fmt::format(" [{}]", fmt::join(dims, ",")) << "\n"
                      << fault;
      }
  }
}

// The first type that the compiler takes the case for; float32 if it does.
std::optional<DType> type_for(const Row& row, const std::string& text) {
  for (int t = 0; t < (has_type_variable(text) ? kDTypeCount : 1); t++) {
    Sample s = parse(row, text, DType(t));
    if (refusal(s).empty()) return DType(t);
  }
  return std::nullopt;
}

TEST(ShapeVariants, AreRunOrRefused) {
  Counts counts;
  for (const Row& row : rows())
    for (const std::string& text : case_texts(row))
      if (const auto type = type_for(row, text)) try_variants(row, text, *type, counts);
  EXPECT_GT(counts.variants, 20000);
  EXPECT_EQ(counts.faults, 0);
}

}  // namespace
}  // namespace cppgen::differential
