#include <algorithm>
#include <tuple>

#include "cppgen/ops/attention.h"
#include "cppgen/ops/families.h"
#include "cppgen/ops/learners.h"
#include "cppgen/ops/op.h"
#include "cppgen/ops/strings.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen::ops {
namespace {

std::vector<Op> make_table() {
  std::vector<Op> all;
  for (auto add : {add_unary_ops,
                   add_activation_ops,
                   add_binary_ops,
                   add_select_ops,
                   add_cast_ops,
                   add_constant_ops,
                   add_reshape_ops,
                   add_move_ops,
                   add_repeat_ops,
                   add_depth_block_ops,
                   add_slice_ops,
                   add_pad_ops,
                   add_gather_ops,
                   add_scatter_ops,
                   add_matmul_ops,
                   add_einsum_ops,
                   add_conv_ops,
                   add_conv_transpose_ops,
                   add_quantize_ops,
                   add_quantized_contraction_ops,
                   add_quantized_conv_ops,
                   add_matmul_n_bits_ops,
                   add_pool_ops,
                   add_softmax_ops,
                   add_attention_ops,
                   add_microsoft_attention_ops,
                   add_grouped_attention_ops,
                   add_rotary_ops,
                   add_normalization_ops,
                   add_local_normalization_ops,
                   add_reduce_ops,
                   add_scan_ops,
                   add_generator_ops,
                   add_resize_ops,
                   add_signal_ops,
                   add_mel_ops,
                   add_sized_ops,
                   add_sample_ops,
                   add_roi_ops,
                   add_max_unpool_ops,
                   add_loss_ops,
                   add_training_ops,
                   add_recurrent_ops,
                   add_random_ops,
                   add_dropout_ops,
                   add_quantized_pointwise_ops,
                   add_fused_integer_product_ops,
                   add_tensor_scatter_ops,
                   add_flex_attention_ops,
                   add_linear_attention_ops,
                   add_causal_conv_ops,
                   add_column_ops,
                   add_crop_ops,
                   add_decoding_ops,
                   add_deform_conv_ops,
                   add_fused_pointwise_ops,
                   add_fused_product_ops,
                   add_skip_normalization_ops,
                   add_embedding_bag_ops,
                   add_learner_ops,
                   add_tree_ops,
                   add_map_ops,
                   add_selection_ops,
                   add_encoding_ops,
                   add_determinant_ops,
                   add_suppression_ops,
                   add_control_flow_ops,
                   add_sequence_ops,
                   add_text_ops,
                   add_image_ops}) {
    add(all);
  }
  add_string_forms(all);
  auto key = [](const Op& op) { return std::tie(op.domain, op.name, op.since); };
  std::sort(all.begin(), all.end(), [&](const Op& a, const Op& b) { return key(a) < key(b); });
  auto twice = std::adjacent_find(all.begin(), all.end(), [&](const Op& a, const Op& b) { return key(a) == key(b); });
  if (twice != all.end()) internal_error("operator {} version {} is defined twice", twice->name, twice->since);
  return all;
}

std::string reason_against(const Graph& g, const Node& node) {
  const Op* op = find(node.domain, node.op, node.opset);
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

const Op* find(const std::string& domain, const std::string& name, int opset) {
  const std::vector<Op>& all = table();
  auto after =
      std::upper_bound(all.begin(), all.end(), std::tie(domain, name, opset),
                       [](const auto& key, const Op& op) { return key < std::tie(op.domain, op.name, op.since); });
  if (after == all.begin()) return nullptr;
  const Op& op = *(after - 1);
  return op.domain == domain && op.name == name ? &op : nullptr;
}

bool is_host(const Graph& g, const Node& node) {
  const Op* op = find(node.domain, node.op, node.opset);
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
