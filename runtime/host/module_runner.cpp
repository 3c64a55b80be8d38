#include "runtime/host/module_runner.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/base/errors.h"
#include "runtime/base/steady_clock.h"
#include "runtime/host/custom_function.h"
#include "runtime/host/value_parts.h"
#include "runtime/values/string_handles.h"

namespace cppgen::rt {
namespace {

// The inputs of a step, in the order of its operator.
HostCall call_of(const HostStep& step, const std::vector<Value>& frame) {
  HostCall call{step, {}};
  for (int32_t slot : step.inputs) call.inputs.push_back(slot < 0 ? nullptr : &frame[size_t(slot)]);
  return call;
}

void append_captures(std::vector<Value>& inputs, const HostStep& step, size_t body, const std::vector<Value>& frame) {
  for (int32_t slot : step.captures[body]) inputs.push_back(frame[size_t(slot)]);
}

bool truth(const HostCall& call, const Value& value, const char* what) {
  const Tensor* t = value.tensor();
  if (!t || t->type() != DType::boolean || t->elements() != 1)
    call.fail(fmt::format("{} is {}, not one bool", what, value.description()));
  return *t->as<uint8_t>() != 0;
}

// The outputs that a loop stacks, one list of values each.
class Stacks {
 public:
  Stacks(const HostCall& call, size_t count) : call_(call), values_(count) {}

  void add(size_t i, Value value) { values_[i].push_back(std::move(value)); }

  // Joined along a new axis; without values, of the declared type.
  Value joined(size_t i, int64_t axis, bool reversed) {
    std::vector<Value>& list = values_[i];
    if (list.empty()) return nothing(i, axis);
    if (reversed) std::reverse(list.begin(), list.end());
    std::vector<const Value*> parts;
    for (const Value& value : list) parts.push_back(&value);
    const auto rank = int64_t(dims_of(call_, list[0]).size()) + 1;
    if (axis < -rank || axis >= rank)
      call_.fail(fmt::format("output axis {} is not in [{}, {}]", axis, -rank, rank - 1));
    return join_values(call_, parts, axis < 0 ? axis + rank : axis, true);
  }

 private:
  Value nothing(size_t i, int64_t axis) const {
    if (i >= call_.step.results.size() || !call_.step.results[i].ranked)
      call_.fail(fmt::format("stacked output {} is empty and its shape is unknown", i));
    const ValueInfo& info = call_.step.results[i];
    std::vector<int64_t> dims = info.dims;
    for (int64_t& d : dims) d = std::max<int64_t>(d, 0);
    const auto rank = int64_t(dims.size()) + 1;
    dims.insert(dims.begin() + (axis < 0 ? axis + rank : axis), 0);
    if (info.kind == ValueKind::strings) return StringTensor{std::move(dims), {}};
    return Tensor(info.type, std::move(dims));
  }

