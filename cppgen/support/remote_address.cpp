#include <fmt/format.h>

#include <charconv>

#include "cppgen/support/remote_store.h"

namespace cppgen {
namespace {

bool parse_number(std::string_view digits, int most, int& number) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() && number >= 0 && number <= most;
}

}  // namespace

std::string RemoteAddress::text() const { return fmt::format("redis://{}:{}/{}", host, port, database); }

std::optional<RemoteAddress> parse_remote_address(std::string_view text) {
  constexpr std::string_view kScheme = "redis://";
  constexpr int kMostPorts = 65535, kMostDatabases = 1'000'000;
  if (!text.starts_with(kScheme)) return std::nullopt;
  text.remove_prefix(kScheme.size());
  RemoteAddress address;
  if (const size_t at = text.rfind('@'); at != text.npos) {
    const size_t colon = std::min(text.find(':'), at);
    if (colon == at) return std::nullopt;
    address.user = text.substr(0, colon);
    address.password = text.substr(colon + 1, at - colon - 1);
    text.remove_prefix(at + 1);
  }
  if (const size_t slash = text.find('/'); slash != text.npos) {
    const std::string_view database = text.substr(slash + 1);
    if (!database.empty() && !parse_number(database, kMostDatabases, address.database)) return std::nullopt;
    text = text.substr(0, slash);
  }
  if (const size_t colon = text.rfind(':'); colon != text.npos) {
    if (!parse_number(text.substr(colon + 1), kMostPorts, address.port) || address.port == 0) return std::nullopt;
    text = text.substr(0, colon);
  }
  if (text.empty()) return std::nullopt;
  address.host = text;
  return address;
}

}  // namespace cppgen
