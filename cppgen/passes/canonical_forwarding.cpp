#include <algorithm>

#include "cppgen/passes/canonical_rules.h"

namespace cppgen::passes {
namespace {

bool forward_first(RuleContext& c) {
  c.forward(c.in(0));
  return true;
}

bool output_is_read(const RuleContext& c, size_t i) {
  if (i >= c.node.outputs.size() || c.node.outputs[i] == kNoValue) return false;
  return c.users.count(c.node.outputs[i]) > 0;
}

// Until version 7 Dropout had a flag for inference; from 12 on it trains if its third input says so.
bool dropout(RuleContext& c) {
  if (c.node.opset < 7 && integer_attribute(c.node, "is_test", 0) == 0) return false;
  if (c.in(2) != kNoValue) {
    const Tensor* training = c.constant(2);
    if (!training || training->elements() != 1 || integers_of(*training)[0] != 0) return false;
  }
  return !output_is_read(c, 1) && forward_first(c);
}

bool same_dtype(RuleContext& c) { return c.type(c.out()).dtype == c.type(c.in(0)).dtype && forward_first(c); }

// Reshape, Expand, Tile ... cannot change elements if they do not change the shape.
bool same_shape_as_input(RuleContext& c) {
  return same_shape(c.type(c.out()).shape, c.type(c.in(0)).shape) && forward_first(c);
}

bool single_input(RuleContext& c) { return c.node.inputs.size() == 1 && forward_first(c); }

// The shape stays if padding and cropping cancel, so the amounts are looked at.
bool pad(RuleContext& c) {
  std::vector<int64_t> pads;
  if (c.node.opset >= 11) {
    if (!c.constant(1)) return false;
    pads = integers_of(*c.constant(1));
  } else {
    auto found = c.node.attributes.find(c.node.opset >= 2 ? "pads" : "paddings");
    if (found == c.node.attributes.end()) return false;
    auto* amounts = std::get_if<std::vector<int64_t>>(&found->second);
    if (!amounts) return false;
    pads = *amounts;
  }
  return std::all_of(pads.begin(), pads.end(), [](int64_t p) { return p == 0; }) && forward_first(c);
}

// With steps of 1, a slice as long as its input is its input.
bool slice(RuleContext& c) {
  if (c.in(4) != kNoValue) {
    if (!c.constant(4)) return false;
    std::vector<int64_t> steps = integers_of(*c.constant(4));
    if (!std::all_of(steps.begin(), steps.end(), [](int64_t s) { return s == 1; })) return false;
  }
  return same_shape_as_input(c);
}

constexpr CanonicalRule kForwardingRules[] = {{"Identity", forward_first},
                                              {"Dropout", dropout},
                                              {"Cast", same_dtype},
                                              {"CastLike", same_dtype},
                                              {"Reshape", same_shape_as_input},
                                              {"Expand", same_shape_as_input},
                                              {"Flatten", same_shape_as_input},
                                              {"Squeeze", same_shape_as_input},
                                              {"Unsqueeze", same_shape_as_input},
                                              {"Tile", same_shape_as_input},
                                              {"Pad", pad},
                                              {"Slice", slice},
                                              {"Concat", single_input},
                                              {"Sum", single_input},
                                              {"Max", single_input},
                                              {"Min", single_input},
                                              {"Mean", single_input}};

}  // namespace

std::span<const CanonicalRule> forwarding_rules() { return kForwardingRules; }

}  // namespace cppgen::passes
