#include <tuple>

#include "cppgen/ops/axis_split.h"

namespace cppgen::ops {
namespace {

using ir::ReduceOp;

void require_vector(InferContext& c, int input, IndexExpr extent) {
  require_dtype(c, input, kFloats);
  require_rank(c, input, 1, 1);
  require_equal(c, c.shape(input)[0], extent, "a parameter's length and the channels");
}

// --- BatchNormalization: inputs x, scale, bias, mean, variance

bool trains(InferContext& c) {
  if (c.opset() >= 14) return c.integer("training_mode", 0) != 0;
  for (int i = 1; i < c.output_count(); ++i) {
    if (c.has_output(i)) return true;
  }
  return false;
}

// Parameters for each element of a sample instead of for each channel.
bool per_element(InferContext& c) { return c.opset() < 9 && c.integer("spatial", 1) == 0; }

void require_sample_shape(InferContext& c, int input) {
  const Shape &x = c.shape(0), &parameter = c.shape(input);
  require_dtype(c, input, kFloats);
  require_rank(c, input, int(x.size()) - 1, int(x.size()) - 1);
  for (size_t d = 0; d < parameter.size(); ++d)
    require_equal(c, parameter[d], x[d + 1], "dimensions of a parameter and a sample");
}

void infer_batch_normalization(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_rank(c, 0, 1, -1);
  const Shape& x = c.shape(0);
  IndexExpr channels = x.size() > 1 ? x[1] : IndexExpr(int64_t(1));
  for (int i = 1; i < 5; ++i) per_element(c) ? require_sample_shape(c, i) : require_vector(c, i, channels);
  if (trains(c) && c.opset() < 14) c.fail("training (more than one output) is not supported");
  if (!trains(c) && (c.has_output(1) || c.has_output(2)))
    c.fail("attribute 'training_mode' is 0, so there is only one output; the statistics are outputs of training");
  c.number("epsilon", 1e-5f);
  c.number("momentum", 0.9f);
  c.set_output(0, c.dtype(0), x);
  if (c.opset() < 14) return;
  c.set_output(1, c.dtype(3), {channels});
  c.set_output(2, c.dtype(4), {channels});
}

At parameter_of(InferContext& c, const At& at) {
  if (per_element(c)) return {at.begin() + 1, at.end()};
  return {at.size() > 1 ? at[1] : IndexExpr()};
}

// The statistics of the batch, and what they make of the running ones.
Moments emit_batch_moments(LowerContext& c, DType type) {
  std::vector<int> axes;
  for (int d = 0; d < int(c.shape(0).size()); ++d) {
    if (d != 1) axes.push_back(d);
  }
  Moments batch =
      emit_moments(c, AxisSplit(c.shape(0), axes), type, [&](const At& at) { return load_input(c, 0, at).cast(type); });
  double momentum = c.number("momentum", 0.9f);
  for (auto [output, input, buffer, name] :
       {std::tuple(1, 3, batch.mean, "running_mean"), std::tuple(2, 4, batch.variance, "running_variance")}) {
    if (!c.has_output(output)) continue;
    c.emit_pointwise(
        c.output_buffer(output),
        [&, i = input, b = buffer](const At& at) {
          Scalar old = load_input(c, i, at);
          return old * momentum + (load(c, b, at) * (1 - momentum)).cast(old.type());
        },
        name);
  }
  return batch;
}

void lower_batch_normalization(LowerContext& c) {
  double epsilon = c.number("epsilon", 1e-5f);
  DType type = ir::value_type(c.dtype(0));
  bool training = trains(c);
  Moments m = training ? emit_batch_moments(c, type) : Moments{c.input_buffer(3), c.input_buffer(4)};
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    At own = parameter_of(c, at);
    Scalar variance = load(c, m.variance, own).cast(type), mean = load(c, m.mean, own).cast(type);
    Scalar scale = load_input(c, 1, own).cast(type) / sqrt(variance + epsilon);
    return (load_input(c, 0, at) - mean) * scale + load_input(c, 2, own).cast(type);
  });
}

// --- LayerNormalization and RMSNormalization: x, scale, bias over the last dimensions

AxisSplit layer_axes(InferContext& c) {
  return AxisSplit::from_axis(c.shape(0), normalized_axis(c, c.integer("axis", -1), int(c.shape(0).size())));
}

void infer_layer_normalization(InferContext& c) {
  require_dtype(c, 0, kFloats);
  const Shape& x = c.shape(0);
  AxisSplit axes = layer_axes(c);
  for (int i = 1; i <= 2; ++i) {
    if (!c.has_input(i)) continue;
    require_dtype(c, i, kFloats);
    require_broadcasts_to(c, i, x);
  }
  c.number("epsilon", 1e-5f);
  DType stash = dtype_of_onnx(c, c.integer("stash_type", 1));
  c.set_output(0, c.dtype(0), x);
  c.set_output(1, stash, axes.keep_dims());
  c.set_output(2, stash, axes.keep_dims());
}

