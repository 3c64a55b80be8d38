#include <algorithm>
#include <tuple>

#include "cppgen/ops/families.h"
#include "cppgen/ops/op.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen::ops {
namespace {

std::vector<Op> make_table() {
  std::vector<Op> all;
  for (auto family : {activation_ops,
                      attention_ops,
                      binary_ops,
                      cast_ops,
                      causal_conv_ops,
                      column_ops,
                      constant_ops,
                      control_flow_ops,
                      conv_ops,
                      conv_transpose_ops,
                      crop_ops,
                      decoding_ops,
                      deform_conv_ops,
                      depth_block_ops,
                      determinant_ops,
                      dropout_ops,
                      einsum_ops,
                      embedding_bag_ops,
                      encoding_ops,
                      flex_attention_ops,
                      fused_integer_product_ops,
                      fused_pointwise_ops,
                      fused_product_ops,
                      gather_ops,
                      generator_ops,
                      grouped_attention_ops,
                      image_ops,
                      learner_ops,
                      linear_attention_ops,
                      local_normalization_ops,
                      loop_ops,
                      loss_ops,
                      map_ops,
                      matmul_n_bits_ops,
                      matmul_ops,
                      max_unpool_ops,
                      mel_ops,
                      microsoft_attention_ops,
                      move_ops,
                      normalization_ops,
                      pad_ops,
                      pool_ops,
                      quantize_ops,
                      quantized_contraction_ops,
                      quantized_conv_ops,
                      quantized_pointwise_ops,
                      random_ops,
                      recurrent_ops,
                      reduce_ops,
                      repeat_ops,
                      reshape_ops,
                      resize_ops,
                      roi_ops,
                      rotary_ops,
                      sample_ops,
                      scan_loop_ops,
                      scan_ops,
                      scatter_ops,
                      select_ops,
                      selection_ops,
                      sequence_ops,
                      signal_ops,
                      sized_ops,
                      skip_normalization_ops,
                      slice_ops,
                      softmax_ops,
                      stft_ops,
                      string_ops,
                      suppression_ops,
                      tensor_scatter_ops,
                      text_ops,
                      top_k_ops,
                      training_ops,
                      tree_ops,
                      unary_ops}) {
    const std::vector<Op> rows = family();
    all.insert(all.end(), rows.begin(), rows.end());
  }
  auto key = [](const Op& op) { return std::tuple(op.domain, op.name, op.versions.front().since); };
  std::sort(all.begin(), all.end(), [&](const Op& a, const Op& b) { return key(a) < key(b); });
  for (size_t i = 1; i < all.size(); i++)
    if (all[i - 1].domain == all[i].domain && all[i - 1].name == all[i].name &&
        all[i - 1].versions.back().since >= all[i].versions.front().since)
      internal_error("operator {} version {} is defined twice", all[i].name, all[i].versions.front().since);
  return all;
}

std::string reason_against(const Graph& g, const Node& node) {
  const Op* op = ops::find(node.domain, node.op, node.opset);
  if (op) return op->refuse ? op->refuse(g, node) : "";
  bool known = std::any_of(table().begin(), table().end(),
                           [&](const Op& o) { return o.domain == node.domain && o.name == node.op; });
  return known ? "the operator is not defined or not supported in this version" : "the operator is not supported";
}

}  // namespace

const std::vector<Op>& table() {
  static const std::vector<Op> all = make_table();
  return all;
}

const Op* find(std::string_view domain, std::string_view name, int opset) {
  const std::vector<Op>& all = table();
  auto after = std::upper_bound(
      all.begin(), all.end(), std::tuple(domain, name, opset),
      [](const auto& key, const Op& op) { return key < std::tuple(op.domain, op.name, op.versions.front().since); });
  if (after == all.begin()) return nullptr;
  const Op& op = *(after - 1);
  return op.domain == domain && op.name == name ? &op : nullptr;
}

bool is_host(const Graph& g, const Node& node) {
  const Op* op = ops::find(node.domain, node.op, node.opset);
  if (!op || !op->host) return false;
  if (!op->lower || node.attributes.count(kOnHost)) return true;
  auto host = [&](ValueId v) { return v != kNoValue && g.value(v).host; };
  return std::any_of(node.inputs.begin(), node.inputs.end(), host) ||
         std::any_of(node.outputs.begin(), node.outputs.end(), host);
}

namespace {

struct Refusals {
  std::string list;
  size_t count = 0, nodes = 0;
};

void collect_refusals(const Graph& g, Refusals& refusals) {
  for (const Node& node : g.nodes) {
    refusals.nodes++;
    if (const std::string reason = reason_against(g, node); !reason.empty()) {
      refusals.count++;
      const std::string node_text =
          fmt::format("node '{}': {}{} (opset {}): {}", node.name, node.domain.empty() ? "" : node.domain + ".",
                      node.op, node.opset, reason);
      refusals.list += "\n  " + one_line(node_text);
    }
    for (const auto& body : bodies_of(node)) collect_refusals(*body, refusals);
  }
}

}  // namespace

void check_supported(const Graph& g) {
  Refusals refusals;
  collect_refusals(g, refusals);
  if (refusals.count > 0)
    user_error("{} of {} nodes cannot be compiled:{}", refusals.count, refusals.nodes, refusals.list);
}

}  // namespace cppgen::ops
