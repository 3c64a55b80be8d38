// Bodies of loops as steps of one plan.
#include <algorithm>

#include "cppgen/graph/string_elements.h"
#include "cppgen/ops/control_flow/control_flow.h"

namespace cppgen::ops {
namespace {

bool depends_on_step(const Value& v, const std::optional<IndexExpr>& step) {
  return step && std::any_of(v.type->shape.begin(), v.type->shape.end(),
                             [&](IndexExpr d) { return ir::depends_on(d, step->node()); });
}

bool kernels_do(const Graph& body, const Node& node) {
  const bool plain = !is_host(body, node) && !node.facts.run_time_symbols;
  return plain && bodies_of(node).empty();
}

bool is_typed_tensor(const Value& v) { return v.type && !v.host; }

bool runs_in_plan(InferContext& c, const Graph& body, const RepeatedBody& r) {
  auto tensor = [&](const Value& v) { return is_typed_tensor(v) && !depends_on_step(v, r.step); };
  auto tensors = [&](const std::vector<ValueId>& values) {
    return std::all_of(values.begin(), values.end(), [&](ValueId v) { return v == kNoValue || tensor(body.value(v)); });
  };
  // Strings become handles in plans, but not within the bodies there.
  if (std::any_of(body.values.begin(), body.values.end(), is_string_tensor)) return false;
  for (const Node& node : body.nodes)
    if (!kernels_do(body, node) || !tensors(node.outputs)) return false;
  if (!tensors(body.outputs) || compares_in_run(body))
    return false;  // dimensions cannot be compared between the steps of a plan
  for (int64_t i = 0; i < r.states; ++i) {
    const TensorType& before = c.input(r.first_state + int(i));
    if (!(before == *body.value(body.outputs[r.first_output + size_t(i)]).type)) return false;
  }
  return true;
}

void set_outputs(InferContext& c, const Graph& body, const RepeatedBody& r) {
  for (int i = 0; i < c.output_count(); ++i) {
    const TensorType& type = *body.value(body.outputs[r.first_output + size_t(i)]).type;
    Shape shape = type.shape;
    if (i >= r.states) shape.insert(shape.begin() + r.stacked[size_t(i - r.states)].axis, r.steps);
    c.set_output(i, type.dtype, shape);
  }
}

}  // namespace

bool infer_in_plan(InferContext& c, const std::function<void(Graph&)>& set_inputs, const FormOf& form_of) {
  const Attribute kept = *c.attribute("body");
  try {
    const Graph& body = c.infer_body("body", [&](Graph& g) {
      set_inputs(g);
      set_captures(c, "body", g);
    });
    std::optional<RepeatedBody> form;
    if (std::all_of(body.outputs.begin(), body.outputs.end(),
                    [&](ValueId v) { return is_typed_tensor(body.value(v)); }))
      form = form_of(body);
    if (form && runs_in_plan(c, body, *form)) {
      set_outputs(c, body, *form);
      return true;
    }
  } catch (const UserError&) {
    // The body fails in any form, or only as steps of one plan: typing it for the host shows which.
  }
  c.set_body("body", kept);
  return false;
}

namespace {

class RepeatedLowering {
 public:
  RepeatedLowering(LowerContext& c, const RepeatedBody& form)
      : c_(c), form_(form), body_(deep_copy(c.body("body"))), step_(form.step ? *form.step : new_step()) {}

  void run() {
    const std::vector<ir::BufferId> captured = captures();
    ir::Repetition repetition;
    repetition.step = step_, repetition.steps = form_.steps;
    for (int64_t i = 0; i < form_.states; ++i) repetition.carried.push_back(state(i));
    const std::vector<ir::Carried> states = repetition.carried;
    c_.repeat(std::move(repetition), [&] { one_step(states, captured); });
    for (size_t i = 0; i < states.size(); ++i)
      if (c_.has_output(int(i))) store_last(int(i), states[i]);
  }

 private:
  LowerContext& c_;
  const RepeatedBody& form_;
  Graph body_;
  const IndexExpr step_;

  IndexExpr new_step() const { return c_.index().step_symbol(form_.steps); }
  IndexExpr position(const RepeatedBody::Axis& axis) const { return axis.backwards ? form_.steps - 1 - step_ : step_; }

  // The buffers of captured values, which are created before the repetition.
  std::vector<ir::BufferId> captures() const {
    std::vector<ir::BufferId> buffers;
    for (int64_t i : c_.captures("body")) buffers.push_back(c_.input_buffer(int(i)));
    return buffers;
  }

  ir::Carried state(int64_t i) {
    const int input = form_.first_state + int(i);
    return {c_.input_buffer(input), c_.temporary(c_.dtype(input), c_.shape(input)),
            c_.temporary(c_.dtype(input), c_.shape(input))};
  }

  void copy(ir::BufferId to, ir::BufferId from, const std::string& name) {
    c_.emit_pointwise(
        to, [&](const At& at) { return c_.load(from, at); }, name);
  }

  ir::BufferId slice(size_t k) {
    const RepeatedBody::Axis& axis = form_.scanned[k];
    const int input = form_.first_state + int(form_.states) + int(k);
    Shape shape = c_.shape(input);
    shape.erase(shape.begin() + axis.axis);
    const ir::BufferId whole = c_.input_buffer(input), one = c_.temporary(c_.dtype(input), shape);
    c_.emit_pointwise(
        one,
        [&](At at) {
          at.insert(at.begin() + axis.axis, position(axis));
          return c_.load(whole, at);
        },
        "slice");
    return one;
  }

  void one_step(const std::vector<ir::Carried>& states, const std::vector<ir::BufferId>& captured) {
    std::vector<ir::BufferId> inputs(body_.inputs.size(), -1);  // the iteration and the condition are known
    for (size_t i = 0; i < states.size(); ++i) inputs[form_.first_input + i] = states[i].before;
    for (size_t k = 0; k < form_.scanned.size(); ++k) inputs[form_.first_input + states.size() + k] = slice(k);
    std::copy(captured.begin(), captured.end(), inputs.end() - std::ptrdiff_t(captured.size()));
    const std::vector<ir::BufferId> outputs = lower_body(body_, c_.program(), inputs, {.library = c_.uses_library()});
    for (size_t i = 0; i < states.size(); ++i) copy(states[i].after, outputs[form_.first_output + i], "state");
    for (size_t k = 0; k < form_.stacked.size(); ++k) stack(k, outputs[form_.first_output + states.size() + k]);
  }

  void stack(size_t k, ir::BufferId one) {
    const int output = int(form_.states) + int(k);
    if (!c_.has_output(output)) return;
    ir::LoopNest nest;
    nest.name = "stack";
    nest.loops = c_.loops(c_.program().buffer(one).shape);
    At at = LowerContext::indices(nest.loops);
    const ir::Expr value = c_.load(one, at);
    at.insert(at.begin() + form_.stacked[k].axis, position(form_.stacked[k]));
    nest.stores.push_back({c_.output_buffer(output), at, value});
    c_.emit(std::move(nest));
  }

  // If no step runs, a state does not change.
  void store_last(int output, const ir::Carried& state) {
    c_.emit_pointwise(
        c_.output_buffer(output),
        [&](const At& at) -> ir::Expr {
          if (form_.steps.range().lo > 0) return c_.load(state.after, at);
          return select(index_value(c_, form_.steps) > 0.0, load(c_, state.after, at), load(c_, state.initial, at));
        },
        "last");
  }
};

}  // namespace

void lower_repeated(LowerContext& c, const RepeatedBody& form) { RepeatedLowering(c, form).run(); }

}  // namespace cppgen::ops
