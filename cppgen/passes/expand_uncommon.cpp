// Operators that were added to ONNX Runtime for single models.
#include <limits>

#include "cppgen/passes/expansion.h"

namespace cppgen::passes {
namespace {

constexpr int64_t kInt32 = 6, kInt64 = 7;  // TensorProto.DataType

ValueId cast(Expansion& e, ValueId x, int64_t type) { return e.add("Cast", {x}, {{"to", type}}); }

// Elements [from, to) of axis 1; the ends are tensors of one element.
ValueId columns(Expansion& e, ValueId x, ValueId from, ValueId to) {
  return e.add("Slice", {x, from, to, e.ints({1})});
}

// The number of image dimensions, by the kernel; -1 if it is not known before types are inferred.
int64_t image_rank(const Expansion& e) {
  if (const Tensor* w = e.constant(1)) return int64_t(w->dims.size()) - 2;
  const auto kernel = e.old.attributes.find("kernel_shape");
  if (kernel == e.old.attributes.end()) return -1;
  const auto* extents = std::get_if<std::vector<int64_t>>(&kernel->second);
  return extents ? int64_t(extents->size()) : -1;
}

ValueId as_scalar(Expansion& e, ValueId x) { return e.add("Squeeze", {x, e.ints({0})}); }

// 0, 1, .. below an integer.
ValueId range(Expansion& e, ValueId end) {
  return e.add("Range", {as_scalar(e, e.ints({0})), as_scalar(e, end), as_scalar(e, e.ints({1}))});
}

bool pads_itself(const Expansion& e) { return text_attribute(e.old, "auto_pad", "NOTSET") != "NOTSET"; }

}  // namespace

// --- MatMulInteger16: words times words as int32, which wraps

void expand_word_product(Expansion& e) {
  e.become("MatMul", {cast(e, e.input(0), kInt32), cast(e, e.input(1), kInt32)}, {});
}

// --- ConvTransposeWithDynamicPads: x, weights, the amounts to cut off at both ends of each axis of the image, bias

void expand_dynamic_pads(Expansion& e) {
  if (pads_itself(e)) return;
  std::vector<ValueId> inputs{e.input(0), e.input(1)};
  if (e.input(3) != kNoValue) inputs.push_back(e.input(3));
  Attributes given = e.old.attributes;
  if (const Tensor* pads = e.constant(2); pads && is_int(pads->dtype)) given["pads"] = integers_of(*pads);
  if (e.input(2) == kNoValue || given.count("pads"))
    return e.become("ConvTranspose", std::move(inputs), std::move(given));
  const int64_t rank = image_rank(e);
  if (rank < 1) return;
  const ValueId all = e.add("ConvTranspose", std::move(inputs), std::move(given));
  std::vector<int64_t> axes;
  for (int64_t d = 0; d < rank; d++) axes.push_back(d + 2);
  const ValueId middle = e.ints({rank}), along = e.ints({0});
  const ValueId begins = e.add("Slice", {e.input(2), e.ints({0}), middle, along}),
                ends = e.add("Slice", {e.input(2), middle, e.ints({2 * rank}), along});
  const ValueId size = e.add("Shape", {all}, {{"start", int64_t(2)}});
  e.become("Slice", {all, begins, e.add("Sub", {size, ends}), e.ints(axes)}, {});
}

// --- NGramRepeatBlock: tokens [B, S] and scores [B, V]; a token that, after the last n - 1 ones, would form n tokens
// that occurred before gets -infinity

void expand_repeat_block(Expansion& e) {
  const int64_t before = e.integer("ngram_size", 0) - 1;
  if (before < 0) return;
  const ValueId tokens = e.input(0), length = e.extent(tokens, 1), zero = e.ints({0});
  const auto plus = [&](ValueId x, int64_t k) { return e.add("Add", {x, e.ints({k})}); };
  // There are as many windows as tokens; windows that start too late to be followed by a token are ignored.
  const ValueId filled = e.add("Pad", {tokens, e.ints({0, 0, 0, before})}), count = plus(length, -before);
  const auto shifted = [&](int64_t k) { return columns(e, filled, e.ints({k}), plus(length, k)); };
  ValueId repeats = e.add("Expand", {e.add("Less", {range(e, length), count}), e.add("Shape", {tokens})});
  for (int64_t k = 0; k < before; k++) {
    const ValueId place = e.add("Max", {plus(count, k), zero});
    const ValueId own = e.add("Gather", {tokens, place}, {{"axis", int64_t(1)}});
    repeats = e.add("And", {repeats, e.add("Equal", {own, shifted(k)})});
  }
  const double infinity = std::numeric_limits<double>::infinity();
  // Scores that stay are compared with infinity, at any place.
  const ValueId at = e.add("Where", {repeats, shifted(before), zero});
  const ValueId least = e.add("Where", {repeats, e.floats({}, {-infinity}), e.floats({}, {infinity})});
  e.become("ScatterElements", {e.input(1), at, least}, {{"axis", int64_t(1)}, {"reduction", std::string("min")}});
}

// --- WordConvEmbedding: words of characters [S, L], 0 after the last one; a convolution over windows of characters
// [F, 1, K, E], its bias, and the features of each character [C, E]. The greatest tanh of a word's windows

void expand_word_embedding(Expansion& e) {
  const ValueId words = cast(e, e.input(0), kInt64), kernel = e.extent(e.input(1), 2), zero = e.ints({0});
  const ValueId features = e.add("Unsqueeze", {e.add("Gather", {e.input(3), words}), e.ints({1})});
  const ValueId windows = e.add("Tanh", {e.add("Conv", {features, e.input(1), e.input(2)})});  // [S, F, windows, 1]
  const ValueId is_character = e.add("Greater", {words, zero}), is_word = columns(e, is_character, zero, e.ints({1}));
  const ValueId length = e.add("ReduceSum", {cast(e, is_character, kInt64), e.ints({1})});
  const ValueId count =
      e.add("Max", {e.add("Add", {e.add("Sub", {length, kernel}), e.ints({1})}), e.ints({1})});  // [S, 1]
  const ValueId place = range(e, e.extent(windows, 2));
  const ValueId seen =
      e.add("Less", {e.add("Unsqueeze", {place, e.ints({1})}), e.add("Unsqueeze", {count, e.ints({2, 3})})});
  const ValueId shown = e.add("Where", {seen, windows, e.floats({}, {-2})});  // less than any tanh
  const ValueId greatest = e.add("ReduceMax", {shown, e.ints({2, 3})}, {{"keepdims", int64_t(0)}});
  e.become("Where", {is_word, greatest, e.floats({}, {0})}, {});
}

}  // namespace cppgen::passes
