// Maps become tensors. Input 0 has the keys, input 1 their values in the same order.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "runtime/base/errors.h"
#include "runtime/base/printable.h"
#include "runtime/host/host_functions.h"
#include "runtime/plan/calls/host_sequences.h"

namespace cppgen::rt {
namespace {

using Values = std::vector<Value>;

int64_t count_of(const HostCall& call, size_t i) {
  if (!call.has(i)) call.fail(fmt::format("input {} is missing", i));
  const StringTensor* strings = call.inputs[i]->strings();
  const std::vector<int64_t>& dims = strings ? strings->dims : call.tensor(i).dims();
  if (dims.size() != 1)
    call.fail(fmt::format("the {} of its map have shape {}", i ? "values" : "keys", shape_text(dims)));
  return dims[0];
}

int64_t size_of_map(const HostCall& call) {
  const int64_t keys = count_of(call, 0), values = count_of(call, 1);
  if (keys != values) call.fail(fmt::format("its map has {} keys and {} values", keys, values));
  return keys;
}

const int64_t* integer_keys(const HostCall& call) {
  const Tensor& keys = call.tensor(0);
  if (keys.type() != DType::i64) call.fail(fmt::format("the keys of its map are {}, not int64", name_of(keys.type())));
  return keys.as<int64_t>();
}

std::string shown(int64_t key) { return fmt::format("{}", key); }
std::string shown(const std::string& key) { return fmt::format("'{}'", one_line(std::string_view(key).substr(0, 64))); }

// The position of each key; UserError for one that is there twice.
template <class Key, class Shown>
std::unordered_map<Key, size_t> positions(const HostCall& call, const Shown* keys, int64_t count) {
  std::unordered_map<Key, size_t> at;
  for (int64_t i = 0; i < count; i++)
    if (!at.emplace(Key(keys[i]), size_t(i)).second)
      call.fail(fmt::format("its map has a duplicate key {}", shown(keys[i])));
  return at;
}

constexpr size_t kAbsent = size_t(-1);

template <class Key, class Word>
std::vector<size_t> places_of(const std::unordered_map<Key, size_t>& at, const std::vector<Word>& vocabulary) {
  std::vector<size_t> places;
  for (const Word& word : vocabulary) {
    const auto found = at.find(Key(word));
    places.push_back(found == at.end() ? kAbsent : found->second);
  }
  return places;
}

// A row of the values at these places; zeros and "" where there is none.
Value row_of(const HostCall& call, const std::vector<size_t>& places) {
  const std::vector<int64_t> dims{1, int64_t(places.size())};
  if (const StringTensor* values = call.inputs[1]->strings()) {
    StringTensor row{dims, std::vector<std::string>(places.size())};
    for (size_t i = 0; i < places.size(); i++)
      if (places[i] != kAbsent) row.elements[i] = values->elements[places[i]];
    return row;
  }
  const Tensor& values = call.tensor(1);
  const size_t width = size_of(values.type());
  Tensor row(values.type(), dims);
  char* to = row.as<char>();
  if (!places.empty()) std::memset(to, 0, places.size() * width);
  for (size_t i = 0; i < places.size(); i++)
    if (places[i] != kAbsent) std::memcpy(to + i * width, values.as<char>() + places[i] * width, width);
  return row;
}

// Keys that are not in the vocabulary are left out.
Values by_vocabulary(const HostCall& call, const KeysCall& vocabulary) {
  const int64_t count = size_of_map(call);
  if (call.inputs[0]->strings())
    return one_value(row_of(
        call, places_of(positions<std::string_view>(call, call.strings(0).elements.data(), count), vocabulary.texts)));
  return one_value(row_of(call, places_of(positions<int64_t>(call, integer_keys(call), count), vocabulary.integers)));
}

std::vector<size_t> places_in_order(const int64_t* keys, int64_t count) {
  std::vector<size_t> places(static_cast<size_t>(count));
  std::iota(places.begin(), places.end(), size_t(0));
  std::sort(places.begin(), places.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  return places;
}

std::vector<size_t> places_by_key(const HostCall& call, const int64_t* keys, int64_t count, int64_t size) {
  std::vector<size_t> places(size_t(size), kAbsent);
  for (int64_t i = 0; i < count; i++) {
    if (keys[i] < 0 || keys[i] >= size)
      call.fail(fmt::format("its map has the key {} (allowed: 0 to {})", keys[i], size - 1));
    places[size_t(keys[i])] = size_t(i);
  }
  return places;
}

// The number format of ONNX Runtime here, and the string for missing keys.
std::string text_of_number(float value) { return fmt::format("{:f}", value); }
constexpr const char* kAbsentText = "0.f";

Value strings_at(const HostCall& call, const std::vector<size_t>& places) {
  const StringTensor* texts = call.inputs[1]->strings();
  const float* numbers = texts ? nullptr : call.tensor(1).as<float>();
  StringTensor row{{1, int64_t(places.size())}, {}};
  for (const size_t at : places)
    row.elements.push_back(at == kAbsent ? kAbsentText : texts ? texts->elements[at] : text_of_number(numbers[at]));
  return row;
}

float number_of(const HostCall& call, const std::string& text, float) { return float(number_in(call, text)); }
int64_t number_of(const HostCall& call, const std::string& text, int64_t) { return integer_in(call, text); }

float cast(float value, float) { return value; }

// Converts like Cast.
int64_t cast(float value, int64_t) {
  constexpr float kBeyond = 0x1p63f;
  if (std::isnan(value)) return 0;
  if (value >= kBeyond) return std::numeric_limits<int64_t>::max();
  return value <= -kBeyond ? std::numeric_limits<int64_t>::min() : int64_t(value);
}

template <class T>
Value numbers_at(const HostCall& call, const std::vector<size_t>& places, DType type) {
  const StringTensor* texts = call.inputs[1]->strings();
  const float* numbers = texts ? nullptr : call.tensor(1).as<float>();
  Tensor row(type, {1, int64_t(places.size())});
  for (size_t i = 0; i < places.size(); i++) {
    const size_t at = places[i];
    row.as<T>()[i] = at == kAbsent ? T(0) : texts ? number_of(call, texts->elements[at], T()) : cast(numbers[at], T());
  }
  return row;
}

Values cast_map(const HostCall& call, const CastMapCall& fields) {
  const int64_t count = size_of_map(call), size = fields.size;
  const int64_t* keys = integer_keys(call);
  positions<int64_t>(call, keys, count);
  if (!call.inputs[1]->strings() && call.tensor(1).type() != DType::f32)
    call.fail(fmt::format("the values of its map are {}", name_of(call.tensor(1).type())));
  const auto places = size < 0 ? places_in_order(keys, count) : places_by_key(call, keys, count, size);
  if (fields.to == MapValues::string) return one_value(strings_at(call, places));
  if (fields.to == MapValues::int64) return one_value(numbers_at<int64_t>(call, places, DType::i64));
  return one_value(numbers_at<float>(call, places, DType::f32));
}

}  // namespace

HostFunction prepare_map_by_vocabulary(const HostStep& step) { return prepared(by_vocabulary, step); }
HostFunction prepare_cast_map(const HostStep& step) { return prepared(cast_map, step); }

}  // namespace cppgen::rt
