// If, Loop, Scan and SequenceMap: bodies are graphs of their own, which the host runs.
#include <algorithm>

#include "cppgen/ops/common.h"
#include "cppgen/ops/families.h"
#include "cppgen/ops/value_type.h"

namespace cppgen::ops {
namespace {

// Gives the last inputs of a body, its captures, the types of what they capture.
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

// Inputs of the node that are no captures.
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

// --- If

void infer_if(InferContext& c) {
  if (given_inputs(c, {"then_branch", "else_branch"}) != 1) c.fail("there must be one condition");
  if (!c.host(0)) require_dtype(c, 0, kBool);
  const std::set<std::string> visible = visible_symbols(c);
  std::vector<ValueType> types[2];
  const char* names[] = {"then_branch", "else_branch"};
  for (int b = 0; b < 2; ++b) {
    if (own_inputs(c, names[b]) != 0) c.fail(fmt::format("{} has inputs of its own", names[b]));
    const Graph& body = c.infer_body(names[b], [&](Graph& g) { set_captures(c, names[b], g); });
    for (ValueId v : body.outputs) types[b].push_back(ValueType::of(body.value(v)));
  }
  if (types[0].size() != types[1].size() || types[0].size() < size_t(c.output_count()))
    c.fail(fmt::format("the branches have {} and {} outputs, the node {}", types[0].size(), types[1].size(),
                       c.output_count()));
  for (int i = 0; i < c.output_count(); ++i) {
    if (!c.has_output(i)) continue;
    set_output_type(c, i,
                    join_types(c, fmt::format("output {}", i).c_str(), types[0][size_t(i)], types[1][size_t(i)],
                               visible, [&](size_t d) { return c.unknown_dimension(i, d, "dim"); }));
  }
}

rt::HostStep host_if(InferContext&) { return step_of(rt::HostOp::branch); }

// --- Loop: trip count, condition, carried values

// What is carried: a type that covers the initial value and what the body makes of it. Each round covers more.
std::vector<ValueType> carried_types(InferContext& c, const std::string& attribute, size_t first, size_t carried,
                                     size_t first_output, const std::function<void(Graph&)>& set_rest,
                                     const Graph** typed_body) {
  std::vector<ValueType> types;
  for (size_t i = 0; i < carried; ++i) types.push_back(ValueType::of(c.input_value(int(first + i))));
  std::set<std::string> visible = visible_symbols(c), widened;
  constexpr int kMostRounds = 16;
  for (int round = 0; round < kMostRounds; ++round) {
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
  c.fail("the types of the carried values do not settle");
}

// Dimensions that only the body knows become symbols of the graph around it.
ValueType seen_from_outside(InferContext& c, int output, const ValueType& type, const std::set<std::string>& visible) {
  return join_types(c, "an output", type, type, visible,
                    [&](size_t d) { return c.unknown_dimension(output, d, "dim"); });
}

// Output `i`: results of the body stacked along `axis`.
void set_stacked(InferContext& c, int i, const ValueType& each, std::optional<IndexExpr> length, int64_t axis,
                 const std::set<std::string>& visible) {
  if (!c.has_output(i)) return;
  if (!each.tensor) {
    if (!each.host || each.host->kind != ValueKind::tensor)
      c.fail(fmt::format("output {} stacks what are no tensors", i));
    HostType stacked = *each.host;
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

void infer_loop(InferContext& c) {
  const int given = given_inputs(c, {"body"});
  if (given < 2) c.fail("the trip count and the condition are missing");
  const size_t carried = size_t(given - 2);
  const Graph& original = c.body("body");
  if (own_inputs(c, "body") != carried + 2 || original.outputs.size() < carried + 1)
    c.fail(fmt::format("the body has {} inputs and {} outputs for {} carried values", own_inputs(c, "body"),
                       original.outputs.size(), carried));
  if (c.has_input(0) && !c.host(0)) require_dtype(c, 0, bit(DType::i64));
  if (c.has_input(1) && !c.host(1)) require_dtype(c, 1, kBool);
  if (c.output_count() > int(original.outputs.size()) - 1) c.fail("the node has more outputs than the body");
  const std::set<std::string> visible = visible_symbols(c);
  const Graph* body = nullptr;
  const std::vector<ValueType> types = carried_types(
      c, "body", 2, carried, 1,
      [&](Graph& g) {
        set_type(g.value(g.inputs[0]), {TensorType{DType::i64, {}}, std::nullopt});
        set_type(g.value(g.inputs[1]), {TensorType{DType::boolean, {}}, std::nullopt});
      },
      &body);
  for (int i = 0; i < c.output_count(); ++i) {
    if (!c.has_output(i)) continue;
    if (size_t(i) < carried) {
      set_output_type(c, i, seen_from_outside(c, i, types[size_t(i)], visible));
    } else {
      set_stacked(c, i, ValueType::of(body->value(body->outputs[size_t(i) + 1])), std::nullopt, 0, visible);
    }
  }
}

// Types of the stacked results, for runs without one.
std::vector<rt::ValueInfo> stacked_infos(InferContext& c, const std::string& attribute, size_t first) {
  std::vector<rt::ValueInfo> infos;
  const Graph& body = c.body(attribute);
  for (size_t i = first; i < body.outputs.size(); ++i) {
    const ValueType type = ValueType::of(body.value(body.outputs[i]));
    const HostType host = as_host(type);
    rt::ValueInfo info;
    info.kind = host.kind, info.type = host.dtype, info.ranked = host.dims.has_value();
    if (host.dims) info.dims = *host.dims;
    info.symbols.resize(info.dims.size());
    infos.push_back(std::move(info));
  }
  return infos;
}

rt::HostStep host_loop(InferContext& c) {
  rt::HostStep step = step_of(rt::HostOp::loop);
  step.results = stacked_infos(c, "body", size_t(given_inputs(c, {"body"}) - 2) + 1);
  return step;
}

// --- Scan: states, scanned inputs

struct ScanForm {
  bool batched;  // opset 8: sequence lengths first, and a batch dimension everywhere
  int first;     // the first state among the inputs
  int64_t states, scanned, stacked;
};

ScanForm scan_form(InferContext& c) {
  ScanForm f{c.opset() < 9, c.opset() < 9 ? 1 : 0, 0, c.integer("num_scan_inputs"), 0};
  f.states = given_inputs(c, {"body"}) - f.first - f.scanned;
  f.stacked = int64_t(c.body("body").outputs.size()) - f.states;
  if (f.scanned < 1 || f.states < 0 || f.stacked < 0 || int64_t(own_inputs(c, "body")) != f.states + f.scanned)
    c.fail(fmt::format("{} states, {} scanned inputs, a body of {} inputs and {} outputs", f.states, f.scanned,
                       own_inputs(c, "body"), c.body("body").outputs.size()));
  if (f.batched && c.has_input(0)) c.fail("lengths of sequences are not supported");
  return f;
}

std::vector<int64_t> list_of(InferContext& c, const char* attribute, int64_t count) {
  std::vector<int64_t> list = c.integers(attribute, std::vector<int64_t>(size_t(count), 0));
  if (int64_t(list.size()) != count) c.fail(fmt::format("{} has {} entries, not {}", attribute, list.size(), count));
  return list;
}

// The dimension that is scanned and the type of one slice.
struct Slice {
  IndexExpr length;
  TensorType each;
};

Slice slice_of(InferContext& c, const ScanForm& f, int64_t k, int64_t axis) {
  const TensorType& type = c.input(int(f.first + f.states + k));
  Shape shape = type.shape;
  if (f.batched) {
    if (shape.empty()) c.fail("a scanned input has no batch dimension");
    shape.erase(shape.begin());
  }
  const int at = normalized_axis(c, axis, int(shape.size()));
  const IndexExpr length = shape[size_t(at)];
  shape.erase(shape.begin() + at);
  return {length, {type.dtype, shape}};
}

ValueType without_batch(InferContext& c, ValueType type) {
  if (!type.tensor || type.tensor->shape.empty()) c.fail("a state has no batch dimension");
  type.tensor->shape.erase(type.tensor->shape.begin());
  return type;
}

void infer_scan(InferContext& c) {
  const ScanForm f = scan_form(c);
  const std::vector<int64_t> axes = list_of(c, "scan_input_axes", f.scanned);
  const std::vector<int64_t> out_axes = list_of(c, "scan_output_axes", f.stacked);
  std::vector<Slice> slices;
  for (int64_t k = 0; k < f.scanned; ++k) slices.push_back(slice_of(c, f, k, axes[size_t(k)]));
  const std::set<std::string> visible = visible_symbols(c);
  auto set_slices = [&](Graph& g) {
    for (int64_t k = 0; k < f.scanned; ++k)
      set_type(g.value(g.inputs[size_t(f.states + k)]), {slices[size_t(k)].each, std::nullopt});
  };
  const Graph* body = nullptr;
  std::vector<ValueType> types;
  if (f.batched) {
    body = &c.infer_body("body", [&](Graph& g) {
      set_slices(g);
      set_captures(c, "body", g);
      for (int64_t i = 0; i < f.states; ++i)
        set_type(g.value(g.inputs[size_t(i)]), without_batch(c, ValueType::of(c.input_value(int(f.first + i)))));
    });
    for (int64_t i = 0; i < f.states; ++i) types.push_back(ValueType::of(c.input_value(int(f.first + i))));
  } else {
    types = carried_types(c, "body", 0, size_t(f.states), 0, set_slices, &body);
  }
  for (int i = 0; i < c.output_count(); ++i) {
    if (!c.has_output(i)) continue;
    if (i < f.states) {
      set_output_type(c, i, seen_from_outside(c, i, types[size_t(i)], visible));
      continue;
    }
    ValueType each = ValueType::of(body->value(body->outputs[size_t(i)]));
    if (f.batched && each.tensor) {
      Shape shape = each.tensor->shape;
      shape.insert(shape.begin(), slices[0].length);
      shape.insert(shape.begin(), c.input(f.first + int(f.states)).shape[0]);
      c.set_output(i, each.tensor->dtype, shape);
    } else {
      set_stacked(c, i, each, slices[0].length, out_axes[size_t(i - f.states)], visible);
    }
  }
}

rt::HostStep host_scan(InferContext& c) {
  const ScanForm f = scan_form(c);
  rt::HostStep step = step_of(rt::HostOp::scan);
  step.integers = {f.batched, f.scanned, f.stacked};
  const char* directions = f.batched ? "directions" : "scan_input_directions";
  const auto axes = list_of(c, "scan_input_axes", f.scanned), backwards = list_of(c, directions, f.scanned);
  const auto out_axes = list_of(c, "scan_output_axes", f.stacked);
  const auto out_backwards = list_of(c, "scan_output_directions", f.stacked);
  for (size_t k = 0; k < axes.size(); ++k) step.integers.insert(step.integers.end(), {axes[k], backwards[k]});
  for (size_t k = 0; k < out_axes.size(); ++k)
    step.integers.insert(step.integers.end(), {out_axes[k], out_backwards[k]});
  step.results = stacked_infos(c, "body", size_t(f.states));
  return step;
}

// --- SequenceMap

void infer_map(InferContext& c) {
  const int given = given_inputs(c, {"body"});
  if (!c.host(0) || c.host(0)->kind != ValueKind::sequence) c.fail("input 0 is no sequence");
  if (int(own_inputs(c, "body")) != given)
    c.fail(fmt::format("the body has {} inputs for {}", own_inputs(c, "body"), given));
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
      if (host->strings || !host->dims) {
        set_type(input, {std::nullopt, element});
        continue;
      }
      Shape shape;
      for (int64_t d : *host->dims) shape.push_back(d >= 0 ? IndexExpr(d) : c.index().fresh_symbol("dim"));
      set_type(input, {TensorType{host->dtype, shape}, std::nullopt});
    }
  });
  if (c.output_count() > int(body.outputs.size())) c.fail("the node has more outputs than the body");
  for (int i = 0; i < c.output_count(); ++i) {
    HostType sequence = as_host(ValueType::of(body.value(body.outputs[size_t(i)])));
    sequence.kind = ValueKind::sequence;
    c.set_host_output(i, sequence);
  }
}

rt::HostStep host_map(InferContext&) { return step_of(rt::HostOp::map); }

}  // namespace

void add_control_flow_ops(std::vector<Op>& t) {
  add_host_versions(t, "If", {1, 11, 13, 16, 19, 21, 23, 24}, {1, -1, -1}, infer_if, host_if);
  add_host_versions(t, "Loop", {1, 11, 13, 16, 19, 21, 23, 24}, {0, -1, -1}, infer_loop, host_loop);
  add_host_versions(t, "Scan", {8, 9, 11, 16, 19, 21, 23, 24}, {0, -1, -1}, infer_scan, host_scan);
  add_host_versions(t, "SequenceMap", {17}, {1, -1, -1}, infer_map, host_map);
}

}  // namespace cppgen::ops
