#include "cppgen/passes/expansion.h"
#include "cppgen/passes/passes.h"

namespace cppgen::passes {
namespace {

constexpr const char* kBlocked = "com.microsoft.nchwc";
constexpr int64_t kLeast = 8, kGreatest = 16;  // sizes of blocks

// Weights with their declared dimensions [outputs, inputs of a group, height, width]; elements are in another order.
const Tensor* blocked_weights(const Graph& graph, const Node& node) {
  if (node.op != "Conv" || node.inputs.size() < 2 || node.inputs[1] == kNoValue) return nullptr;
  const auto& constant = graph.value(node.inputs[1]).constant;
  return constant && constant->dtype == DType::f32 && constant->dims.size() == 4 ? &*constant : nullptr;
}

bool is_blocked(const Graph& graph, ValueId v) {
  if (v == kNoValue || graph.value(v).producer < 0) return false;
  const Node& node = graph.nodes[size_t(graph.value(v).producer)];
  return node.domain == kBlocked && node.op != "ReorderOutput";
}

int64_t block_size(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    const Tensor* w = node.domain == kBlocked ? blocked_weights(graph, node) : nullptr;
    if (!w) continue;
    if (w->dims[0] % kGreatest != 0) return kLeast;
    // If there are fewer channels than a block has, they are not in blocks.
    const int64_t inputs = w->dims[1];
    if (inputs >= kLeast && inputs % kGreatest != 0 && is_blocked(graph, node.inputs[0])) return kLeast;
  }
  return kGreatest;
}

// Reorders weights that are stored as [blocks of outputs, blocks of inputs, height, width, inputs of a block, outputs
// of a block]. If there are fewer inputs than a block has, each is a block of its own.
Tensor in_order(const Tensor& stored, int64_t block) {
  const int64_t outputs = stored.dims[0], inputs = stored.dims[1], window = stored.dims[2] * stored.dims[3];
  const int64_t inner = inputs < block ? 1 : block;
  std::vector<std::byte> bytes(stored.data.size);
  const auto* from = stored.as<uint32_t>();
  auto* to = reinterpret_cast<uint32_t*>(bytes.data());
  for (int64_t o = 0; o < outputs; o++)
    for (int64_t i = 0; i < inputs; i++)
      for (int64_t p = 0; p < window; p++) {
        const int64_t blocks = (o / block * (inputs / inner) + i / inner) * window + p;
        to[(o * inputs + i) * window + p] = from[(blocks * inner + i % inner) * block + o % block];
      }
  return make_tensor(stored.dtype, stored.dims, std::move(bytes));
}

void expand_conv(Expansion& e, int64_t block) {
  const Tensor* w = blocked_weights(e.graph, e.old);
  if (!w || w->dims[0] % block != 0 || (w->dims[1] >= block && w->dims[1] % block != 0)) return;
  std::vector<ValueId> inputs = e.old.inputs;
  inputs[1] = e.graph.add_constant(e.old.name + " weights", in_order(*w, block));
  e.become("FusedConv", std::move(inputs), e.old.attributes, kMicrosoft);
}

// Channels are filled up to whole blocks.
void expand_reorder_input(Expansion& e, int64_t block) {
  ValueId x = e.input(0);
  if (e.integer("channels_last", 0) != 0) x = e.add("Transpose", {x}, {{"perm", channels_second(4)}});
  const ValueId channels = e.add("Shape", {x}, {{"start", int64_t(1)}, {"end", int64_t(2)}});
  const ValueId missing = e.add("Mod", {e.add("Neg", {channels}), e.ints({block})});
  const ValueId pads = e.add("Concat", {e.ints({0}), missing}, {{"axis", int64_t(0)}});
  e.become("Pad", {x, pads, kNoValue, e.ints({1})}, {});
}

void expand_reorder_output(Expansion& e, int64_t) {
  const bool last = e.integer("channels_last", 0) != 0;
  const std::vector<ValueId> slice{e.input(0), e.ints({0}), e.ints({e.integer("channels", 0)}), e.ints({1})};
  if (last)
    e.become("Transpose", {e.add("Slice", slice)}, {{"perm", channels_last(4)}});
  else
    e.become("Slice", slice, {});
}

void expand_plain(Expansion& e, int64_t) { e.become(e.old.op, e.old.inputs, e.old.attributes); }

void expand_upsample(Expansion& e, int64_t) {
  Attributes attributes = e.old.attributes;
  const auto found = attributes.find("scales");
  const auto* scales = found == attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&found->second);
  if (!scales) return;
  const std::vector<double> factors(scales->begin(), scales->end());
  attributes.erase(found);
  attributes.insert({"nearest_mode", std::string("floor")});
  attributes.insert({"coordinate_transformation_mode", std::string("asymmetric")});
  e.become("Resize", {e.input(0), kNoValue, e.floats({int64_t(factors.size())}, factors)}, std::move(attributes));
}

using Blocked = ExpansionRow<Expansion&, int64_t>;
const std::vector<Blocked>& blocked_operators() {
  static const std::vector<Blocked> rows = {
      {.name = "Conv",
       .domain = kBlocked,
       .versions = attributes_like(kMicrosoft, "FusedConv", 1),
       .expand = expand_conv},
      {.name = "ReorderInput",
       .domain = kBlocked,
       .versions = {{1, "channels_last:int"}},
       .expand = expand_reorder_input},
      {.name = "ReorderOutput",
       .domain = kBlocked,
       .versions = {{1, "channels:int channels_last:int"}},
       .expand = expand_reorder_output},
      {.name = "MaxPool", .domain = kBlocked, .versions = attributes_like("", "MaxPool", 12), .expand = expand_plain},
      {.name = "AveragePool",
       .domain = kBlocked,
       .versions = attributes_like("", "AveragePool", 19),
       .expand = expand_plain},
      {.name = "GlobalMaxPool", .domain = kBlocked, .versions = {1}, .expand = expand_plain},
      {.name = "GlobalAveragePool", .domain = kBlocked, .versions = {1}, .expand = expand_plain},
      {.name = "Upsample",
       .domain = kBlocked,
       .versions = {{1, "coordinate_transformation_mode:string mode:string scales:ints"}},
       .expand = expand_upsample},
  };
  return rows;
}

}  // namespace

void expand_channel_blocks(Graph& graph, const PassOptions&) {
  const int64_t block = block_size(graph);
  NodeOrder order(graph);
  order.each_node([&](NodeId id) {
    for (const Blocked& blocked : blocked_operators()) {
      const Node& node = graph.nodes[size_t(id)];
      if (node.domain != blocked.domain || node.op != blocked.name) continue;
      Expansion expansion(graph, order, id);
      blocked.expand(expansion, block);
      break;
    }
  });
}

std::vector<ExpandedOperator> expanded_blocks() { return without_row_in_table(blocked_operators()); }

}  // namespace cppgen::passes
