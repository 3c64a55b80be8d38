// Operators on each string of a tensor: whether a pattern matches, its parts and tokens, its position in a list of
// words.
#include <algorithm>
#include <limits>

#include "cppgen/graph/string_elements.h"
#include "cppgen/ops/common.h"
#include "cppgen/ops/sequences/strings.h"
#include "runtime/plan/calls/host_strings.h"
#include "runtime/plugins/plugins.h"

namespace cppgen::ops {
namespace {

void infer_full_match(InferContext& c) {
  require_strings(c, 0);
  std::string error;
  if (!rt::compile_regex(c.text("pattern", ""), rt::RegexMatch::first, error))
    c.fail(fmt::format("attribute 'pattern' is not a valid regular expression: {}", error));
  set_like(c, 0, DType::boolean, 0);
}

rt::HostStep host_full_match(InferContext& c) {
  return host_call("regex_full_match", rt::PatternCall{c.text("pattern", "")});
}

// Parts of each string, filled up with empty ones, and their number.
void infer_string_split(InferContext& c) {
  require_strings(c, 0);
  set_like(c, 1, DType::i64, 0);
  if (c.host(0)) return c.set_host_output(0, *c.host(0));  // of unknown rank, too
  Shape shape = c.shape(0);
  shape.push_back(c.unknown_dimension(0, shape.size(), "parts"));
  c.set_output(0, kString, shape);
}

rt::HostStep host_string_split(InferContext& c) {
  return host_call("string_split", rt::StringSplitCall{c.text("delimiter", ""), c.integer("maxsplit", -1)});
}

void infer_positions(InferContext& c) {
  require_strings(c, 0);
  set_like(c, 0, DType::i64, 0);
}

rt::HostStep host_positions(InferContext& c) { return host_call("string_positions", rt::WordsCall{texts(c, "words")}); }

// Tokenizer of com.microsoft: a row of tokens for each string, as many as the longest row has.
void infer_tokens(InferContext& c) {
  require_strings(c, 0);
  const std::vector<std::string> separators = texts(c, "separators");
  const std::string expression = c.text("tokenexp", "");
  if (separators.empty() == expression.empty()) c.fail("one of separators and tokenexp must be given");
  const bool characters = separators.size() == 1 && separators[0].empty();
  if (!characters && std::find(separators.begin(), separators.end(), "") != separators.end())
    c.fail("a separator is empty");
  if (c.integer("mincharnum", 1) < 1 || (characters && c.integer("mincharnum", 1) > 1))
    c.fail(fmt::format("mincharnum is {}", c.integer("mincharnum", 1)));
  if (c.host(0)) return c.set_host_output(0, *c.host(0));  // of unknown rank, too
  Shape shape = c.shape(0);
  shape.push_back(c.unknown_dimension(0, shape.size(), "tokens"));
  c.set_output(0, kString, shape);
}

rt::HostStep host_tokens(InferContext& c) {
  const std::vector<std::string> separators = texts(c, "separators");
  const bool characters = separators.size() == 1 && separators[0].empty();
  rt::TokensCall fields{
      c.integer("mark", 0) != 0, c.integer("mincharnum", 1), rt::TokenKind::characters, c.text("pad_value", ""), {}};
  if (separators.empty()) {
    fields.kind = rt::TokenKind::matches, fields.patterns = {c.text("tokenexp", "")};
  } else if (!characters) {
    fields.kind = rt::TokenKind::separated, fields.patterns = separators;
  }
  return host_call("tokens", std::move(fields));
}

// MurmurHash3 of com.microsoft: of the bytes of each string or number.
void infer_hash(InferContext& c) {
  const DType type = c.integer("positive", 1) != 0 ? DType::u32 : DType::i32;
  const bool strings = c.host(0) ? c.host(0)->strings : c.dtype(0) == kString;
  if (strings) {
    require_strings(c, 0);
  } else if (!c.host(0)) {
    require_dtype(
        c, 0,
        bit(DType::i32) | bit(DType::u32) | bit(DType::i64) | bit(DType::u64) | bit(DType::f32) | bit(DType::f64));
  }
  set_like(c, 0, type, 0);
}

rt::HostStep host_hash(InferContext& c) {
  return host_call("murmur_hash", rt::HashCall{c.integer("positive", 1) != 0, c.integer("seed", 0)});
}

}  // namespace

std::vector<Op> text_ops() {
  return {
      {.name = "RegexFullMatch",
       .versions = {{20, "pattern:string"}},
       .inputs = 1,
       .infer = infer_full_match,
       .host = host_full_match},
      {.name = "StringSplit",
       .versions = {{20, "delimiter:string maxsplit:int"}},
       .inputs = 1,
       .outputs = 2,
       .infer = infer_string_split,
       .host = host_string_split},
      {.name = "Tokenizer",
       .domain = "com.microsoft",
       .versions = {{1, "mark:int mincharnum:int pad_value:string separators:strings tokenexp:string"}},
       .inputs = 1,
       .infer = infer_tokens,
       .host = host_tokens},
      {.name = "MurmurHash3",
       .domain = "com.microsoft",
       .versions = {{1, "positive:int seed:int"}},
       .inputs = 1,
       .infer = infer_hash,
       .host = host_hash},
      {.name = "StringPositions",
       .domain = "cppgen",
       .versions = {{1, "words:strings"}},
       .inputs = 1,
       .infer = infer_positions,
       .host = host_positions},
  };
}

}  // namespace cppgen::ops
