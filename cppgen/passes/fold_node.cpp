#include "cppgen/passes/fold_node.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "cppgen/ops/op.h"
#include "cppgen/passes/rewrite.h"
#include "runtime/base/errors.h"

namespace cppgen::passes {
namespace {

constexpr int64_t kMaxSteps = int64_t{1} << 30;
constexpr int64_t kFreeBytes = int64_t{1} << 20;  // results up to this size are folded whatever their inputs
constexpr int64_t kUnknownSize = -1;

// The product, saturated; kUnknownSize if a factor is symbolic.
int64_t saturated_product(const std::vector<IndexExpr>& factors) {
  int64_t n = 1;
  for (const IndexExpr& f : factors) {
    if (!f.is_constant()) return kUnknownSize;
    if (__builtin_mul_overflow(n, f.constant(), &n)) return ir::kUnbounded;
  }
  return n;
}

bool inputs_are_constant(const Graph& graph, const Node& node) {
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](ValueId in) { return in == kNoValue || graph.value(in).constant; });
}

// The size of the outputs, as far as it is known in advance.
bool size_is_allowed(const Graph& graph, const Node& node, const FoldLimits& limits, int64_t& bytes) {
  int64_t elements = 0, input_bytes = 0;
  bytes = 0;
  for (ValueId out : node.outputs) {
    if (out == kNoValue) continue;
    const auto& type = graph.value(out).type;
    if (!type) return false;
    int64_t n = saturated_product(type->shape);
    if (n == kUnknownSize && limits.unknown_shapes) continue;
    if (n == kUnknownSize || n > limits.max_elements) return false;
    elements += n;
    if (__builtin_mul_overflow(n, int64_t(size_of(type->dtype)), &n) || __builtin_add_overflow(bytes, n, &bytes))
      return false;
  }
  for (ValueId in : node.inputs)
    if (in != kNoValue) input_bytes += int64_t(graph.value(in).constant->data.size);
  return elements <= limits.max_elements && (bytes <= kFreeBytes || bytes <= 2 * input_bytes);
}

bool calls_are_known(const std::vector<ir::Statement>& statements, const ir::LibraryTable& library) {
  return std::all_of(statements.begin(), statements.end(), [&](const ir::Statement& s) {
    const auto* call = std::get_if<ir::LibraryCall>(&s);
    const auto* repetition = std::get_if<ir::Repetition>(&s);
    return call ? library.count(call->function) > 0 : !repetition || calls_are_known(repetition->body, library);
  });
}

// Inner steps of the nests, saturated; kUnknownSize if an extent is symbolic.
int64_t steps_of(const std::vector<ir::Statement>& statements) {
  int64_t steps = 0;
  for (const ir::Statement& s : statements) {
    std::vector<IndexExpr> extents;
    if (const auto* nest = std::get_if<ir::LoopNest>(&s)) {
      for (const auto* loops : {&nest->loops, &nest->reduced})
        for (const ir::Loop& loop : *loops) extents.push_back(loop.extent);
    } else if (const auto* repetition = std::get_if<ir::Repetition>(&s)) {
      const int64_t body = steps_of(repetition->body);
      if (body == kUnknownSize) return kUnknownSize;
      extents = {repetition->steps, body};
    } else {
      continue;
    }
    const int64_t n = saturated_product(extents);
    if (n == kUnknownSize) return kUnknownSize;
    if (__builtin_add_overflow(steps, n, &steps)) return ir::kUnbounded;
  }
  return steps;
}

// Library calls are run if there is a function for them.
bool can_run(const ir::Program& program, const ir::LibraryTable& library, int64_t steps, const FoldBudget& budget) {
  return steps != kUnknownSize && steps <= std::min(kMaxSteps, budget.steps) &&
         calls_are_known(program.statements, library);
}

}  // namespace

bool fold_node(Graph& graph, NodeId id, const PassOptions& options, const FoldLimits& limits) {
  const Node& node = graph.nodes[size_t(id)];
  std::vector<ValueId> outputs;
  for (ValueId out : node.outputs)
    if (out != kNoValue) outputs.push_back(out);
  if (ops::is_host(graph, node)) return false;
  if (outputs.empty() || !is_pure(node) || !inputs_are_constant(graph, node)) return false;
  int64_t bytes = 0;
  if (!size_is_allowed(graph, node, limits, bytes) || bytes > options.budget->bytes) return false;
  if (!limits.dequantize && node.domain.empty() && node.op == "DequantizeLinear") return false;
  std::vector<ir::HostTensor> results;
  try {
    ir::Program program = ops::lower_node(graph, id);
    const int64_t steps = steps_of(program.statements);
    if (!can_run(program, options.library, steps, *options.budget)) return false;
    options.budget->steps -= steps;
    results = ir::interpret(program, {}, {}, options.library, 2 * options.budget->bytes);
  } catch (const UserError&) {
    return false;  // it fails whenever it is run; then it is an error of that run
  }
  check(results.size() == outputs.size(), "the lowering of a node and its outputs differ");
  for (const ir::HostTensor& result : results) options.budget->bytes -= int64_t(result.bytes.size());
  for (size_t i = 0; i < outputs.size(); i++)
    make_constant(graph, outputs[i], make_tensor(results[i].type, results[i].dims, std::move(results[i].bytes)));
  return true;
}

bool fold_contents(Graph& graph, ValueId id) {
  const Value& v = graph.value(id);
  if (v.constant || v.producer < 0 || !v.contents || !v.type || is_float(v.type->dtype)) return false;
  auto constant = [](const IndexExpr& e) { return e.is_constant(); };
  if (!std::all_of(v.contents->begin(), v.contents->end(), constant)) return false;
  if (!std::all_of(v.type->shape.begin(), v.type->shape.end(), constant)) return false;
  size_t width = size_of(v.type->dtype);
  std::vector<std::byte> bytes(v.contents->size() * width);
  for (size_t i = 0; i < v.contents->size(); i++) {
    int64_t element = (*v.contents)[i].constant();
    std::memcpy(bytes.data() + i * width, &element, width);  // little endian: the low bytes
  }
  std::vector<int64_t> dims;
  for (const IndexExpr& d : v.type->shape) dims.push_back(d.constant());
  make_constant(graph, id, make_tensor(v.type->dtype, std::move(dims), std::move(bytes)));
  return true;
}

}  // namespace cppgen::passes
