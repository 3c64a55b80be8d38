#pragma once
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/base/errors.h"
#include "runtime/plan/plan.h"

namespace cppgen::rt {

using nlohmann::json;

// A JSON value and its path in the document, for messages.
class Field {
 public:
  Field(const json& value, std::string path) : value_(value), path_(std::move(path)) {}

  Field operator[](const char* key) const {
    if (!value_.is_object()) fail("an object");
    const auto it = value_.find(key);
    if (it == value_.end()) user_error("plan: {} lacks the field '{}'", path_.empty() ? "the file" : path_, key);
    return {*it, path_.empty() ? key : path_ + "." + key};
  }

  template <class F>
  void each(F f) const {
    if (!value_.is_array()) fail("a list");
    for (size_t i = 0; i < value_.size(); i++) f(Field(value_[i], fmt::format("{}[{}]", path_, i)));
  }

  int64_t integer(int64_t low = std::numeric_limits<int64_t>::min(),
                  int64_t high = std::numeric_limits<int64_t>::max()) const {
    if (!value_.is_number_integer()) fail("an integer");
    if (value_.is_number_unsigned() && value_.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max()))
      fail("a 64-bit integer");
    const auto number = value_.get<int64_t>();
    if (number < low || number > high) user_error("plan: {} is {}; allowed is {} to {}", path_, number, low, high);
    return number;
  }
  int32_t index() const { return int32_t(integer(-1, std::numeric_limits<int32_t>::max())); }

  bool boolean() const {
    if (!value_.is_boolean()) fail("true or false");
    return value_.get<bool>();
  }

  std::string text() const {
    if (!value_.is_string()) fail("a text");
    return value_.get<std::string>();
  }

  double number() const {
    if (value_.is_number()) return value_.get<double>();
    const std::string word = text();
    if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (word == "inf") return std::numeric_limits<double>::infinity();
    if (word == "-inf") return -std::numeric_limits<double>::infinity();
    fail("a number");
  }

  template <size_t N>
  size_t word(const std::string_view (&words)[N]) const {
    const std::string name = text();
    for (size_t i = 0; i < N; i++)
      if (words[i] == name) return i;
    user_error("plan: {} is '{}'; allowed is {}", path_, name, fmt::join(words, ", "));
  }

  DimExpr expr() const {
    DimExpr result;
    each([&](const Field& item) { result.code.push_back(item.integer()); });
    return result;
  }
  std::vector<DimExpr> exprs() const {
    std::vector<DimExpr> result;
    each([&](const Field& item) { result.push_back(item.expr()); });
    return result;
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> result;
    each([&](const Field& item) { result.push_back(item.text()); });
    return result;
  }

  std::vector<int64_t> integers() const {
    std::vector<int64_t> result;
    each([&](const Field& item) { result.push_back(item.integer()); });
    return result;
  }
  std::vector<int32_t> indices() const {
    std::vector<int32_t> result;
    each([&](const Field& item) { result.push_back(item.index()); });
    return result;
  }

  DType dtype() const {
    const std::string name = text();
    if (const auto type = dtype_from_name(name)) return *type;
    user_error("plan: {} is '{}', which is not an element type", path_, name);
  }

 private:
  [[noreturn]] void fail(const char* expected) const {
    user_error("plan: {} is {}; expected {}", path_.empty() ? "the file" : path_, value_.type_name(), expected);
  }

  const json& value_;
  std::string path_;
};

inline json bounds_to_json(const std::vector<Bound>& bounds) {
  json list = json::array();
  for (const Bound& bound : bounds)
    list.push_back({{"least", bound.least.code}, {"most", bound.most.code}, {"text", bound.text}});
  return list;
}

inline std::vector<Bound> bounds_from(const Field& list) {
  std::vector<Bound> bounds;
  list.each([&](const Field& node) {
    bounds.push_back({node["least"].expr(), node["most"].expr(), node["text"].text()});
  });
  return bounds;
}

}  // namespace cppgen::rt