  const HostCall& call_;
  std::vector<std::vector<Value>> values_;
};

}  // namespace

ModuleRunner::ModuleRunner(const Module& module, RunPlan run_plan, std::function<void()> before_step,
                           std::string custom_operators, HostStepListener on_step)
    : module_(module),
      run_plan_(std::move(run_plan)),
      before_step_(std::move(before_step)),
      custom_operators_(std::move(custom_operators)),
      on_step_(std::move(on_step)) {
  prepared_.resize(module.bodies.size());
  for (size_t b = 0; b < module.bodies.size(); b++) prepare(b);
  size_t number = 0;
  for (size_t b = 0; b < module.bodies.size(); b++)
    for (size_t s = 0; s < prepared_[b].size(); s++)
      if (module.bodies[b].steps[s].op != HostOp::plan) prepared_[b][s].number = number++;
}

void ModuleRunner::prepare(size_t number) {
  const HostBody& body = module_.bodies[number];
  std::vector<bool> read_later(size_t(body.slots), false);
  for (int32_t slot : body.outputs) read_later[size_t(slot)] = true;
  prepared_[number].resize(body.steps.size());
  for (size_t s = body.steps.size(); s-- > 0;) {
    const HostStep& step = body.steps[s];
    PreparedStep& prepared = prepared_[number][s];
    if (step.op == HostOp::function) {
      const bool custom = step.function == kCustomFunction;
      prepared.function = custom ? custom_host_function(step, custom_operators_) : find_host_function(step);
    }
    if (step.op == HostOp::plan) prepared.plan = fields_of<PlanStepCall>(step);
    if (step.op == HostOp::scan) prepared.scan = fields_of<ScanCall>(step);
    auto read = [&](int32_t slot) {
      if (slot < 0 || read_later[size_t(slot)]) return;
      read_later[size_t(slot)] = true;
      prepared.last_reads.push_back(slot);
    };
    for (int32_t slot : step.outputs) read(slot);  // never read: freed at once
    for (int32_t slot : step.inputs) read(slot);
    for (const auto& slots : step.captures)
      for (int32_t slot : slots) read(slot);
  }
}

std::vector<Value> ModuleRunner::run(std::vector<Value> inputs) const {
  if (inputs.size() != module_.inputs.size())
    user_error("{} inputs are given; the model has {}", inputs.size(), module_.inputs.size());
  return run_body(0, std::move(inputs));
}

std::vector<Value> ModuleRunner::run_body(int32_t number, std::vector<Value> inputs) const {
  const HostBody& body = module_.bodies[size_t(number)];
  if (int32_t(inputs.size()) != body.inputs)
    user_error("module: the inputs of body {} do not match those that its step passes", number);
  Frame frame = std::move(inputs);
  frame.resize(size_t(body.slots));
  for (size_t s = 0; s < body.steps.size(); s++) {
    const HostStep& step = body.steps[s];
    const PreparedStep& prepared = prepared_[size_t(number)][s];
    begin_step();
    std::vector<Value> results = on_step_ ? timed_step(step, prepared, frame) : run_step(step, prepared, frame);
    if (results.size() < step.outputs.size()) user_error("module: {} returns {} values", step.origin, results.size());
    for (size_t i = 0; i < step.outputs.size(); i++)
      if (step.outputs[i] >= 0) frame[size_t(step.outputs[i])] = std::move(results[i]);
    for (int32_t slot : prepared.last_reads) frame[size_t(slot)] = Value();
  }
  std::vector<Value> outputs;
  for (int32_t slot : body.outputs) outputs.push_back(frame[size_t(slot)]);
  return outputs;
}

std::vector<Value> ModuleRunner::timed_step(const HostStep& step, const PreparedStep& prepared,
                                            const Frame& frame) const {
  thread_local int64_t inside = 0;  // of the step that runs on this thread
  const int64_t inside_others = std::exchange(inside, 0), begin = steady_ns();
  std::vector<Value> results = run_step(step, prepared, frame);
  const int64_t end = steady_ns(), inside_this = std::exchange(inside, inside_others + end - begin);
  if (step.op != HostOp::plan) on_step_({prepared.number, begin, end, inside_this});
  return results;
}

std::vector<Value> ModuleRunner::run_step(const HostStep& step, const PreparedStep& prepared,
                                          const Frame& frame) const {
  switch (step.op) {
    case HostOp::plan:
      return run_plan(step, prepared.plan, frame);
    case HostOp::function:
      return prepared.function(call_of(step, frame));
    case HostOp::branch:
      return run_branch(step, frame);
    case HostOp::loop:
      return run_loop(step, frame);
    case HostOp::scan:
      return run_scan(step, prepared.scan, frame);
    case HostOp::map:
      return run_map(step, frame);
  }
  internal_error("a host step of kind {}", int(step.op));
}

std::vector<Value> ModuleRunner::run_plan(const HostStep& step, const PlanStepCall& fields, const Frame& frame) const {
  const HostCall call = call_of(step, frame);
  StringHandles strings;
  std::vector<Tensor> entered;
  entered.reserve(call.inputs.size());
  std::vector<TensorView> views;
  for (size_t i = 0; i < call.inputs.size(); i++) {
    if (call.has(i) && call.inputs[i]->strings()) entered.push_back(strings.enter(call.strings(i)));
    views.push_back(call.has(i) && call.inputs[i]->strings() ? entered.back().view() : call.tensor(i).view());
  }
  std::vector<Value> results;
  for (Tensor& tensor : run_plan_(step.plan, views)) results.emplace_back(std::move(tensor));
  for (int64_t i : fields.string_outputs) {
    if (i >= int64_t(results.size())) user_error("module: {} has no output {} of strings", step.origin, i);
    results[size_t(i)] = strings.leave(*results[size_t(i)].tensor());
  }
  return results;
}

std::vector<Value> ModuleRunner::run_branch(const HostStep& step, const Frame& frame) const {
  const HostCall call = call_of(step, frame);
  if (!call.has(0)) call.fail("the condition is missing");
  const size_t chosen = truth(call, *call.inputs[0], "the condition") ? 0 : 1;
  std::vector<Value> inputs;
  append_captures(inputs, step, chosen, frame);
  return run_body(step.bodies[chosen], std::move(inputs));
}

std::vector<Value> ModuleRunner::run_loop(const HostStep& step, const Frame& frame) const {
  const HostCall call = call_of(step, frame);
  const int64_t trips = call.has(0) ? call.integer(0) : std::numeric_limits<int64_t>::max();
  bool going = !call.has(1) || truth(call, *call.inputs[1], "the condition");
  std::vector<Value> carried;
  for (size_t i = 2; i < call.inputs.size(); i++) carried.push_back(call.has(i) ? *call.inputs[i] : Value());
  const size_t kept = carried.size(), outputs = module_.bodies[size_t(step.bodies[0])].outputs.size();
  if (outputs < kept + 1) call.fail("the body has too few outputs");
  Stacks stacks(call, outputs - kept - 1);
  for (int64_t trip = 0; trip < trips && going; trip++) {
    begin_step();
    std::vector<Value> inputs{tensor_of(trip), tensor_of(going)};
    std::move(carried.begin(), carried.end(), std::back_inserter(inputs));
    append_captures(inputs, step, 0, frame);
    std::vector<Value> results = run_body(step.bodies[0], std::move(inputs));
    going = truth(call, results[0], "the body's condition");
    carried.assign(std::move_iterator(results.begin() + 1), std::move_iterator(results.begin() + 1 + int64_t(kept)));
    for (size_t i = kept + 1; i < outputs; i++) stacks.add(i - kept - 1, std::move(results[i]));
  }
  for (size_t i = 0; i + kept + 1 < outputs; i++) carried.push_back(stacks.joined(i, 0, false));
  return carried;
}

std::vector<Value> ModuleRunner::run_scan(const HostStep& step, const ScanCall& fields, const Frame& frame) const {
  HostCall call = call_of(step, frame);
  if (!fields.batched) return scan(call, fields, frame);
  call.inputs.erase(call.inputs.begin());  // lengths of sequences, which the compiler refuses
  // Each entry of the batch for itself, then all of them joined.
  auto input = [&](size_t i) -> const Value& {
    if (!call.has(i)) call.fail(fmt::format("input {} is missing", i));
    return *call.inputs[i];
  };
  const int64_t batch = dims_of(call, input(0)).empty() ? 0 : dims_of(call, input(0))[0];
  if (batch < 1) call.fail("the batch is empty");
  std::vector<std::vector<Value>> results;
  for (int64_t b = 0; b < batch; b++) {
    std::vector<Value> entry;
    for (size_t i = 0; i < call.inputs.size(); i++) {
      const std::vector<int64_t>& dims = dims_of(call, input(i));
      if (dims.empty() || dims[0] != batch) call.fail(fmt::format("input {} has a different batch size", i));
      entry.push_back(part_of(call, input(i), 0, b, 1, true));
    }
    HostCall one{step, {}};
    for (const Value& value : entry) one.inputs.push_back(&value);
    results.push_back(scan(one, fields, frame));
  }
  std::vector<Value> joined;
  for (size_t o = 0; o < results[0].size(); o++) {
    std::vector<const Value*> parts;
    for (const auto& list : results) parts.push_back(&list[o]);
    joined.push_back(join_values(call, parts, 0, true));
  }
  return joined;
}

namespace {

// A Scan of given inputs.
struct ScanForm {
  size_t states = 0;
  std::vector<ScanSlice> scanned, stacked;
  int64_t length = -1;