ir::BufferId emit_inverse_deviation(LowerContext& c, const AxisSplit& axes, ir::BufferId variance, DType type) {
  double epsilon = c.number("epsilon", 1e-5f);
  ir::BufferId out = c.temporary(type, axes.kept());
  c.emit_pointwise(
      out, [&](const At& at) { return 1.0 / sqrt(load(c, variance, at) + epsilon); }, "inverse_deviation");
  return out;
}

// The statistics that normalise the rows of input 0: their mean, and 1 / sqrt(variance + epsilon).
struct Statistics {
  ir::BufferId mean, inverse_deviation;
};

Statistics emit_statistics(LowerContext& c, const AxisSplit& axes, const std::function<Scalar(const At&)>& value) {
  DType type = ir::value_type(c.dtype(0));
  Moments m = emit_moments(c, axes, type, value);
  return {m.mean, emit_inverse_deviation(c, axes, m.variance, type)};
}

Scalar normalized(LowerContext& c, const Statistics& s, const At& at, const At& row) {
  return (load_input(c, 0, at) - load(c, s.mean, row)) * load(c, s.inverse_deviation, row);
}

void emit_kept_output(LowerContext& c, const AxisSplit& axes, int output, ir::BufferId from, const char* name) {
  if (!c.has_output(output)) return;
  DType type = ir::value_type(c.output(output).dtype);
  c.emit_pointwise(
      c.output_buffer(output), [&](const At& at) { return load(c, from, axes.kept_of(at)).cast(type); }, name);
}

void lower_layer_normalization(LowerContext& c) {
  AxisSplit axes = layer_axes(c);
  DType type = ir::value_type(c.dtype(0));
  Statistics s = emit_statistics(c, axes, [&](const At& at) { return load_input(c, 0, at); });
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        Scalar y = normalized(c, s, at, axes.kept_of(at)) * scalar(c, c.load_broadcast(1, at)).cast(type);
        return c.has_input(2) ? y + scalar(c, c.load_broadcast(2, at)).cast(type) : y;
      },
      "scale");
  emit_kept_output(c, axes, 1, s.mean, "copy_mean");
  emit_kept_output(c, axes, 2, s.inverse_deviation, "copy_deviation");
}

void infer_rms_normalization(InferContext& c) {
  require_dtype(c, 0, kFloats);
  layer_axes(c);
  require_dtype(c, 1, kFloats);
  require_broadcasts_to(c, 1, c.shape(0));
  c.set_output(0, c.dtype(1), c.shape(0));
}

void lower_rms_normalization(LowerContext& c) {
  AxisSplit axes = layer_axes(c);
  DType type = ir::value_type(c.dtype(0)), result = ir::value_type(c.dtype(1));
  auto squared = [&](const At& at) {
    Scalar x = load_input(c, 0, at);
    return x * x;
  };
  auto average = [&](Scalar sum) { return sum / index_value(c, axes.count(), type); };
  ir::BufferId square = reduce_axes(c, axes, "mean_square", ReduceOp::sum, type, squared, average);
  ir::BufferId inverse = emit_inverse_deviation(c, axes, square, type);
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        Scalar y = load_input(c, 0, at) * load(c, inverse, axes.kept_of(at));
        return y.cast(result) * scalar(c, c.load_broadcast(1, at));
      },
      "scale");
}

// --- InstanceNormalization: x [N, C, spatial..], scale and bias [C]

AxisSplit instance_axes(InferContext& c) {
  require_rank(c, 0, 3, -1);
  return AxisSplit::from_axis(c.shape(0), 2);
}

void infer_instance_normalization(InferContext& c) {
  require_dtype(c, 0, kFloats);
  instance_axes(c);
  for (int i = 1; i < 3; ++i) {
    require_same_dtype(c, 0, i);
    require_vector(c, i, c.shape(0)[1]);
  }
  c.set_output(0, c.dtype(0), c.shape(0));
}

void lower_instance_normalization(LowerContext& c) {
  AxisSplit axes = instance_axes(c);
  Statistics s = emit_statistics(c, axes, [&](const At& at) { return load_input(c, 0, at); });
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        Scalar y = normalized(c, s, at, axes.kept_of(at));
        return y * load_input(c, 1, {at[1]}) + load_input(c, 2, {at[1]});
      },
      "scale");
}

// --- GroupNormalization: channels in groups; parameters for each group up to version 20, then for each channel

struct ChannelGroups {
  int64_t count;
  IndexExpr channels;  // of each group
  Shape split;         // [N, groups, channels, spatial..]
};

