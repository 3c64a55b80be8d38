#include "runtime/base/printable.h"

#include <fmt/format.h>

namespace cppgen {
namespace {

std::string escaped(std::string_view text, std::string_view kept) {
  std::string out;
  for (size_t i = 0; i < text.size(); i++) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    const bool upper_control = c == 0xc2 && next >= 0x80 && next < 0xa0;  // in UTF-8
    if ((c < 0x20 && kept.find(text[i]) == kept.npos) || c == 0x7f || upper_control) {
      out += fmt::format("\\x{:02x}", upper_control ? next : c);
      i += upper_control;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string one_line(std::string_view text) { return escaped(text, ""); }
std::string for_terminal(std::string_view text) { return escaped(text, "\n\t"); }

std::string counted(int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace cppgen
