// Patterns, parts and vocabularies of strings.
#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "runtime/base/errors.h"
#include "runtime/host/host_functions.h"
#include "runtime/host/tokens.h"
#include "runtime/plan/calls/host_strings.h"
#include "runtime/plugins/plugins.h"

namespace cppgen::rt {
namespace {

using Values = std::vector<Value>;

constexpr std::string_view kSpaces = " \t\n\v\f\r";

// Splits at runs of spaces, ignoring those at either end. The rest after the last split keeps its trailing spaces.
std::vector<std::string> split_at_spaces(std::string_view text, int64_t most) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t begin = text.find_first_not_of(kSpaces);
    if (begin == std::string_view::npos) return parts;
    text.remove_prefix(begin);
    const size_t end = text.find_first_of(kSpaces);
    if (end == std::string_view::npos || int64_t(parts.size()) >= most) {
      parts.emplace_back(text);
      return parts;
    }
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::vector<std::string> split_at(std::string_view text, std::string_view delimiter, int64_t most) {
  if (delimiter.empty()) return split_at_spaces(text, most);
  std::vector<std::string> parts;
  for (size_t at = 0; int64_t(parts.size()) < most && (at = text.find(delimiter)) != std::string_view::npos;) {
    parts.emplace_back(text.substr(0, at));
    text.remove_prefix(at + delimiter.size());
  }
  parts.emplace_back(text);
  return parts;
}

// A table of the parts of each string: rows that are shorter than the longest are filled up.
StringTensor table_of(std::vector<int64_t> dims, std::vector<std::vector<std::string>> all,
                      const std::string& filling) {
  size_t longest = 0;
  for (const auto& row : all) longest = std::max(longest, row.size());
  dims.push_back(int64_t(longest));
  StringTensor table{std::move(dims), {}};
  table.elements.assign(all.size() * longest, filling);
  for (size_t i = 0; i < all.size(); i++)
    std::move(all[i].begin(), all[i].end(), table.elements.begin() + int64_t(i * longest));
  return table;
}

Values split(const HostCall& call, const StringSplitCall& fields) {
  const StringTensor& x = call.strings(0);
  const int64_t most = fields.most < 0 ? std::numeric_limits<int64_t>::max() : fields.most;
  std::vector<std::vector<std::string>> all;
  for (const std::string& text : x.elements) all.push_back(split_at(text, fields.delimiter, most));
  Tensor counts(DType::i64, x.dims);
  for (size_t i = 0; i < all.size(); i++) counts.as<int64_t>()[i] = int64_t(all[i].size());
  Values values = one_value(table_of(x.dims, std::move(all), ""));
  values.emplace_back(std::move(counts));
  return values;
}

uint32_t rotated(uint32_t x, int bits) { return x << bits | x >> (32 - bits); }

uint32_t scrambled(uint32_t word) { return rotated(word * 0xCC9E2D51, 15) * 0x1B873593; }

// 32-bit MurmurHash3 by Austin Appleby, who placed it in the public domain.
uint32_t murmur_hash(const char* bytes, size_t count, uint32_t hash) {
  const size_t whole = count / 4 * 4;
  for (size_t i = 0; i < whole; i += 4) {
    uint32_t word;
    std::memcpy(&word, bytes + i, 4);
    hash = rotated(hash ^ scrambled(word), 13) * 5 + 0xE6546B64;
  }
  uint32_t rest = 0;
  if (count > whole) std::memcpy(&rest, bytes + whole, count - whole);
  hash ^= scrambled(rest) ^ uint32_t(count);
  hash = (hash ^ hash >> 16) * 0x85EBCA6B;
  hash = (hash ^ hash >> 13) * 0xC2B2AE35;
  return hash ^ hash >> 16;
}

Values murmur_hashes(const HostCall& call, const HashCall& fields) {
  if (!call.has(0)) call.fail("input 0 is missing");
  const auto seed = uint32_t(fields.seed);
  const DType type = fields.is_unsigned ? DType::u32 : DType::i32;
  if (const StringTensor* x = call.inputs[0]->strings()) {
    Tensor hashes(type, x->dims);
    for (size_t i = 0; i < x->elements.size(); i++)
      hashes.as<uint32_t>()[i] = murmur_hash(x->elements[i].data(), x->elements[i].size(), seed);
    return one_value(std::move(hashes));
  }
  const Tensor& x = call.tensor(0);
  const size_t width = size_of(x.type());
  Tensor hashes(type, x.dims());
  for (int64_t i = 0; i < x.elements(); i++)
    hashes.as<uint32_t>()[i] = murmur_hash(x.as<char>() + size_t(i) * width, width, seed);
  return one_value(std::move(hashes));
}

}  // namespace

HostFunction prepare_regex_full_match(const HostStep& step) {
  std::string error;
  const std::shared_ptr<const Regex> pattern =
      compile_regex(fields_of<PatternCall>(step).pattern, RegexMatch::first, error);
  if (!pattern) user_error("{}: the pattern is not a valid regular expression: {}", step.origin, error);
  return [pattern](const HostCall& call) {
    const StringTensor& x = call.strings(0);
    Tensor result(DType::boolean, x.dims);
    for (size_t i = 0; i < x.elements.size(); i++) result.as<uint8_t>()[i] = pattern->matches_all_of(x.elements[i]);
    return one_value(std::move(result));
  };
}

HostFunction prepare_string_split(const HostStep& step) { return prepared(split, step); }

HostFunction prepare_tokens(const HostStep& step) {
  const auto fields = fields_of<TokensCall>(step);
  const auto tokens = std::make_shared<const Tokens>(fields, step.origin);
  return [tokens, marked = fields.marked, filling = fields.filling](const HostCall& call) {
    const StringTensor& x = call.strings(0);
    std::vector<std::vector<std::string>> all;
    for (const std::string& text : x.elements) all.push_back(tokens->of(text));
    const bool any = std::any_of(all.begin(), all.end(), [](const auto& row) { return !row.empty(); });
    for (auto& row : all)
      if (marked && any) row.insert(row.begin(), "\x02"), row.emplace_back("\x03");
    return one_value(table_of(x.dims, std::move(all), filling));
  };
}

// The position of each string among the words; -1 for any other string.
HostFunction prepare_string_positions(const HostStep& step) {
  std::unordered_map<std::string, int64_t> position;
  for (const std::string& word : fields_of<WordsCall>(step).words) position.emplace(word, int64_t(position.size()));
  return [position = std::move(position)](const HostCall& call) {
    const StringTensor& x = call.strings(0);
    Tensor result(DType::i64, x.dims);
    for (size_t i = 0; i < x.elements.size(); i++) {
      const auto at = position.find(x.elements[i]);
      result.as<int64_t>()[i] = at == position.end() ? -1 : at->second;
    }
    return one_value(std::move(result));
  };
}

HostFunction prepare_murmur_hash(const HostStep& step) { return prepared(murmur_hashes, step); }

}  // namespace cppgen::rt