ChannelGroups channel_groups(InferContext& c) {
  require_rank(c, 0, 2, -1);
  const Shape& x = c.shape(0);
  ChannelGroups g{c.integer("num_groups"), 0, {}};
  if (g.count < 1) c.fail(fmt::format("attribute 'num_groups' is {}; it must be at least 1", g.count));
  require_equal(c, mod(x[1], g.count), 0, "the remainder of the channels by num_groups and 0");
  g.channels = floordiv(x[1], g.count);
  g.split = {x[0], g.count, g.channels};
  g.split.insert(g.split.end(), x.begin() + 2, x.end());
  return g;
}

void infer_group_normalization(InferContext& c) {
  require_dtype(c, 0, kFloats);
  ChannelGroups g = channel_groups(c);
  for (int i = 1; i < 3; ++i) require_vector(c, i, c.opset() < 21 ? IndexExpr(g.count) : c.shape(0)[1]);
  c.set_output(0, c.dtype(0), c.shape(0));
}

void lower_group_normalization(LowerContext& c) {
  ChannelGroups g = channel_groups(c);
  if (is_zero_sized(c.shape(0)))
    return c.emit_pointwise(c.output_buffer(0), [&](const At& at) { return load_input(c, 0, at); });
  DType type = ir::value_type(c.dtype(0));
  AxisSplit axes = AxisSplit::from_axis(g.split, 2);
  Statistics s = emit_statistics(c, axes, [&](const At& at) {
    At from = {at[0], at[1] * g.channels + at[2]};
    from.insert(from.end(), at.begin() + 3, at.end());
    return load_input(c, 0, from);
  });
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        IndexExpr group = floordiv(at[1], g.channels);
        At parameter = {c.opset() < 21 ? group : at[1]};
        Scalar y = normalized(c, s, at, {at[0], group});
        return y * load_input(c, 1, parameter).cast(type) + load_input(c, 2, parameter).cast(type);
      },
      "scale");
}

// --- MeanVarianceNormalization

AxisSplit mean_variance_axes(InferContext& c) {
  std::vector<int64_t> axes = {0, 2, 3};
  if (c.opset() < 9 && c.integer("across_channels", 0) != 0) axes = {0, 1, 2, 3};
  return AxisSplit(c.shape(0), normalized_axes(c, c.integers("axes", axes), int(c.shape(0).size())));
}

void infer_mean_variance(InferContext& c) {
  require_dtype(c, 0, kFloats);
  mean_variance_axes(c);
  c.set_output(0, c.dtype(0), c.shape(0));
}

void lower_mean_variance(LowerContext& c) {
  AxisSplit axes = mean_variance_axes(c);
  DType type = ir::value_type(c.dtype(0));
  Moments m = emit_moments(c, axes, type, [&](const At& at) { return load_input(c, 0, at); });
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        At row = axes.kept_of(at);
        return (load_input(c, 0, at) - load(c, m.mean, row)) / (sqrt(load(c, m.variance, row)) + 1e-9);
      },
      "scale");
}

}  // namespace

std::vector<Op> normalization_ops() {
  return {
      {.name = "BatchNormalization",
       .versions = {{1, "consumed_inputs:ints epsilon:float is_test:int momentum:float spatial:int"},
                    {6, "-consumed_inputs"},
                    {7, "-is_test"},
                    {9, "-spatial"},
                    {14, "training_mode:int"},
                    15},
       .inputs = 5,
       .outputs = 5,
       .infer = infer_batch_normalization,
       .lower = lower_batch_normalization},
      {.name = "LayerNormalization",
       .versions = {{1, "axis:int epsilon:float stash_type:int"}, 17},
       .inputs = {2, 3},
       .outputs = 3,
       .infer = infer_layer_normalization,
       .lower = lower_layer_normalization},
      {.name = "RMSNormalization",
       .versions = {{23, "axis:int epsilon:float stash_type:int"}},
       .inputs = 2,
       .infer = infer_rms_normalization,
       .lower = lower_rms_normalization},
      {.name = "InstanceNormalization",
       .versions = {{1, "consumed_inputs:ints epsilon:float"}, {6, "-consumed_inputs"}, 22},
       .inputs = 3,
       .infer = infer_instance_normalization,
       .lower = lower_instance_normalization},
      {.name = "GroupNormalization",
       .versions = {{18, "epsilon:float num_groups:int"}, {21, "stash_type:int"}},
       .inputs = 3,
       .infer = infer_group_normalization,
       .lower = lower_group_normalization},
      {.name = "MeanVarianceNormalization",
       .versions = {{1, "across_channels:int normalize_variance:int"},
                    {9, "axes:ints -across_channels -normalize_variance"},
                    13},
       .inputs = 1,
       .infer = infer_mean_variance,
       .lower = lower_mean_variance},
  };
}

}  // namespace cppgen::ops
