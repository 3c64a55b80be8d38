#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cppgen/graph/graph.h"
#include "cppgen/graph/node_text.h"

namespace cppgen {

std::string type_text(const Value& value) {
  return value.type ? to_string(*value.type) : value.host ? to_string(*value.host) : "?";
}

std::string quoted(std::string_view name) {
  constexpr size_t kLongest = 120;
  std::string out = "\"";
  for (char c : name.substr(0, kLongest)) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + (name.size() > kLongest ? "\"..." : "\"");
}

std::string to_string(const Shape& shape) {
  std::vector<std::string> parts;
  for (const IndexExpr& d : shape) parts.push_back(ir::to_string(d));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string to_string(const TensorType& type) {
  return fmt::format("{}{}", name_of(type.dtype), to_string(type.shape));
}

std::string to_string(const HostType& type) {
  const std::string element = type.strings ? "string" : std::string(name_of(type.dtype));
  const bool ranked = type.dims && (type.dims->empty() || type.dims->front() >= -1);
  const std::string dims = ranked ? fmt::format("[{}]", fmt::join(*type.dims, ", ")) : " of unknown rank";
  switch (type.kind) {
    case ValueKind::tensor:
    case ValueKind::strings:
      return fmt::format("a {} tensor{}", element, dims);
    case ValueKind::sequence:
      return fmt::format("a sequence of {} tensors{}", element, dims);
    case ValueKind::optional:
      return fmt::format("an optional {} tensor{}", element, dims);
    case ValueKind::optional_sequence:
      return fmt::format("an optional sequence of {} tensors{}", element, dims);
  }
  return "?";
}

}  // namespace cppgen
