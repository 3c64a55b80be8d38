// Loop: trip count, condition, carried values. The host runs it, or a plan does if the number of iterations is known
// beforehand.
#include <algorithm>

#include "cppgen/ops/control_flow/control_flow.h"

namespace cppgen::ops {
namespace {

// Known and not zero.
bool is_true(const Value& v) {
  if (v.contents) return v.contents->size() == 1 && (*v.contents)[0].is_constant(1);
  return v.constant && v.constant->elements() == 1 && *v.constant->as<uint8_t>() != 0;
}

// Returns whether the condition that a body returns is always true if the one that it receives is.
bool stays_true(const Graph& body, ValueId v) {
  const Value& value = body.value(v);
  if (v == body.inputs[1] || is_true(value)) return true;
  if (value.producer < 0) return false;
  const Node& node = body.nodes[size_t(value.producer)];
  return node.domain.empty() && node.op == "Identity" && stays_true(body, node.inputs[0]);
}

// The number of iterations, if the condition is always true and the trip count is known.
std::optional<IndexExpr> known_trips(InferContext& c) {
  constexpr int64_t kMost = 1 << 16;
  if (!c.has_input(0) || c.host(0) || (c.has_input(1) && (c.host(1) || !is_true(c.input_value(1))))) return {};
  const std::vector<IndexExpr>* trips = c.contents(0);
  if (!trips || trips->size() != 1 || ((*trips)[0].is_constant() && (*trips)[0].constant() > kMost)) return {};
  return ir::max((*trips)[0], 0);
}

RepeatedBody repeated_loop(InferContext& c, IndexExpr trips) {
  const Graph& body = c.body("body");
  RepeatedBody r;
  r.steps = trips, r.step = (*body.value(body.inputs[0]).contents)[0];
  r.first_state = 2, r.states = given_inputs(c, {"body"}) - 2;
  r.first_input = 2, r.first_output = 1;
  r.stacked.resize(body.outputs.size() - size_t(r.states) - 1, {0, false});
  return r;
}

// The types of the iteration number and the condition.
void set_round_types(Graph& body) {
  set_type(body.value(body.inputs[0]), {TensorType{DType::i64, {}}, std::nullopt});
  set_type(body.value(body.inputs[1]), {TensorType{DType::boolean, {}}, std::nullopt});
}

bool infer_loop_in_plan(InferContext& c, size_t carried) {
  const auto trips = known_trips(c);
  if (!trips) return false;
  for (size_t i = 0; i < carried; ++i)
    if (c.host(int(2 + i))) return false;
  auto set_inputs = [&](Graph& g) {
    set_round_types(g);
    g.value(g.inputs[0]).contents = std::vector<IndexExpr>{c.index().step_symbol(*trips)};
    g.value(g.inputs[1]).contents = std::vector<IndexExpr>{1};
    for (size_t i = 0; i < carried; ++i) set_type(g.value(g.inputs[2 + i]), ValueType::of(c.input_value(int(2 + i))));
  };
  return infer_in_plan(c, set_inputs, [&](const Graph& body) {
    return stays_true(body, body.outputs[0]) ? std::optional(repeated_loop(c, *trips)) : std::nullopt;
  });
}

void infer_loop(InferContext& c) {
  const int given = given_inputs(c, {"body"});
  if (given < 2) c.fail_invalid("the trip count and the condition are missing");
  const size_t carried = size_t(given - 2);
  const Graph& original = c.body("body");
  if (own_inputs(c, "body") != carried + 2 || original.outputs.size() < carried + 1)
    c.fail_invalid(fmt::format("the body has {} inputs and {} outputs for {} carried values", own_inputs(c, "body"),
                               original.outputs.size(), carried));
  if (c.has_input(0) && !c.host(0)) require_dtype(c, 0, bit(DType::i64));
  if (c.has_input(1) && !c.host(1)) require_dtype(c, 1, kBool);
  if (c.output_count() > int(original.outputs.size()) - 1) c.fail_invalid("the node has more outputs than the body");
  const bool in_plan = infer_loop_in_plan(c, carried);
  c.run_on_host(!in_plan);
  if (in_plan) return;
  const std::set<std::string> visible = visible_symbols(c);
  const Graph* body = nullptr;
  const std::vector<ValueType> types = carried_types(c, "body", 2, carried, 1, set_round_types, &body);
  for (int i = 0; i < c.output_count(); ++i) {
    if (!c.has_output(i)) continue;
    if (size_t(i) < carried) {
      set_output_type(c, i, seen_from_outside(c, i, types[size_t(i)], visible));
    } else {
      set_stacked(c, i, ValueType::of(body->value(body->outputs[size_t(i) + 1])), std::nullopt, 0, visible);
    }
  }
}

rt::HostStep host_loop(InferContext& c) {
  rt::HostStep step = step_of(rt::HostOp::loop);
  step.results = stacked_infos(c, "body", size_t(given_inputs(c, {"body"}) - 2) + 1);
  return step;
}

void lower_loop(LowerContext& c) { lower_repeated(c, repeated_loop(c, *known_trips(c))); }

}  // namespace

std::vector<Op> loop_ops() {
  return {
      {.name = "Loop",
       .versions = {{1, "body:graph"}, 11, 13, 16, 19, 21, 23, 24, 25},
       .inputs = {0, kAny},
       .outputs = kAny,
       .elements = Elements::narrow,
       .infer = infer_loop,
       .lower = lower_loop,
       .host = host_loop},
  };
}

}  // namespace cppgen::ops
