#pragma once
#include <utility>
#include <vector>

#include "cppgen/baseline/builder.h"
#include "cppgen/baseline/eltwise.h"

namespace cppgen::baseline {

// Builds the steps of a unit, whose first node is of the mapping's operator, and sets its result. Throws Refusal or
// dnnl::error if oneDNN does not support it.
using Mapping = void (*)(Builder&, const Unit&);

// The mapping for a node, by operator and types; null if oneDNN does not support it. A mapping may still refuse.
Mapping find_mapping(const Graph&, const Node&);

// The mappings of each file.
void map_convolution(Builder&, const Unit&);
void map_deconvolution(Builder&, const Unit&);
void map_matmul(Builder&, const Unit&);
void map_gemm(Builder&, const Unit&);
void map_eltwise(Builder&, const Unit&);
void map_binary(Builder&, const Unit&);
void map_prelu(Builder&, const Unit&);
void map_pool(Builder&, const Unit&);
void map_global_pool(Builder&, const Unit&);
void map_lrn(Builder&, const Unit&);
void map_resize(Builder&, const Unit&);
void map_softmax(Builder&, const Unit&);
void map_layer_normalization(Builder&, const Unit&);
void map_batch_normalization(Builder&, const Unit&);
void map_reduce(Builder&, const Unit&);
void map_reshape(Builder&, const Unit&);
void map_transpose(Builder&, const Unit&);
void map_slice(Builder&, const Unit&);
void map_split(Builder&, const Unit&);
void map_gather(Builder&, const Unit&);
void map_concat(Builder&, const Unit&);

// The attributes of a unit's primitive: post-operations and their operands.
struct PostOps {
  dnnl::primitive_attr attributes;
  std::vector<std::pair<int, Operand>> arguments;
  std::optional<Operand> in_place;  // the destination: it holds an addend
};
// The computation of the main node after the primitive: after * (before * result + addend). Absent parts are 1 and 0.
struct OwnPostOps {
  float before = 1;
  ValueId addend = kNoValue;
  float after = 1;
};
// `dst` is the primitive's destination, which holds the result of the unit's main node, maybe with other dimensions.
// The post-operations are the main node's own, then those of the unit's nodes from number `begin` on.
PostOps post_ops_of(Builder&, const Unit&, const Desc& dst, size_t begin = 1, const OwnPostOps& own = {});

// Adds the step, unless post-operations lead to oneDNN's reference implementation. Sets the unit's result.
template <class Primitive, class PrimitiveDesc>
void finish(Builder& b, const Unit& unit, const std::string& kind, const PrimitiveDesc& pd, const PostOps& post,
            std::vector<std::pair<int, Operand>> arguments, const Desc& dst) {
  if (unit.nodes.size() > 1 && std::string(pd.impl_info_str()).starts_with("ref")) throw Refusal{"post-operations"};
  const Operand out = post.in_place ? *post.in_place : b.fresh(dst);
  arguments.emplace_back(DNNL_ARG_DST, out);
  arguments.insert(arguments.end(), post.arguments.begin(), post.arguments.end());
  b.add<Primitive>(kind, unit, pd, std::move(arguments));
  const ValueId result = result_of(b.graph(), unit);
  b.set(result, b.viewed(out, b.dims(result)));
}

// Pooling over all positions of the images, for any node.
void add_global_pool(Builder&, const Unit&, dnnl::algorithm);

// A vector of `channels` float32, as a bias or parameter, which the input is or repeats.
Operand vector_operand(Builder&, ValueId, int64_t channels);

}  // namespace cppgen::baseline
