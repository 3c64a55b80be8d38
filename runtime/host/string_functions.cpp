// Strings: constants, casts, comparison, normalisation.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/base/elements.h"
#include "runtime/base/errors.h"
#include "runtime/base/narrow_floats.h"
#include "runtime/base/value_types.h"
#include "runtime/host/host_functions.h"
#include "runtime/plan/calls/host_strings.h"

namespace cppgen::rt {
namespace {

using Values = std::vector<Value>;

Values constant(const HostCall& call, const StringConstantCall& fields) {
  if (element_count(fields.dims) != int64_t(fields.elements.size()))
    call.fail("the number of strings does not match the shape");
  return one_value(StringTensor{fields.dims, fields.elements});
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

template <class T>
std::string number_text(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "INF" : "-INF";
  }
  return fmt::format("{}", value);  // of a float: the shortest digits that read back as the same number
}

std::string text_of(const Tensor& x, int64_t i) {
  const DType type = x.type();
  if (type == DType::boolean) return x.as<uint8_t>()[i] ? "1" : "0";
  if (is_float(type) && type != DType::f64) return number_text(float(number_element(type, x.data(), i)));
  return with_value_type(dtype_row(type).value,
                         [&](auto value) { return number_text(x.as<Stored<decltype(value)>>()[i]); });
}

Values cast_to_strings(const HostCall& call) {
  if (call.has(0) && call.inputs[0]->strings()) return one_value(*call.inputs[0]);
  const Tensor& x = call.tensor(0);
  StringTensor result{x.dims(), {}};
  for (int64_t i = 0; i < x.elements(); i++) result.elements.push_back(text_of(x, i));
  return one_value(std::move(result));
}

// Calls element(text) for each string and stores the results.
template <class T, class Element>
void store(const StringTensor& x, Tensor& result, Element element) {
  for (size_t i = 0; i < x.elements.size(); i++) result.as<T>()[i] = T(element(x.elements[i]));
}

Values numbers_of(const HostCall& call, const TypeCall& fields) {
  const StringTensor& x = call.strings(0);
  Tensor result(fields.type, x.dims);
  const auto integer = [&](const std::string& text) { return integer_in(call, text); };
  const auto number = [&](const std::string& text) { return number_in(call, text); };
  if (fields.type == DType::boolean)
    store<uint8_t>(x, result, [&](const std::string& text) { return number(text) != 0; });
  else if (dtype_row(fields.type).storage == DTypeStorage::value)
    with_value_type(fields.type, [&]<class T>(T) {
      if constexpr (std::is_integral_v<T>)
        store<Stored<T>>(x, result, integer);
      else
        store<T>(x, result, number);
    });
  else if (dtype_row(fields.type).storage == DTypeStorage::narrow_float)
    with_narrow_float(fields.type, [&]<class Narrow>(Narrow) {
      store<typename Narrow::Bits>(x, result,
                                   [&](const std::string& text) { return Narrow::narrowed(float(number(text))); });
    });
  else
    call.fail(fmt::format("converting strings to {} is not supported", name_of(fields.type)));
  return one_value(std::move(result));
}

// The shape that both broadcast to, and the position of an element of it in a tensor of these dimensions.
std::vector<int64_t> broadcast_dims(const HostCall& call, const std::vector<int64_t>& a,
                                    const std::vector<int64_t>& b) {
  std::vector<int64_t> dims(std::max(a.size(), b.size()));
  for (size_t d = 0; d < dims.size(); d++) {
    const int64_t x = d < dims.size() - a.size() ? 1 : a[d - (dims.size() - a.size())];
    const int64_t y = d < dims.size() - b.size() ? 1 : b[d - (dims.size() - b.size())];
    if (x != y && x != 1 && y != 1)
      call.fail(fmt::format("shapes {} and {} do not broadcast", shape_text(a), shape_text(b)));
    dims[d] = x == 1 ? y : x;
  }
  return dims;
}

size_t broadcast_position(const std::vector<int64_t>& dims, const std::vector<int64_t>& of, int64_t flat) {
  int64_t at = 0, stride = 1;
  for (size_t d = dims.size(), k = of.size(); k-- > 0;) {
    d--;
    if (of[k] != 1) at += flat % dims[d] * stride;
    flat /= dims[d];
    stride *= of[k];
  }
  return size_t(at);
}

Values equal(const HostCall& call) {
  const StringTensor &a = call.strings(0), &b = call.strings(1);
  Tensor result(DType::boolean, broadcast_dims(call, a.dims, b.dims));
  for (int64_t i = 0; i < result.elements(); i++)
    result.as<uint8_t>()[i] = a.elements[broadcast_position(result.dims(), a.dims, i)] ==
                              b.elements[broadcast_position(result.dims(), b.dims, i)];
  return one_value(std::move(result));
}

Values concat(const HostCall& call) {
  const StringTensor &a = call.strings(0), &b = call.strings(1);
  StringTensor result{broadcast_dims(call, a.dims, b.dims), {}};
  for (int64_t i = 0, n = element_count(result.dims); i < n; i++)
    result.elements.push_back(a.elements[broadcast_position(result.dims, a.dims, i)] +
                              b.elements[broadcast_position(result.dims, b.dims, i)]);
  return one_value(std::move(result));
}

Values dims_of(const HostCall& call, const DimsCall& fields) {
  std::vector<int64_t> dims;
  if (!call.has(0)) call.fail("input 0 is missing");
  if (const StringTensor* s = call.inputs[0]->strings()) {
    dims = s->dims;
  } else {
    dims = call.tensor(0).dims();
  }
  const auto rank = int64_t(dims.size());
  auto clamp = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const int64_t begin = clamp(fields.begin), end = std::max(begin, clamp(fields.end));
  Tensor result(DType::i64, {end - begin});
  std::copy(dims.begin() + begin, dims.begin() + end, result.as<int64_t>());
  return one_value(std::move(result));
}

Values size(const HostCall& call) {
  if (call.has(0) && call.inputs[0]->strings()) return one_value(tensor_of(int64_t(call.strings(0).elements.size())));
  return one_value(tensor_of(call.tensor(0).elements()));
}

// ASCII letters only: others require tables of a locale.
std::string in_case(std::string text, CaseChange change) {
  for (char& c : text) {
    if (change == CaseChange::lower && c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
    if (change == CaseChange::upper && c >= 'a' && c <= 'z') c = char(c - 'a' + 'A');
  }
  return text;
}

Values normalize(const HostCall& call, const NormalizeCall& fields) {
  const StringTensor& x = call.strings(0);
  const bool row = x.dims.size() == 2 && x.dims[0] == 1;
  if (x.dims.size() != 1 && !row) call.fail(fmt::format("shape {} is neither [C] nor [1, C]", shape_text(x.dims)));
  auto key = [&](const std::string& word) { return fields.case_counts ? word : in_case(word, CaseChange::lower); };
  StringTensor result;
  for (const std::string& word : x.elements) {
    const bool left_out = std::any_of(fields.stop_words.begin(), fields.stop_words.end(),
                                      [&](const std::string& stop) { return key(stop) == key(word); });
    if (!left_out) result.elements.push_back(in_case(word, fields.change));
  }
  if (result.elements.empty()) result.elements.emplace_back();
  result.dims = {int64_t(result.elements.size())};
  if (row) result.dims.insert(result.dims.begin(), 1);
  return one_value(std::move(result));
}

}  // namespace

HostFunction prepare_string_constant(const HostStep& step) { return prepared(constant, step); }
HostFunction prepare_cast_to_strings(const HostStep& step) { return prepared(cast_to_strings, step); }
HostFunction prepare_numbers_of_strings(const HostStep& step) { return prepared(numbers_of, step); }
HostFunction prepare_equal_strings(const HostStep& step) { return prepared(equal, step); }
HostFunction prepare_string_concat(const HostStep& step) { return prepared(concat, step); }
HostFunction prepare_dims(const HostStep& step) { return prepared(dims_of, step); }
HostFunction prepare_size(const HostStep& step) { return prepared(size, step); }
HostFunction prepare_string_normalize(const HostStep& step) { return prepared(normalize, step); }

double number_in(const HostCall& call, std::string_view text) {
  std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  for (const char* word : {"inf", "infinity"}) {
    if (equal_ignoring_case(digits, word)) return std::numeric_limits<double>::infinity();
    if (digits.starts_with('-') && equal_ignoring_case(digits.substr(1), word))
      return -std::numeric_limits<double>::infinity();
  }
  if (equal_ignoring_case(digits, "nan")) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(digits).c_str(), nullptr);
  if (error != std::errc() || end != digits.data() + digits.size())
    call.fail(fmt::format("the string '{}' is not a number", text.substr(0, 64)));
  return value;
}

int64_t integer_in(const HostCall& call, std::string_view text) {
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size()) return value;
  return int64_t(number_in(call, text));
}

}  // namespace cppgen::rt
