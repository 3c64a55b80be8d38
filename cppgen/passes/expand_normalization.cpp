// Normalisations and sums that optimisers of image generators fuse.
#include "cppgen/passes/expansion.h"

namespace cppgen::passes {
namespace {

bool channels_are_last(const Expansion& e) { return e.integer("channels_last", 1) != 0; }

enum class GroupActivation : int64_t { none, silu };

// The activation after a group normalisation; nullopt if it is unknown.
std::optional<GroupActivation> group_activation(const Expansion& e) {
  const auto activation = GroupActivation(e.integer("activation", 0));
  const bool known = activation == GroupActivation::none || activation == GroupActivation::silu;
  return known ? std::optional(activation) : std::nullopt;
}

// x normalised by groups of channels, and the activation of it.
void become_group_norm(Expansion& e, ValueId x, GroupActivation activation) {
  const bool last = channels_are_last(e), activated = activation == GroupActivation::silu;
  Attributes own{{"num_groups", e.integer("groups", 0)}};
  if (const auto epsilon = e.old.attributes.find("epsilon"); epsilon != e.old.attributes.end()) own.insert(*epsilon);
  if (last) x = e.add("Transpose", {x}, {{"perm", channels_second(4)}});
  const std::vector<ValueId> inputs{x, e.input(1), e.input(2)};
  if (!last && !activated) return e.become("GroupNormalization", inputs, own);
  ValueId y = e.add("GroupNormalization", inputs, own);
  if (activated && !last) return e.become("QuickGelu", {y}, {{"alpha", 1.0f}}, kMicrosoft);
  if (activated) y = e.swish(y, 1);
  e.become("Transpose", {y}, {{"perm", channels_last(4)}});
}

// [N, C] as [N, 1, 1, C] (or [N, C, 1, 1]); a tensor of four dimensions does not change.
ValueId of_four_dimensions(Expansion& e, ValueId skip) {
  const ValueId shape = e.add("Shape", {skip}), one = e.ints({1}), none = e.ints({0});
  const auto cut = [&](int64_t from, int64_t to) {
    return e.add("Slice", {shape, e.ints({from}), e.ints({to}), none});
  };
  const auto joined = [&](std::vector<ValueId> parts) {
    return e.add("Concat", std::move(parts), {{"axis", int64_t(0)}});
  };
  const ValueId batch = cut(0, 1);
  if (channels_are_last(e)) {
    const ValueId between = joined({one, one, cut(1, -1)});
    const ValueId two = e.add("Slice", {between, e.ints({-2}), e.ints({std::numeric_limits<int64_t>::max()}), none});
    return e.add("Reshape", {skip, joined({batch, two, cut(-1, std::numeric_limits<int64_t>::max())})});
  }
  const ValueId filled = joined({cut(2, std::numeric_limits<int64_t>::max()), one, one});
  const ValueId two = e.add("Slice", {filled, none, e.ints({2}), none});
  return e.add("Reshape", {skip, joined({batch, cut(1, 2), two})});
}

}  // namespace

// --- GroupNorm: x, gamma, beta

void expand_group_norm(Expansion& e) {
  if (const auto activation = group_activation(e)) become_group_norm(e, e.input(0), *activation);
}

// --- SkipGroupNorm: x, gamma, beta, skip, bias; the result and the sum

void expand_skip_group_norm(Expansion& e) {
  const auto activation = group_activation(e);
  if (!activation) return;
  ValueId sum = e.add("Add", {e.input(0), of_four_dimensions(e, e.input(3))});
  if (e.input(4) != kNoValue) {
    const ValueId bias = channels_are_last(e) ? e.input(4) : e.add("Unsqueeze", {e.input(4), e.ints({1, 2})});
    sum = e.add("Add", {sum, bias});
  }
  if (e.wants(1)) e.give(1, "Identity", {sum});
  become_group_norm(e, sum, *activation);
}

// --- BiasSplitGelu: x, bias; half of the features times the Gelu of the others

void expand_bias_split_gelu(Expansion& e) {
  const ValueId sum = e.add("Add", {e.input(0), e.input(1)});
  const auto halves = e.add_several("Split", {sum}, {{"axis", int64_t(-1)}, {"num_outputs", int64_t(2)}}, 2);
  e.become("Mul", {halves[0], e.add("Gelu", {halves[1]})}, {});
}

// --- BiasAdd: x, bias, skip

void expand_bias_add(Expansion& e) { e.become("Add", {e.add("Add", {e.input(0), e.input(1)}), e.input(2)}, {}); }

}  // namespace cppgen::passes
