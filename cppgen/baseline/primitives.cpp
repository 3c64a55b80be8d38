#include "cppgen/baseline/primitives.h"

#include <algorithm>
#include <map>

namespace cppgen::baseline {
namespace {

// Operators that read only float32, in the order of the files.
const std::map<std::string, Mapping>& mappings() {
  static const std::map<std::string, Mapping> table{{"Conv", map_convolution},
                                                    {"ConvTranspose", map_deconvolution},
                                                    {"MatMul", map_matmul},
                                                    {"Gemm", map_gemm},
                                                    {"PRelu", map_prelu},
                                                    {"MaxPool", map_pool},
                                                    {"AveragePool", map_pool},
                                                    {"GlobalAveragePool", map_global_pool},
                                                    {"GlobalMaxPool", map_global_pool},
                                                    {"LRN", map_lrn},
                                                    {"Resize", map_resize},
                                                    {"Upsample", map_resize},
                                                    {"Softmax", map_softmax},
                                                    {"LogSoftmax", map_softmax},
                                                    {"LayerNormalization", map_layer_normalization},
                                                    {"BatchNormalization", map_batch_normalization},
                                                    {"ReduceMax", map_reduce},
                                                    {"ReduceMin", map_reduce},
                                                    {"ReduceSum", map_reduce},
                                                    {"ReduceProd", map_reduce},
                                                    {"ReduceMean", map_reduce},
                                                    {"Reshape", map_reshape},
                                                    {"Flatten", map_reshape},
                                                    {"Squeeze", map_reshape},
                                                    {"Unsqueeze", map_reshape},
                                                    {"Identity", map_reshape},
                                                    {"Transpose", map_transpose},
                                                    {"Slice", map_slice},
                                                    {"Split", map_split},
                                                    {"Gather", map_gather},
                                                    {"Concat", map_concat}};
  return table;
}

}  // namespace

Mapping find_mapping(const Graph& graph, const Node& node) {
  const auto is_float = [&](ValueId v) { return v == kNoValue || is_float_tensor(graph.value(v)); };
  if (!node.domain.empty() || node.inputs.empty() || node.inputs[0] == kNoValue || !is_float(node.inputs[0]) ||
      !std::all_of(node.outputs.begin(), node.outputs.end(), is_float) || node.outputs[0] == kNoValue)
    return nullptr;
  if (eltwise_of(graph, node)) return map_eltwise;
  if (binary_of(graph, node))
    return std::all_of(node.inputs.begin(), node.inputs.end(), is_float) ? map_binary : nullptr;
  const auto at = mappings().find(node.op);
  return at == mappings().end() ? nullptr : at->second;
}

}  // namespace cppgen::baseline
