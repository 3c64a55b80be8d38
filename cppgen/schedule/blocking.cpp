#include "cppgen/schedule/blocking.h"

#include <charconv>

#include "runtime/base/setting_values.h"

namespace cppgen::schedule {

std::optional<Blocking> parse_blocking(std::string_view text) {
  constexpr int64_t kMost = 1 << 20;
  if (setting_values::upper(text) == "AUTO") return Blocking{};
  std::vector<int64_t> numbers;
  for (const std::string& piece : setting_values::split(text, ',')) {
    int64_t number = -1;
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), number);
    if (error != std::errc() || end != piece.data() + piece.size() || number < 0 || number > kMost) return std::nullopt;
    numbers.push_back(number);
  }
  if (numbers.size() != 3 || numbers[2] != 0) return std::nullopt;
  return Blocking{numbers[0], numbers[1]};
}

}  // namespace cppgen::schedule
