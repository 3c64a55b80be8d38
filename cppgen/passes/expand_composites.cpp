#include "cppgen/passes/expand_composites.h"

#include "cppgen/passes/expand_transform.h"
#include "cppgen/passes/expansion.h"

namespace cppgen::passes {
namespace {

// --- QLinearWhere: condition, then both operands with scale and zero point, scale and zero point of the result

void expand_where(Expansion& e) {
  const ValueId x = e.add("DequantizeLinear", {e.input(1), e.input(2), e.input(3)}),
                y = e.add("DequantizeLinear", {e.input(4), e.input(5), e.input(6)});
  const ValueId chosen = e.add("Where", {e.input(0), x, y});
  e.become("QuantizeLinear", {chosen, e.input(7), e.input(8)}, {});
}

// --- QuantizeLinear and DequantizeLinear, which ONNX has, too

void expand_quantization(Expansion& e) { e.become(e.old.op, e.old.inputs, e.given_attributes()); }

struct Composite {
  const char *op, *domain;
  void (*expand)(Expansion&);
};
constexpr Composite kComposites[] = {
    {"BiasAdd", kMicrosoft, expand_bias_add},
    {"BiasSplitGelu", kMicrosoft, expand_bias_split_gelu},
    {"DFT", "", expand_transform},
    {"DecoderMaskedMultiHeadAttention", kMicrosoft, expand_decoder_attention},
    {"DecoderMaskedSelfAttention", kMicrosoft, expand_decoder_self_attention},
    {"DequantizeLinear", kMicrosoft, expand_quantization},
    {"GatherBlockQuantized", kMicrosoft, expand_gather},
    {"GroupNorm", kMicrosoft, expand_group_norm},
    {"MatMulBnb4", kMicrosoft, expand_table_weights},
    {"MatMulNBits", kMicrosoft, expand_ordered_weights},
    {"MoE", kMicrosoft, expand_experts},
    {"MultiHeadAttention", kMicrosoft, expand_packed_attention},
    {"NhwcConv", kMicrosoft, expand_last_conv},
    {"NhwcFusedConv", kMicrosoft, expand_last_fused_conv},
    {"NhwcMaxPool", kMicrosoft, expand_last_max_pool},
    {"QAttention", kMicrosoft, expand_quantized_attention},
    {"QMoE", kMicrosoft, expand_quantized_experts},
    {"QLinearAveragePool", kMicrosoft, expand_last_average_pool},
    {"QLinearConv", kMicrosoft, expand_last_quantized_conv},
    {"QLinearWhere", kMicrosoft, expand_where},
    {"QuantizeLinear", kMicrosoft, expand_quantization},
    {"SkipGroupNorm", kMicrosoft, expand_skip_group_norm},
};

}  // namespace

void expand_composites(Graph& graph) {
  for (size_t i = 0; i < graph.nodes.size(); i++)
    for (const Composite& composite : kComposites) {
      if (graph.nodes[i].domain != composite.domain || graph.nodes[i].op != composite.op) continue;
      Expansion expansion(graph, NodeId(i));
      composite.expand(expansion);
    }
}

}  // namespace cppgen::passes
