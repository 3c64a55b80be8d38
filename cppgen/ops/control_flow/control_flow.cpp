// Defines If and SequenceMap, and the helpers that all operators with bodies share.
#include "cppgen/ops/control_flow/control_flow.h"

#include <algorithm>

#include "cppgen/graph/string_elements.h"

namespace cppgen::ops {

void set_captures(InferContext& c, const std::string& attribute, Graph& body) {
  const std::vector<int64_t>& positions = c.captures(attribute);
  const size_t first = body.inputs.size() - positions.size();
  for (size_t k = 0; k < positions.size(); ++k) {
    const Value& outer = c.input_value(int(positions[k]));
    Value& inner = body.value(body.inputs[first + k]);
    set_type(inner, ValueType::of(outer));
    if (!outer.constant) inner.contents = outer.contents;
  }
}

size_t own_inputs(InferContext& c, const std::string& attribute) {
  return c.body(attribute).inputs.size() - c.captures(attribute).size();
}

int given_inputs(InferContext& c, std::initializer_list<const char*> bodies) {
  size_t captured = 0;
  for (const char* body : bodies) captured += c.captures(body).size();
  return c.input_count() - int(captured);
}

rt::HostStep step_of(rt::HostOp op) {
  rt::HostStep step;
  step.op = op;
  return step;
}

// Each round covers more.
std::vector<ValueType> carried_types(InferContext& c, const std::string& attribute, size_t first, size_t carried,
                                     size_t first_output, const std::function<void(Graph&)>& set_rest,
                                     const Graph** typed_body) {
  std::vector<ValueType> types;
  for (size_t i = 0; i < carried; ++i) types.push_back(ValueType::of(c.input_value(int(first + i))));
  std::set<std::string> visible = visible_symbols(c), widened;
  const Attribute original = *c.attribute(attribute);  // each round begins with it, because inference folds constants
  constexpr int kMostRounds = 16;
  for (int round = 0; round < kMostRounds; ++round) {
    c.set_body(attribute, original);
    const Graph& body = c.infer_body(attribute, [&](Graph& g) {
      set_rest(g);
      set_captures(c, attribute, g);
      for (size_t i = 0; i < carried; ++i) set_type(g.value(g.inputs[first_output == 1 ? 2 + i : i]), types[i]);
    });
    *typed_body = &body;
    bool settled = true;
    for (size_t i = 0; i < carried; ++i) {
      const ValueType result = ValueType::of(body.value(body.outputs[first_output + i]));
      const ValueType covering =
          join_types(c, fmt::format("carried value {}", i).c_str(), types[i], result, visible, [&](size_t d) {
            const IndexExpr now = types[i].tensor->shape[d];
            if (now.node() && widened.count(now.node()->name)) return now;
            const IndexExpr fresh = c.index().fresh_symbol("carried");
            visible.insert(fresh.node()->name);
            widened.insert(fresh.node()->name);
            return fresh;
          });
      settled &= covering == types[i];
      types[i] = covering;
    }
    if (settled) return types;
  }
  c.fail("the types of the carried values do not converge");
}

ValueType seen_from_outside(InferContext& c, int output, const ValueType& type, const std::set<std::string>& visible) {
  return join_types(c, "an output", type, type, visible,
                    [&](size_t d) { return c.unknown_dimension(output, d, "dim"); });
}

void set_stacked(InferContext& c, int i, const ValueType& each, std::optional<IndexExpr> length, int64_t axis,
                 const std::set<std::string>& visible) {
  if (!c.has_output(i)) return;
  if (!each.tensor) {
    if (!each.host || (each.host->kind != ValueKind::tensor && each.host->kind != ValueKind::strings))
      c.fail(fmt::format("output {} stacks values that are not tensors", i));
    const HostType stacked = with_rank_moved(*each.host, 1);
    return c.set_host_output(i, stacked);
  }
  const int rank = int(each.tensor->shape.size()) + 1;
  const int at = normalized_axis(c, axis, rank);
  auto outer = [&](size_t d) { return d + (int64_t(d) >= at ? 1 : 0); };
  const ValueType seen = join_types(c, "a stacked output", each, each, visible,
                                    [&](size_t d) { return c.unknown_dimension(i, outer(d), "dim"); });
  Shape shape = seen.tensor->shape;
  shape.insert(shape.begin() + at, length ? *length : c.unknown_dimension(i, size_t(at), "trips"));
  c.set_output(i, each.tensor->dtype, shape);
}

std::vector<rt::ValueInfo> stacked_infos(InferContext& c, const std::string& attribute, size_t first) {
  std::vector<rt::ValueInfo> infos;
  const Graph& body = c.body(attribute);
  for (size_t i = first; i < body.outputs.size(); ++i) {
    const ValueType type = ValueType::of(body.value(body.outputs[i]));
    const HostType host = as_host(type);
    rt::ValueInfo info;
    info.kind = host.kind, info.type = host.dtype, info.ranked = has_dims(host);
    if (info.ranked) info.dims = *host.dims;
    info.symbols.resize(info.dims.size());
    infos.push_back(std::move(info));
  }
  return infos;
}

namespace {

// --- If

void infer_if(InferContext& c) {
  if (given_inputs(c, {"then_branch", "else_branch"}) != 1) c.fail_invalid("there must be one condition");
  if (!c.host(0)) require_dtype(c, 0, kBool);
  const std::set<std::string> visible = visible_symbols(c);
  std::vector<ValueType> types[2];
  const char* names[] = {"then_branch", "else_branch"};
  for (int b = 0; b < 2; ++b) {
    if (own_inputs(c, names[b]) != 0) c.fail_invalid(fmt::format("{} has inputs of its own", names[b]));
    const Graph& body = c.infer_body(names[b], [&](Graph& g) { set_captures(c, names[b], g); });
    for (ValueId v : body.outputs) types[b].push_back(ValueType::of(body.value(v)));
  }
  if (types[0].size() != types[1].size() || types[0].size() < size_t(c.output_count()))
    c.fail_invalid(fmt::format("the branches have {} and {} outputs, the node {}", types[0].size(), types[1].size(),
                               c.output_count()));
  for (int i = 0; i < c.output_count(); ++i) {
    if (!c.has_output(i)) continue;
    set_output_type(c, i,
                    join_types(c, fmt::format("output {}", i).c_str(), types[0][size_t(i)], types[1][size_t(i)],
                               visible, [&](size_t d) { return c.unknown_dimension(i, d, "dim"); }));
  }
}

rt::HostStep host_if(InferContext&) { return step_of(rt::HostOp::branch); }

// --- SequenceMap

void infer_map(InferContext& c) {
  const int given = given_inputs(c, {"body"});
  if (!c.host(0) || c.host(0)->kind != ValueKind::sequence) c.fail_invalid("input 0 is not a sequence");
  if (int(own_inputs(c, "body")) != given)
    c.fail_invalid(fmt::format("the body has {} inputs for {}", own_inputs(c, "body"), given));
  const Graph& body = c.infer_body("body", [&](Graph& g) {
    set_captures(c, "body", g);
    for (int i = 0; i < given; ++i) {
      Value& input = g.value(g.inputs[size_t(i)]);
      const HostType* host = c.host(i);
      if (!host || host->kind != ValueKind::sequence) {
        set_type(input, ValueType::of(c.input_value(i)));
        continue;
      }
      HostType element = *host;
      element.kind = host->strings ? ValueKind::strings : ValueKind::tensor;
      if (!has_dims(*host)) {
        set_type(input, {std::nullopt, element});
        continue;
      }
      Shape shape;
      for (int64_t d : *host->dims) shape.push_back(d >= 0 ? IndexExpr(d) : c.index().fresh_symbol("dim"));
      set_type(input, {TensorType{host->strings ? kString : host->dtype, shape}, std::nullopt});
    }
  });
  if (c.output_count() > int(body.outputs.size())) c.fail_invalid("the node has more outputs than the body");
  for (int i = 0; i < c.output_count(); ++i) {
    HostType sequence = as_host(ValueType::of(body.value(body.outputs[size_t(i)])));
    sequence.kind = ValueKind::sequence;
    c.set_host_output(i, sequence);
  }
}

rt::HostStep host_map(InferContext&) { return step_of(rt::HostOp::map); }

}  // namespace

std::vector<Op> control_flow_ops() {
  return {
      {.name = "If",
       .versions = {{1, "else_branch:graph then_branch:graph"}, 11, 13, 16, 19, 21, 23, 24, 25},
       .inputs = {1, kAny},
       .outputs = kAny,
       .elements = Elements::narrow,
       .infer = infer_if,
       .host = host_if},
      {.name = "SequenceMap",
       .versions = {{17, "body:graph"}},
       .inputs = {1, kAny},
       .outputs = kAny,
       .infer = infer_map,
       .host = host_map},
  };
}

}  // namespace cppgen::ops
