#include <fmt/format.h>

#include <charconv>

#include "cppgen/support/remote_store.h"

namespace cppgen {
namespace {

constexpr std::string_view kSchemes[] = {"redis://", "rediss://"};  // the second with TLS

bool parse_number(std::string_view digits, int most, int& number) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() && number >= 0 && number <= most;
}

}  // namespace

std::string RemoteAddress::text() const {
  const bool brackets = host.find(':') != host.npos;
  return fmt::format("{}{}{}{}:{}/{}", tls ? kSchemes[1] : kSchemes[0], brackets ? "[" : "", host, brackets ? "]" : "",
                     port, database);
}

std::optional<RemoteAddress> parse_remote_address(std::string_view text) {
  constexpr int kMostPorts = 65535, kMostDatabases = 1'000'000;
  RemoteAddress address;
  address.tls = text.starts_with(kSchemes[1]);
  const std::string_view scheme = kSchemes[address.tls ? 1 : 0];
  if (!text.starts_with(scheme)) return std::nullopt;
  text.remove_prefix(scheme.size());
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
  const size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == text.npos) return std::nullopt;
  if (const size_t colon = text.find(':', bracket); colon != text.npos) {
    if (!parse_number(text.substr(colon + 1), kMostPorts, address.port) || address.port == 0) return std::nullopt;
    text = text.substr(0, colon);
  }
  if (bracket > 0 && text.size() == bracket + 1) text = text.substr(1, bracket - 1);
  if (text.empty() || text.find_first_of("[]") != text.npos) return std::nullopt;
  address.host = text;
  return address;
}

}  // namespace cppgen
