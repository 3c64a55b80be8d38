// RotaryEmbedding of ONNX (version 23) and of com.microsoft: pairs of features of a head are rotated by an angle that
// grows with the position.
#include "cppgen/ops/attention/attention.h"

namespace cppgen::ops {
namespace {

// States where the two domains keep their inputs.
struct Inputs {
  int cosine, sine, positions;
};
constexpr Inputs kOnnx{1, 2, 3}, kMicrosoft{2, 3, 1};

struct Rotary {
  Inputs in;
  HeadedTensor tensor;
  IndexExpr pairs;  // of features that are turned; the others are kept
  bool interleaved = false;
};

Rotary describe_rotary(InferContext& c, const Inputs& in) {
  Rotary r{in, {}, 0};
  for (int i : {in.cosine, in.sine}) require_rank(c, i, 2, 3);
  const Shape& cosine = c.shape(in.cosine);
  const int64_t width = constant_dim(c, cosine.back(), "the width of the cosine cache");
  r.tensor = headed_input(c, 0, [&] {
    if (const int64_t heads = c.integer("num_heads", 0); heads > 0) return heads;
    if (width < 1) c.fail("the cosine cache is empty");
    return constant_dim(c, c.shape(0)[2], "the features of all heads") / (2 * width);
  });
  const int64_t features = constant_dim(c, r.tensor.features, "the features of a head");
  int64_t turned = c.integer("rotary_embedding_dim", 0);
  if (turned == 0) turned = features;
  if (turned < 0 || turned % 2 != 0 || turned > features)
    c.fail("rotary_embedding_dim is odd or exceeds the features of a head");
  r.pairs = turned / 2;
  r.interleaved = c.integer("interleaved", 0) != 0;
  for (int i : {in.cosine, in.sine})
    require_equal(c, c.shape(i).back(), r.pairs, "the pairs of features and the width of a cache");
  return r;
}

void infer_rotary(InferContext& c, const Inputs& in) {
  require_dtype(c, 0, kFloats);
  require_same_dtype(c, 0, in.cosine);
  require_same_dtype(c, 0, in.sine);
  const Rotary r = describe_rotary(c, in);
  const bool gathered = c.has_input(in.positions);
  for (int i : {in.cosine, in.sine}) {
    require_rank(c, i, gathered ? 2 : 3, gathered ? 2 : 3);
    if (gathered) continue;
    require_equal(c, c.shape(i)[0], r.tensor.batch, "the batch and a cache");
    require_equal(c, c.shape(i)[1], r.tensor.sequence, "the sequence and a cache");
  }
  if (gathered) {
    require_dtype(c, in.positions, bit(DType::i64));
    require_rank(c, in.positions, 1, 2);
    const Shape& s = c.shape(in.positions);
    if (s.size() == 1) require_equal(c, s[0], 1, "the one offset of all positions");
    if (s.size() == 2) require_equal(c, s[0], r.tensor.batch, "the batch and the positions");
    if (s.size() == 2) require_equal(c, s[1], r.tensor.sequence, "the sequence and the positions");
  }
  c.set_output(0, c.dtype(0), c.shape(0));
}

// The element of a cache for a pair of features at a position.
Scalar angle(LowerContext& c, const Rotary& r, int cache, IndexExpr b, IndexExpr position, IndexExpr pair) {
  if (!c.has_input(r.in.positions)) return load_input(c, cache, {b, position, pair});
  const bool offset = c.shape(r.in.positions).size() == 1;
  Scalar at = offset ? load_input(c, r.in.positions, {0}) + index_value(c, position)
                     : load_input(c, r.in.positions, {b, position});
  return load_gathered(c, c.input_buffer(cache), {0, pair}, {{0, at}});
}

void emit_turned(LowerContext& c, const RotarySpec& r) {
  ir::LoopNest nest;
  nest.name = "turn";
  nest.loops = c.loops({r.batch, r.heads, r.sequence, r.pairs});
  const auto at = LowerContext::indices(nest.loops);
  const IndexExpr pair = at[3], first = r.interleaved ? pair * 2 : pair,
                  second = r.interleaved ? pair * 2 + 1 : pair + r.pairs;
  Scalar x = r.x(at[0], at[1], at[2], first), y = r.x(at[0], at[1], at[2], second),
         cosine = r.cosine(at[0], at[2], pair), sine = r.sine(at[0], at[2], pair);
  nest.stores.push_back({r.out, r.out_at(at[0], at[1], at[2], first), cosine * x - sine * y});
  nest.stores.push_back({r.out, r.out_at(at[0], at[1], at[2], second), sine * x + cosine * y});
  c.emit(std::move(nest));
}

void emit_kept_features(LowerContext& c, const RotarySpec& r) {
  const IndexExpr kept = r.features - r.pairs * 2;
  if (kept.is_constant(0)) return;
  ir::LoopNest nest;
  nest.name = "keep";
  nest.loops = c.loops({r.batch, r.heads, r.sequence, kept});
  const auto at = LowerContext::indices(nest.loops);
  const IndexExpr feature = at[3] + r.pairs * 2;
  nest.stores.push_back({r.out, r.out_at(at[0], at[1], at[2], feature), r.x(at[0], at[1], at[2], feature)});
  c.emit(std::move(nest));
}

void lower_rotary(LowerContext& c, const Inputs& in) {
  const Rotary r = describe_rotary(c, in);
  const HeadedTensor& t = r.tensor;
  RotarySpec spec{t.batch, t.heads, t.sequence, t.features, r.pairs, r.interleaved, {}, {}, {}, -1, {}};
  spec.out_at = [&](IndexExpr b, IndexExpr h, IndexExpr i, IndexExpr f) { return t.at(b, h, i, f); };
  spec.x = [&](IndexExpr b, IndexExpr h, IndexExpr i, IndexExpr f) { return load_input(c, 0, t.at(b, h, i, f)); };
  spec.cosine = [&](IndexExpr b, IndexExpr i, IndexExpr pair) { return angle(c, r, in.cosine, b, i, pair); };
  spec.sine = [&](IndexExpr b, IndexExpr i, IndexExpr pair) { return angle(c, r, in.sine, b, i, pair); };
  spec.out = c.output_buffer(0);
  emit_rotary(c, spec);
}

// Its attribute `scale` has no effect, as in ONNX Runtime.
std::string refuse_microsoft(const Graph&, const Node& n) {
  const auto set = [&](const char* name) {
    auto it = n.attributes.find(name);
    return it != n.attributes.end() && std::get<int64_t>(it->second) != 0;
  };
  if (set("is_packed_batching")) return "is_packed_batching is not supported";
  return "";
}

}  // namespace

void emit_rotary(LowerContext& c, const RotarySpec& spec) {
  emit_turned(c, spec);
  emit_kept_features(c, spec);
}

std::vector<Op> rotary_ops() {
  return {
      {.name = "RotaryEmbedding",
       .versions = {{23, "interleaved:int num_heads:int rotary_embedding_dim:int"}},
       .inputs = {3, 4},
       .infer = [](InferContext& c) { infer_rotary(c, kOnnx); },
       .lower = [](LowerContext& c) { lower_rotary(c, kOnnx); }},
      {.name = "RotaryEmbedding",
       .domain = "com.microsoft",
       .versions = {{1, "interleaved:int is_packed_batching:int num_heads:int rotary_embedding_dim:int scale:float"}},
       .inputs = 4,
       .infer = [](InferContext& c) { infer_rotary(c, kMicrosoft); },
       .lower = [](LowerContext& c) { lower_rotary(c, kMicrosoft); },
       .refuse = refuse_microsoft},
  };
}

}  // namespace cppgen::ops
