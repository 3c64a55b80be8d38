#pragma once
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cppgen {

// Writes one JSON document, indented. Names and texts may be any bytes: what is no UTF-8 becomes U+FFFD. Numbers that
// JSON lacks (NaN, infinities) become null.
class JsonWriter {
 public:
  void begin_object() { open('{'); }
  void begin_object(std::string_view key) { name(key), open('{'); }
  void end_object() { close('}'); }
  void begin_array(std::string_view key) { name(key), open('['); }
  void end_array() { close(']'); }

  template <class T>
  void field(std::string_view key, const T& value) {
    name(key);
    element(value);
  }
  // A list in one line.
  void list(std::string_view key, std::span<const int64_t> values);
  void list(std::string_view key, std::span<const std::string> values);
  void null(std::string_view key) { name(key), write("null"); }

  void element(std::string_view text) { write(quote(text)); }
  void element(const char* text) { write(quote(text)); }
  void element(const std::string& text) { write(quote(text)); }
  void element(bool value) { write(value ? "true" : "false"); }
  void element(double value);
  template <std::integral T>
  void element(T value) {
    write(std::to_string(value));
  }

  // The document, with a newline at its end.
  std::string take();

 private:
  static std::string quote(std::string_view text);
  void name(std::string_view key);
  void open(char bracket);
  void close(char bracket);
  void write(std::string_view text);
  void next_element();

  std::string text_;
  int depth_ = 0;
  bool first_ = true;        // no element yet at this depth
  bool after_name_ = false;  // the value of a field comes next
};

}  // namespace cppgen