  ScanForm(const HostCall& call, const ScanCall& fields, size_t body_outputs)
      : scanned(fields.scanned), stacked(fields.stacked) {
    const size_t inputs = call.inputs.size(), in = scanned.size(), out = stacked.size();
    if (in < 1 || in > inputs || out > body_outputs || body_outputs - out != inputs - in)
      call.fail("the numbers of states, inputs and outputs do not agree");
    states = inputs - in;
    for (size_t k = 0; k < in; k++) note_length(call, k);
  }

 private:
  void note_length(const HostCall& call, size_t k) {
    if (!call.has(states + k)) call.fail(fmt::format("input {} is missing", states + k));
    const std::vector<int64_t>& dims = dims_of(call, *call.inputs[states + k]);
    const auto rank = int64_t(dims.size());
    int64_t& axis = scanned[k].axis;
    if (axis < -rank || axis >= rank) call.fail(fmt::format("axis {} is not in [{}, {}]", axis, -rank, rank - 1));
    axis = axis < 0 ? axis + rank : axis;
    const int64_t extent = dims[size_t(axis)];
    if (length >= 0 && extent != length)
      call.fail(fmt::format("scanned inputs have the lengths {} and {}", length, extent));
    length = extent;
  }
};

}  // namespace

std::vector<Value> ModuleRunner::scan(const HostCall& call, const ScanCall& fields, const Frame& frame) const {
  const HostStep& step = call.step;
  const ScanForm form(call, fields, module_.bodies[size_t(step.bodies[0])].outputs.size());
  std::vector<Value> state;
  for (size_t i = 0; i < form.states; i++) state.push_back(call.has(i) ? *call.inputs[i] : Value());
  Stacks stacks(call, form.stacked.size());
  for (int64_t t = 0; t < form.length; t++) {
    std::vector<Value> inputs = std::move(state);
    for (size_t k = 0; k < form.scanned.size(); k++) {
      const int64_t at = form.scanned[k].backwards ? form.length - 1 - t : t;
      inputs.push_back(part_of(call, *call.inputs[form.states + k], form.scanned[k].axis, at, 1, true));
    }
    append_captures(inputs, step, 0, frame);
    std::vector<Value> results = run_body(step.bodies[0], std::move(inputs));
    for (size_t k = 0; k < form.stacked.size(); k++) stacks.add(k, std::move(results[form.states + k]));
    results.resize(form.states);
    state = std::move(results);
  }
  for (size_t k = 0; k < form.stacked.size(); k++)
    state.push_back(stacks.joined(k, form.stacked[k].axis, form.stacked[k].backwards));
  return state;
}

std::vector<Value> ModuleRunner::run_map(const HostStep& step, const Frame& frame) const {
  const HostCall call = call_of(step, frame);
  const size_t length = call.sequence(0).size();
  for (size_t i = 0; i < call.inputs.size(); i++)
    if (call.has(i) && call.inputs[i]->sequence() && call.sequence(i).size() != length)
      call.fail(fmt::format("sequences have {} and {} elements", length, call.sequence(i).size()));
  std::vector<Value::Sequence> mapped(module_.bodies[size_t(step.bodies[0])].outputs.size());
  for (size_t k = 0; k < length; k++) {
    std::vector<Value> inputs;
    for (size_t i = 0; i < call.inputs.size(); i++) {
      if (!call.has(i)) call.fail(fmt::format("input {} is missing", i));
      inputs.push_back(call.inputs[i]->sequence() ? call.sequence(i)[k] : *call.inputs[i]);
    }
    append_captures(inputs, step, 0, frame);
    std::vector<Value> results = run_body(step.bodies[0], std::move(inputs));
    for (size_t o = 0; o < mapped.size(); o++) mapped[o].push_back(std::move(results[o]));
  }
  std::vector<Value> results;
  for (Value::Sequence& elements : mapped) results.emplace_back(std::move(elements));
  return results;
}

}  // namespace cppgen::rt
