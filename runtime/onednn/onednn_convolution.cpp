#include <algorithm>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"
#include "runtime/contraction/onednn_versions.h"
#include "runtime/onednn/onednn_task.h"

namespace cppgen::rt {
namespace {

using dnnl::memory;

// The split of one image: a call costs about 1 us, each call reads all weights again, and oneDNN's register blocks need
// some 28 output positions (measured: 7x7 in single rows runs at 60% of the speed of the whole).
constexpr int64_t kMaxPieces = 32, kLeastPositions = 28;

using Spatial = OneDnnConvolution<int64_t>::Spatial;

int64_t reach(const Spatial& s) { return (s.kernel - 1) * s.dilation + 1; }

struct Convolution : OneDnnConvolution<int64_t> {
  OneDnnArguments arguments;

  int64_t out_positions() const {
    int64_t count = n;
    for (const Spatial& s : spatial) count = checked_mul(count, s.out, "convolution");
    return count;
  }
  int64_t weight_count() const {
    int64_t count = checked_mul(oc, ic / groups, "convolution");
    for (const Spatial& s : spatial) count = checked_mul(count, s.kernel, "convolution");
    return count;
  }
  int64_t in_positions() const {
    int64_t count = n;
    for (const Spatial& s : spatial) count = checked_mul(count, s.in, "convolution");
    return count;
  }
};

void check_convolution(const Convolution& conv) {
  onednn_require(!conv.spatial.empty(), "a convolution has 1 to 3 spatial dimensions");
  onednn_require(
      conv.groups >= 1 && conv.ic >= 1 && conv.oc >= 1 && conv.ic % conv.groups == 0 && conv.oc % conv.groups == 0,
      "channels of a convolution");
  for (const Spatial& s : conv.spatial) {
    onednn_require(s.in >= 1 && s.kernel >= 1 && s.stride >= 1 && s.dilation >= 1,
                   "a spatial dimension of a convolution");
    onednn_require(s.out == 0 || (s.out - 1) * s.stride + reach(s) <= s.in + s.pad_begin + s.pad_end,
                   "the output of a convolution is larger than its input allows");
  }
}

void check_sizes(const Convolution& conv, std::span<const int64_t> bytes) {
  const OneDnnArguments& arguments = conv.arguments;
  const auto floats = [](int64_t a, int64_t b) {
    return checked_mul(checked_mul(a, b, "convolution"), 4, "convolution");
  };
  const int64_t output = floats(conv.out_positions(), conv.oc);
  onednn_require(bytes.size() == arguments.output_index() + 1, "a convolution has the wrong number of buffers");
  onednn_require(bytes[0] == floats(conv.in_positions(), conv.ic), "size of the activations");
  onednn_require(bytes[1] == floats(conv.weight_count(), 1), "size of the weights");
  onednn_require(!arguments.bias || bytes[arguments.bias_index()] == 4 * conv.oc, "size of the bias");
  onednn_require(!arguments.add || bytes[arguments.add_index()] == output, "size of the addend");
  onednn_require(bytes[arguments.output_index()] == output, "size of the output");
}

memory::desc channels_last(const memory::dims& dims) {
  using tag = memory::format_tag;
  constexpr tag kTags[] = {tag::nwc, tag::nhwc, tag::ndhwc};
  return {dims, memory::data_type::f32, kTags[dims.size() - 3]};
}

memory::dims weight_dims(const Convolution& conv) {
  memory::dims dims;
  if (conv.groups > 1) dims.push_back(conv.groups);
  dims.insert(dims.end(), {conv.oc / conv.groups, conv.ic / conv.groups});
  for (const Spatial& s : conv.spatial) dims.push_back(s.kernel);
  return dims;
}

memory::desc plain_weights(const memory::dims& dims) {
  memory::dims strides(dims.size(), 1);
  for (size_t d = dims.size() - 1; d > 0; d--) strides[d - 1] = strides[d] * dims[d];
  return {dims, memory::data_type::f32, strides};
}

// Rows [begin, end) of the first spatial dimension of the output of one image, as a convolution of its own over the
// rows of the input that they reach.
struct RowBlock {
  int64_t begin, end;
  Spatial rows;
  int64_t in_begin;
};

RowBlock row_block(const Spatial& s, int64_t begin, int64_t end) {
  const int64_t first = begin * s.stride - s.pad_begin;
  const int64_t last = (end - 1) * s.stride - s.pad_begin + reach(s);
  const int64_t in_begin = std::clamp<int64_t>(first, 0, s.in), in_end = std::clamp<int64_t>(last, 0, s.in);
  return {begin,
          end,
          {in_end - in_begin, end - begin, s.kernel, s.stride, s.dilation, in_begin - first, last - in_end},
          in_begin};
}

std::vector<RowBlock> row_blocks(const Spatial& s, int64_t count) {
  std::vector<RowBlock> blocks;
  for (int64_t i = 0; i < count; i++) {
    const ChunkRange rows = chunk_range(s.out, count, i);
    blocks.push_back(row_block(s, rows.begin, rows.end));
    // A block that lies entirely in the padding has no input, which oneDNN does not support, so the image is not split.
    if (blocks.back().rows.in <= 0) return {{0, s.out, s, 0}};
  }
  return blocks;
}

OneDnnPrimitive convolution_primitive(const dnnl::engine& engine, const Convolution& conv, const Spatial& rows) {
  memory::dims in{1, conv.ic}, out{1, conv.oc}, strides, dilates, pad_begin, pad_end;
  for (size_t d = 0; d < conv.spatial.size(); d++) {
    const Spatial& s = d == 0 ? rows : conv.spatial[d];
    in.push_back(s.in);
    out.push_back(s.out);
    strides.push_back(s.stride);
    dilates.push_back(s.dilation - 1);
    pad_begin.push_back(s.pad_begin);
    pad_end.push_back(s.pad_end);
  }
  const OneDnnArguments& arguments = conv.arguments;
  const auto source = channels_last(in), output = channels_last(out);
  const memory::desc weights(weight_dims(conv), memory::data_type::f32, memory::format_tag::any);
  const memory::desc bias =
      arguments.bias ? memory::desc({conv.oc}, memory::data_type::f32, memory::format_tag::x) : memory::desc();
  const auto pd = onednn::primitive_desc<dnnl::convolution_forward>(
      engine, onednn_attributes(arguments, output), dnnl::prop_kind::forward_inference,
      dnnl::algorithm::convolution_direct, source, weights, bias, output, strides, dilates, pad_begin, pad_end);
  return {dnnl::convolution_forward(pd), source, pd.weights_desc(), bias, output, pd.scratchpad_desc()};
}

bool same_problem(const Spatial& a, const Spatial& b) {
  return a.in == b.in && a.out == b.out && a.pad_begin == b.pad_begin && a.pad_end == b.pad_end;
}

int64_t product_after_first(const std::vector<Spatial>& spatial, int64_t Spatial::*size) {
  int64_t product = 1;
  for (size_t d = 1; d < spatial.size(); d++) product *= spatial[d].*size;
  return product;
}

}  // namespace

std::shared_ptr<const LibraryTask> bind_onednn_convolution(const dnnl::engine& engine, OneDnnWeights& weights,
                                                           const float* constant, const OneDnnCall<int64_t>& fields,
                                                           const BoundCall& call) {
  const Convolution conv{fields.convolution, OneDnnArguments(fields)};
  const OneDnnArguments& arguments = conv.arguments;
  check_convolution(conv);
  check_sizes(conv, call.bytes);
  onednn_require(constant != nullptr, "the weights of a convolution must be constant");
  const int64_t positions = conv.out_positions();
  if (positions == 0)
    return std::make_shared<OneDnnTask>(engine, arguments, std::vector<OneDnnPrimitive>{}, std::vector<OneDnnPiece>{},
                                        0);
  const int64_t work = checked_mul(positions, conv.weight_count() / conv.groups, "convolution");  // multiply-adds
  const Spatial& rows = conv.spatial[0];
  const int64_t wanted =
      chunk_count(conv.n * rows.out, work, checked_mul(2, work, "convolution"), 0, call.min_chunk_size);
  const int64_t most = std::clamp<int64_t>(positions / conv.n / kLeastPositions, 2, kMaxPieces);
  const int64_t per_image = std::clamp<int64_t>((wanted + conv.n - 1) / conv.n, 1, std::min(rows.out, most));

  const int64_t in_row = product_after_first(conv.spatial, &Spatial::in) * conv.ic;
  const int64_t out_row = product_after_first(conv.spatial, &Spatial::out) * conv.oc;
  const memory::desc plain = plain_weights(weight_dims(conv));
  std::vector<OneDnnPrimitive> primitives;
  std::vector<Spatial> problems;
  std::vector<OneDnnPiece> pieces;
  const std::vector<RowBlock> blocks = row_blocks(rows, per_image);
  for (int64_t image = 0; image < conv.n; image++)
    for (const RowBlock& block : blocks) {
      const auto known = std::find_if(problems.begin(), problems.end(),
                                      [&](const Spatial& it) { return same_problem(it, block.rows); });
      const auto index = size_t(known - problems.begin());
      if (known == problems.end()) {
        problems.push_back(block.rows);
        primitives.push_back(convolution_primitive(engine, conv, block.rows));
      }
      pieces.push_back({index, (image * rows.in + block.in_begin) * in_row, 0,
                        (image * rows.out + block.begin) * out_row, 0,
                        weights.get(constant, plain, primitives[index].weights)});
    }
  const int64_t chunks = std::min<int64_t>(std::max<int64_t>(wanted, 1), int64_t(pieces.size()));
  return std::make_shared<OneDnnTask>(engine, arguments, std::move(primitives), std::move(pieces), chunks);
}

}  // namespace cppgen::rt
