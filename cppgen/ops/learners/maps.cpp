// Operators of ai.onnx.ml that take a map: input 0 has its keys, input 1 their values in the same order.
#include "cppgen/graph/string_elements.h"
#include "cppgen/ops/common.h"
#include "cppgen/ops/sequences/strings.h"
#include "runtime/plan/calls/host_sequences.h"

namespace cppgen::ops {
namespace {

constexpr const char *kWords = "string_vocabulary", *kNumbersOf = "int64_vocabulary";

void require_map(InferContext& c, DTypes values) {
  require_rank(c, 0, 1, 1);
  require_rank(c, 1, 1, 1);
  if (c.dtype(0) != kString) require_dtype(c, 0, bit(DType::i64));
  if (c.dtype(1) != kString) require_dtype(c, 1, values);
  require_equal(c, c.shape(0)[0], c.shape(1)[0], "the numbers of keys and values");
}

// --- DictVectorizer: the values of the keys of a vocabulary, in its order; zeros and "" for those that are not there

void infer_dict_vectorizer(InferContext& c) {
  require_map(c, bit(DType::i64) | bit(DType::f32) | bit(DType::f64));
  const bool words = c.has(kWords);
  if (words == c.has(kNumbersOf)) c.fail(fmt::format("one of {} and {} must list the keys", kWords, kNumbersOf));
  if (words != (c.dtype(0) == kString))
    c.fail(fmt::format("the map's keys are {}, but the vocabulary is {}", words ? "int64" : "strings",
                       words ? kWords : kNumbersOf));
  const size_t count = words ? texts(c, kWords).size() : c.integers(kNumbersOf).size();
  c.set_output(0, c.dtype(1), {int64_t(1), int64_t(count)});
}

rt::HostStep host_dict_vectorizer(InferContext& c) {
  return host_call("map_by_vocabulary", rt::KeysCall{texts(c, kWords), c.integers(kNumbersOf, {})});
}

// --- CastMap: the values in the order of their keys, or each at its key

DType target_of(InferContext& c) {
  const std::string to = c.text("cast_to", "TO_FLOAT");
  if (to == "TO_FLOAT") return DType::f32;
  if (to == "TO_INT64") return DType::i64;
  if (to == "TO_STRING") return kString;
  c.fail(fmt::format("cast_to '{}' is not TO_FLOAT, TO_INT64 or TO_STRING", to));
}

// The number of values if there is one for each key; -1: values are in the order of their keys.
int64_t sparse_size(InferContext& c) {
  const std::string form = c.text("map_form", "DENSE");
  if (form == "DENSE") return -1;
  if (form != "SPARSE") c.fail(fmt::format("map_form '{}' is not DENSE or SPARSE", form));
  const int64_t size = c.integer("max_map", 1);
  if (size < 1) c.fail(fmt::format("max_map is {}; it must be positive", size));
  return size;
}

void infer_cast_map(InferContext& c) {
  require_map(c, bit(DType::f32));
  require_dtype(c, 0, bit(DType::i64));
  const int64_t size = sparse_size(c);
  const Shape shape{int64_t(1), size < 0 ? c.shape(0)[0] : IndexExpr(size)};
  require_size(c, shape, DType::i64);
  c.set_output(0, target_of(c), shape);
}

rt::HostStep host_cast_map(InferContext& c) {
  const DType to = target_of(c);
  using rt::MapValues;
  const MapValues values = to == kString ? MapValues::string : to == DType::i64 ? MapValues::int64 : MapValues::float32;
  return host_call("cast_map", rt::CastMapCall{sparse_size(c), values});
}

}  // namespace

std::vector<Op> map_ops() {
  return {
      {.name = "CastMap",
       .domain = kLearnersDomain,
       .versions = {{1, "cast_to:string map_form:string max_map:int"}},
       .inputs = 2,
       .infer = infer_cast_map,
       .host = host_cast_map},
      {.name = "DictVectorizer",
       .domain = kLearnersDomain,
       .versions = {{1, "int64_vocabulary:ints string_vocabulary:strings"}},
       .inputs = 2,
       .infer = infer_dict_vectorizer,
       .host = host_dict_vectorizer},
  };
}

}  // namespace cppgen::ops
