// Scan: states, scanned inputs. The host runs it, or a plan does if all states keep their types.
#include <algorithm>

#include "cppgen/ops/control_flow/control_flow.h"
#include "runtime/plan/calls/host_steps.h"

namespace cppgen::ops {
namespace {

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
    c.fail_invalid(fmt::format("{} states, {} scanned inputs, a body of {} inputs and {} outputs", f.states, f.scanned,
                               own_inputs(c, "body"), c.body("body").outputs.size()));
  if (f.batched && c.has_input(0)) c.fail_invalid("sequence lengths are not supported");
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

void set_slices(Graph& body, const ScanForm& f, const std::vector<Slice>& slices) {
  for (int64_t k = 0; k < f.scanned; ++k)
    set_type(body.value(body.inputs[size_t(f.states + k)]), {slices[size_t(k)].each, std::nullopt});
}

ValueType without_batch(InferContext& c, ValueType type) {
  if (!type.tensor || type.tensor->shape.empty()) c.fail("a state has no batch dimension");
  type.tensor->shape.erase(type.tensor->shape.begin());
  return type;
}

// This is not for opset 8, whose Scan has a batch dimension.
RepeatedBody repeated_scan(InferContext& c, const ScanForm& f) {
  RepeatedBody r;
  r.states = f.states;
  auto axes = [&](const char* positions, const char* directions, int64_t count, auto rank_of) {
    const auto axis = list_of(c, positions, count), backwards = list_of(c, directions, count);
    std::vector<RepeatedBody::Axis> all;
    for (size_t k = 0; k < axis.size(); ++k)
      all.push_back({normalized_axis(c, axis[k], rank_of(k)), backwards[k] != 0});
    return all;
  };
  const Graph& body = c.body("body");
  r.scanned = axes("scan_input_axes", "scan_input_directions", f.scanned,
                   [&](size_t k) { return int(c.shape(int(f.states) + int(k)).size()); });
  r.stacked = axes("scan_output_axes", "scan_output_directions", f.stacked, [&](size_t k) {
    return int(body.value(body.outputs[size_t(f.states) + k]).type->shape.size()) + 1;
  });
  r.steps = c.shape(int(f.states))[size_t(r.scanned[0].axis)];
  return r;
}

bool infer_scan_in_plan(InferContext& c, const ScanForm& f, const std::vector<Slice>& slices) {
  if (f.batched) return false;
  for (int i = 0; i < int(f.states); ++i)
    if (c.host(i)) return false;
  for (const Slice& slice : slices)
    if (!(slice.length == slices[0].length)) return false;
  auto set_inputs = [&](Graph& g) {
    for (int64_t i = 0; i < f.states; ++i) set_type(g.value(g.inputs[size_t(i)]), ValueType::of(c.input_value(int(i))));
    set_slices(g, f, slices);
  };
  return infer_in_plan(c, set_inputs, [&](const Graph&) { return std::optional(repeated_scan(c, f)); });
}

void infer_scan(InferContext& c) {
  const ScanForm f = scan_form(c);
  const std::vector<int64_t> axes = list_of(c, "scan_input_axes", f.scanned);
  const std::vector<int64_t> out_axes = list_of(c, "scan_output_axes", f.stacked);
  std::vector<Slice> slices;
  for (int64_t k = 0; k < f.scanned; ++k) slices.push_back(slice_of(c, f, k, axes[size_t(k)]));
  const bool in_plan = infer_scan_in_plan(c, f, slices);
  c.run_on_host(!in_plan);
  if (in_plan) return;
  const std::set<std::string> visible = visible_symbols(c);
  const Graph* body = nullptr;
  std::vector<ValueType> types;
  if (f.batched) {
    body = &c.infer_body("body", [&](Graph& g) {
      set_slices(g, f, slices);
      set_captures(c, "body", g);
      for (int64_t i = 0; i < f.states; ++i)
        set_type(g.value(g.inputs[size_t(i)]), without_batch(c, ValueType::of(c.input_value(int(f.first + i)))));
    });
    for (int64_t i = 0; i < f.states; ++i) types.push_back(ValueType::of(c.input_value(int(f.first + i))));
  } else {
    types = carried_types(
        c, "body", 0, size_t(f.states), 0, [&](Graph& g) { set_slices(g, f, slices); }, &body);
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
  const char* directions = f.batched ? "directions" : "scan_input_directions";
  const auto axes = list_of(c, "scan_input_axes", f.scanned), backwards = list_of(c, directions, f.scanned);
  const auto out_axes = list_of(c, "scan_output_axes", f.stacked);
  const auto out_backwards = list_of(c, "scan_output_directions", f.stacked);
  rt::ScanCall fields{f.batched, {}, {}};
  for (size_t k = 0; k < axes.size(); ++k) fields.scanned.push_back({axes[k], backwards[k] != 0});
  for (size_t k = 0; k < out_axes.size(); ++k) fields.stacked.push_back({out_axes[k], out_backwards[k] != 0});
  rt::set_fields(step, std::move(fields));
  step.results = stacked_infos(c, "body", size_t(f.states));
  return step;
}

void lower_scan(LowerContext& c) { lower_repeated(c, repeated_scan(c, scan_form(c))); }

}  // namespace

std::vector<Op> scan_loop_ops() {
  return {
      {.name = "Scan",
       .versions = {{8, "body:graph directions:ints num_scan_inputs:int"},
                    {9,
                     "scan_input_axes:ints scan_input_directions:ints scan_output_axes:ints "
                     "scan_output_directions:ints -directions"},
                    11,
                    16,
                    19,
                    21,
                    23,
                    24,
                    25},
       .inputs = {0, kAny},
       .outputs = kAny,
       .elements = Elements::narrow,
       .infer = infer_scan,
       .lower = lower_scan,
       .host = host_scan},
  };
}

}  // namespace cppgen::ops
