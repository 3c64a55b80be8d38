#include "bench/kernels/sweep_grids.h"

#include <cmath>

namespace cppgen::bench {
namespace {

// A convolution with padding that keeps the image's size up to its stride.
struct Convolution {
  int64_t batch = 1, dims = 2, size = 56, in = 128, out = 128, groups = 1, kernel = 3, stride = 1, dilation = 1;

  bool exists() const { return groups > 0 && in % groups == 0 && out % groups == 0 && (kernel > 1 || dilation == 1); }
  int64_t out_size() const { return (size - 1) / stride + 1; }
  static double power(int64_t base, int64_t exponent) { return std::pow(double(base), double(exponent)); }
  double taps() const { return power(kernel, dims); }

  Grid::Work work() const {
    if (!exists()) return {};
    const double results = double(batch * out) * power(out_size(), dims);
    return {results * double(in / groups) * taps(), results + double(batch * in) * power(size, dims)};
  }

  Dims image(int64_t channels, int64_t extent) const {
    Dims d{batch, channels};
    d.insert(d.end(), size_t(dims), extent);
    return d;
  }

  void build(ModelBuilder& model) const {
    const auto each = [&](int64_t value, int64_t times = 1) { return Dims(size_t(dims * times), value); };
    Dims weights{out, in / groups};
    weights.insert(weights.end(), size_t(dims), kernel);
    std::vector<float> values(size_t(double(out * (in / groups)) * taps()));
    for (size_t i = 0; i < values.size(); i++) values[i] = float(int(i * 7919 % 1021) - 510) / 512;
    const std::string x = model.input("x", image(in, size));
    const std::string y = model.node("Conv", {x, model.numbers(weights, values)},
                                     {{"pads", each(dilation * (kernel - 1) / 2, 2)},
                                      {"strides", each(stride)},
                                      {"dilations", each(dilation)},
                                      {"kernel_shape", each(kernel)},
                                      {"group", {groups}}});
    model.output(y, image(out, out_size()));
  }
};

Grid convolutions(const std::string& name, std::vector<Axis> axes, std::function<Convolution(const Values&)> at) {
  return {name, std::move(axes), [at](const Values& v) { return at(v).work(); },
          [at](ModelBuilder& model, const Values& v) { at(v).build(model); }};
}

Grid grouped() {
  return convolutions("grouped",
                      {{"channels a group", {1, 2, 4, 8, 16, 32, 64}},
                       {"kernel", {1, 3, 5}},
                       {"stride", {1, 2}},
                       {"dilation", {1, 2}},
                       {"size", {28, 112}}},
                      [](const Values& v) {
                        Convolution c;
                        c.groups = c.in / v[0], c.kernel = v[1], c.stride = v[2], c.dilation = v[3], c.size = v[4];
                        return c;
                      });
}

Grid odd_channels() {
  return convolutions(
      "channels",
      {{"in", {3, 8, 16, 17, 34, 48}}, {"out", {3, 8, 16, 17, 34, 48}}, {"kernel", {1, 3}}, {"stride", {1, 2}}},
      [](const Values& v) {
        Convolution c;
        c.in = v[0], c.out = v[1], c.kernel = v[2], c.stride = v[3], c.size = 57;
        return c;
      });
}

Grid other_dimensions() {
  return convolutions("dimensions",
                      {{"dims", {1, 2, 3}},
                       {"channels a group", {1, 4, 16, 64}},
                       {"stride", {1, 2}},
                       {"dilation", {1, 2}},
                       {"batch", {1, 8}}},
                      [](const Values& v) {
                        constexpr int64_t kSizes[] = {0, 1024, 33, 11};
                        Convolution c;
                        c.in = c.out = 64, c.dims = v[0], c.size = kSizes[v[0]], c.groups = c.in / v[1];
                        c.stride = v[2], c.dilation = v[3], c.batch = v[4];
                        return c;
                      });
}

constexpr int64_t kK = 768, kColumns = 768, kBlock = 32;

std::vector<uint8_t> some_bytes(int64_t count) {
  std::vector<uint8_t> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); i++) values[i] = uint8_t(i * 7919 % 251);
  return values;
}

std::string product(ModelBuilder& model, const std::string& x, int64_t bits) {
  if (bits == 4)
    return model.node("com.microsoft.MatMulNBits",
                      {x, model.bytes({kColumns, kK / kBlock, kBlock / 2}, some_bytes(kColumns * kK / 2), false),
                       model.numbers({kColumns, kK / kBlock}, std::vector<float>(kColumns * kK / kBlock, 0.01F))},
                      {{"K", {kK}}, {"N", {kColumns}}, {"bits", {4}}, {"block_size", {kBlock}}});
  if (bits == 32)
    return model.node("MatMul", {x, model.numbers({kK, kColumns}, std::vector<float>(kK * kColumns, 0.5F))});
  const std::string scale = model.number(0.02F), zero = model.bytes({}, {128}, false),
                    none = model.bytes({}, {0}, true);
  const std::string left =
      model.node("DequantizeLinear", {model.node("QuantizeLinear", {x, scale, zero}), scale, zero});
  const std::string weights = model.bytes({kK, kColumns}, some_bytes(kK * kColumns), true);
  return model.node("MatMul", {left, model.node("DequantizeLinear", {weights, scale, none})});
}

Grid products() {
  Grid g;
  g.name = "products";
  g.axes = {{"rows", {1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 32, 48, 64, 100, 128, 200}}, {"bits", {4, 8, 32}}};
  g.work = [](const Values& v) {
    const double bytes = double(kK * kColumns * v[1]) / 8;
    return Grid::Work{double(v[0] * kK * kColumns), bytes / 4 + double(v[0] * (kK + kColumns))};
  };
  g.build = [](ModelBuilder& model, const Values& v) {
    model.output(product(model, model.input("x", {v[0], kK}), v[1]), {v[0], kColumns});
  };
  return g;
}

}  // namespace

std::vector<Grid> sweep_grids() { return {grouped(), odd_channels(), other_dimensions(), products()}; }

}  // namespace cppgen::bench
