#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/base/dtype.h"

namespace cppgen::rt {

// The parameters of a library or host function are one struct in runtime/plan/calls or next to the engine that defines
// the function. Its member function `fields` visits each of them once, with its name:
//
//   template <class Int>
//   struct TopKCall {
//     DType type;
//     Int outer, axis;
//     bool largest;
//     template <class V>
//     void fields(V& v) {
//       v.value("type", type), v.size("outer", outer), v.size("axis", axis), v.value("largest", largest);
//     }
//   };
//
// Sizes that depend on dimensions have the type Int: an expression when the compiler writes a call, an int64_t when the
// runtime reads one. Plans and modules store the fields without their names, in the order of the visits; a list starts
// with the number of its elements.

template <class Int>
struct FlatFields {
  std::vector<Int> integers;
  std::vector<double> numbers;
  std::vector<std::string> texts;
};

// Visits fields and appends them.
template <class Int>
class FieldWriter {
 public:
  FlatFields<Int> flat;

  void value(const char*, bool x) { flat.integers.push_back(int64_t(x)); }
  void value(const char*, int64_t x) { flat.integers.push_back(x); }
  void value(const char*, DType x) { flat.integers.push_back(int64_t(x)); }
  void value(const char*, double x) { flat.numbers.push_back(x); }
  void value(const char*, const std::string& x) { flat.texts.push_back(x); }
  template <class E>
  void choice(const char*, E x, E) {
    flat.integers.push_back(int64_t(x));
  }
  void size(const char*, const Int& x, int64_t = 0) { flat.integers.push_back(x); }
  template <class T>
  void list(const char* name, const std::vector<T>& x) {
    flat.integers.push_back(int64_t(x.size()));
    for (const auto& element : x) value(name, element);
  }
  void sizes(const char* name, const std::vector<Int>& x) {
    flat.integers.push_back(int64_t(x.size()));
    for (const Int& element : x) size(name, element);
  }
  template <class T>
  void records(const char*, std::vector<T>& x, size_t) {
    flat.integers.push_back(int64_t(x.size()));
    for (T& element : x) element.fields(*this);
  }
};

template <class Int, class Call>
FlatFields<Int> flat_fields(Call call) {
  FieldWriter<Int> writer;
  call.fields(writer);
  return std::move(writer.flat);
}

// Visits fields and fills them from a plan or module, which is not trusted. UserError, starting with `what`, naming a
// field that is missing or invalid.
class FieldReader {
 public:
  FieldReader(std::string what, std::span<const int64_t> integers, std::span<const double> numbers,
              std::span<const std::string> texts)
      : what_(std::move(what)), integers_(integers), numbers_(numbers), texts_(texts) {}

  void value(const char* name, bool& x) { x = integer(name, 0, 1) != 0; }
  void value(const char* name, int64_t& x) { x = integer(name, kLeast, kMost); }
  void value(const char* name, DType& x) { x = DType(integer(name, 0, kDTypeCount - 1)); }
  void value(const char* name, double& x);
  void value(const char* name, std::string& x);
  // One of the enumerators from 0 to `last`.
  template <class E>
  void choice(const char* name, E& x, E last) {
    x = E(integer(name, 0, int64_t(last)));
  }
  // Sizes are at least 0.
  void size(const char* name, int64_t& x, int64_t most = kMost) { x = integer(name, 0, most); }
  template <class T>
  void list(const char* name, std::vector<T>& x) {
    x.resize(count(name, std::is_same_v<T, std::string>));
    for (T& element : x) value(name, element);
  }
  void sizes(const char* name, std::vector<int64_t>& x) {
    x.resize(count(name, false));
    for (int64_t& element : x) size(name, element);
  }
  // Structs with fields of their own, each of which has at least one integer.
  template <class T>
  void records(const char* name, std::vector<T>& x, size_t most) {
    x.resize(count(name, false, most));
    for (T& element : x) element.fields(*this);
  }
  // UserError if values are left.
  void finish() const;

 private:
  static constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();

  int64_t integer(const char* name, int64_t least, int64_t most);
  // The number of elements of a list of texts or integers: at most as many as are left.
  size_t count(const char* name, bool of_texts, size_t most = SIZE_MAX);

  std::string what_;
  std::span<const int64_t> integers_;  // values that have not been read yet
  std::span<const double> numbers_;
  std::span<const std::string> texts_;
};

template <class Call>
Call read_fields(std::string what, std::span<const int64_t> integers, std::span<const double> numbers = {},
                 std::span<const std::string> texts = {}) {
  FieldReader reader(std::move(what), integers, numbers, texts);
  Call call;
  call.fields(reader);
  reader.finish();
  return call;
}

}  // namespace cppgen::rt
