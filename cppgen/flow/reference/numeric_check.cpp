#include "cppgen/flow/reference/numeric_check.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/data/rounding.h"
#include "cppgen/flow/reference/reference_model.h"
#include "cppgen/flow/reference/reference_plan.h"
#include "cppgen/schedule/draft.h"
#include "cppgen/schedule/schedule.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/plan/sample_sizes.h"
#include "runtime/values/random_inputs.h"
#include "runtime/values/value.h"

namespace cppgen {
namespace {

constexpr uint64_t kSeed = 1;

// A model in the making, on the interpreter.
class Runnable {
 public:
  Runnable(const Graph& graph, const CompileRequest& request)
      : request_(request), model_(deep_copy(graph), request), plan_(reference_plan(model_)) {}

  std::vector<rt::Value> run(std::vector<rt::Value> inputs) const {
    return reference_runner(model_, plan_, [this] { poll(request_); }).run_values(std::move(inputs));
  }

  // Sizes of symbols depend on each other in ways that only a run checks, so several are tried. The inputs and their
  // results.
  std::pair<std::vector<rt::Value>, std::vector<rt::Value>> run_with_random_inputs() const {
    std::string reason;
    for (int64_t size : {3, 2, 1, 8, 64, 224}) {
      rt::NamedSizes sizes;
      rt::add_sizes_of_maps(plan_, sizes);
      const rt::Plan* const plans[] = {&plan_};
      const int64_t preferred[] = {size, 1, 2, 3, 8, 64, 224};
      sizes = rt::sample_sizes(plans, sizes, preferred).sizes;
      try {
        const auto inputs = rt::random_values(plan_, sizes, kSeed, {}, request_.settings.max_memory);
        return {inputs, run(inputs)};
      } catch (const UserError& error) {
        reason = error.what();
      }
      if (plan_.symbols.empty()) break;
    }
    user_error("{}", reason);
  }

  std::vector<std::string> outputs() const {
    std::vector<std::string> names;
    for (const rt::TensorInfo& output : plan_.outputs) names.push_back(output.name);
    return names;
  }
  const ir::Program& program() const { return model_.program(); }

 private:
  const CompileRequest& request_;
  ReferenceModel model_;
  rt::Plan plan_;
};

std::vector<ir::HostTensor> host_tensors(const std::vector<rt::Value>& values) {
  std::vector<ir::HostTensor> tensors;
  for (const rt::Value& value : values) {
    const rt::Tensor& tensor = *value.tensor();
    const auto* bytes = tensor.as<std::byte>();
    tensors.push_back({tensor.type(), tensor.dims(), {bytes, bytes + tensor.bytes()}});
  }
  return tensors;
}

std::vector<rt::Value> values_of(const std::vector<ir::HostTensor>& tensors) {
  std::vector<rt::Value> values;
  for (const ir::HostTensor& tensor : tensors)
    values.emplace_back(rt::copy_of({tensor.type, tensor.dims, tensor.bytes.data()}));
  return values;
}

bool is_typed(const Graph& graph) {
  const auto typed = [&](ValueId v) { return v == kNoValue || graph.value(v).type || graph.value(v).host; };
  return std::all_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const Node& node) { return std::all_of(node.outputs.begin(), node.outputs.end(), typed); });
}

void check_schedule(const Graph& part, const CompileRequest& request, const schedule::Options& options,
                    const schedule::Target& target) {
  std::optional<ScheduleCheck> check;
  try {
    check.emplace(part, request, options);
  } catch (const UserError& error) {
    return log_warning("PASSES_NUMERIC_CHECK: the schedule of {} is not checked: {}", cppgen::quoted(part.name),
                       error.what());
  }
  schedule::make_schedule(check->program(), check->options(), target, [&](const char* pass, const auto& draft) {
    check->after_pass(pass, draft.schedule.program);
  });
}

}  // namespace

void NumericCheck::start(const Graph& graph) {
  started_ = true;
  draws_ = draws_random_numbers(graph);
  if (draws_)
    return log_warning(
        "PASSES_NUMERIC_CHECK: the passes over the graph are not checked, because it draws random numbers");
  try {
    std::tie(inputs_, results_) = Runnable(graph, request_).run_with_random_inputs();
  } catch (const UserError& error) {
    user_error("PASSES_NUMERIC_CHECK: the model cannot be run with random inputs; sizes are given by --dim: {}",
               error.what());
  }
}

void NumericCheck::after_graph_pass(const std::string& pass, const Graph& graph) {
  if (!started_ && !is_typed(graph)) return;
  if (!started_) return start(graph);
  if (draws_) return;
  const Runnable now(graph, request_);
  std::vector<rt::Value> results;
  try {
    results = now.run(inputs_);
  } catch (const UserError& error) {
    internal_error("PASSES_NUMERIC_CHECK: after the pass {} the model cannot be run any more: {}", pass, error.what());
  }
  require_equal(pass, now.outputs(), results_, results, rounding_limits(graph));
  results_ = std::move(results);
}

ScheduleCheck::ScheduleCheck(const Graph& part, const CompileRequest& request, schedule::Options options)
    : request_(request), limits_(rounding_limits(part)), options_(std::move(options)) {
  const Runnable runnable(part, request);
  inputs_ = host_tensors(runnable.run_with_random_inputs().first);
  outputs_ = runnable.outputs();
  program_ = runnable.program();
  options_.weight_prepack = false;
  results_ = run(program_);
}

std::vector<rt::Value> ScheduleCheck::run(const ir::Program& program) const {
  poll(request_);
  return values_of(ir::interpret(program, inputs_, {}, {}, request_.settings.max_memory));
}

void ScheduleCheck::after_pass(const std::string& pass, const ir::Program& program) {
  std::vector<rt::Value> results = run(program);
  require_equal(pass, outputs_, results_, results, limits_);
  results_ = std::move(results);
}

void check_schedules(std::span<const Graph> parts, const CompileRequest& request, const schedule::Options& options,
                     const schedule::Target& target) {
  for (const Graph& part : parts)
    if (!draws_random_numbers(part)) check_schedule(part, request, options, target);
}

}  // namespace cppgen
