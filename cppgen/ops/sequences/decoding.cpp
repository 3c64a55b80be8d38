// Steps of decoders that follow their data: DynamicTimeWarping and BifurcationDetector of com.microsoft. The host runs
// them.
#include "cppgen/ops/common.h"
#include "runtime/plan/calls/host_choices.h"

namespace cppgen::ops {
namespace {

// --- DynamicTimeWarping: costs [rows, columns] or [1, rows, columns]; the positions of the cheapest way, [2, length]

void infer_warping(InferContext& c) {
  require_dtype(c, 0, bit(DType::f32));
  require_rank(c, 0, 2, 3);
  if (c.shape(0).size() == 3) require_equal(c, c.shape(0)[0], 1, "the first of three dimensions and 1");
  c.set_output(0, DType::i32, {int64_t(2), c.unknown_dimension(0, 1, "length")});
}

rt::HostStep host_warping(InferContext&) { return host_call("time_warping"); }

// --- BifurcationDetector: source, tokens so far, where in the source these end (any shape of one element), and tokens
// that were predicted from there; the tokens with what is kept of the prediction, and where they end in the source now

void infer_bifurcation(InferContext& c) {
  for (int i = 0; i < 4; i++)
    if (c.has_input(i)) require_dtype(c, i, bit(DType::i64));
  for (int i : {0, 1, 3})
    if (c.has_input(i)) require_rank(c, i, 1, 1);
  require_one_element(c, 2, "the end of the tokens in the source");
  const int64_t least = c.integer("min_ngram_size", 1), most = c.integer("max_ngram_size", 3);
  if (least < 1 || most < least)
    c.fail(
        fmt::format("min_ngram_size is {} and max_ngram_size is {}; both must be positive, and the former not greater "
                    "than the latter",
                    least, most));
  c.set_output(0, DType::i64, {c.has_input(3) ? c.unknown_dimension(0, 0, "tokens") : c.shape(1)[0]});
  if (c.has_output(1)) c.set_output(1, DType::i64, c.shape(2));
}

rt::HostStep host_bifurcation(InferContext& c) {
  return host_call("bifurcation", rt::BifurcationCall{c.integer("min_ngram_size", 1), c.integer("max_ngram_size", 3)});
}

}  // namespace

std::vector<Op> decoding_ops() {
  return {
      {.name = "BifurcationDetector",
       .domain = "com.microsoft",
       .versions = {{1, "max_ngram_size:int min_ngram_size:int"}},
       .inputs = {3, 4},
       .outputs = 2,
       .infer = infer_bifurcation,
       .host = host_bifurcation},
      {.name = "DynamicTimeWarping",
       .domain = "com.microsoft",
       .versions = {1},
       .inputs = 1,
       .infer = infer_warping,
       .host = host_warping},
  };
}

}  // namespace cppgen::ops
