#include <cmath>

#include "runtime/base/json_text.h"
#include "runtime/custom/call.h"
#include "runtime/plan/json_field.h"

namespace cppgen::rt {
namespace {

constexpr std::string_view kKinds[] = {"int", "float", "string", "ints", "floats", "strings"};
static_assert(std::size(kKinds) == std::variant_size_v<CustomValue>);

// JSON has no words for these numbers; Field::number reads them so.
json json_of(float x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}
template <class T>
json json_of(const T& x) {
  return x;
}
json json_of(const std::vector<float>& list) {
  json out = json::array();
  for (float x : list) out.push_back(json_of(x));
  return out;
}

CustomValue field_value(const Field& field, size_t kind) {
  std::vector<int64_t> integers;
  std::vector<float> numbers;
  switch (kind) {
    case 0:
      return field.integer();
    case 1:
      return float(field.number());
    case 2:
      return field.text();
    case 3:
      field.each([&](const Field& item) { integers.push_back(item.integer()); });
      return integers;
    case 4:
      field.each([&](const Field& item) { numbers.push_back(float(item.number())); });
      return numbers;
    default:
      return field.texts();
  }
}

}  // namespace

std::string to_json(const CustomCall& call) {
  json attributes = json::array(), outputs = json::array();
  for (const auto& a : call.attributes)
    attributes.push_back({{"name", a.name},
                          {"type", kKinds[a.value.index()]},
                          {"value", std::visit([](const auto& held) { return json_of(held); }, a.value)}});
  for (const auto& o : call.outputs) {
    json dims = json::array();
    for (const DimExpr& d : o.dims) dims.push_back(d.code);
    outputs.push_back({{"type", name_of(o.type)}, {"dims", dims}});
  }
  const json root{{"operator", call.label},
                  {"since_version", call.since_version},
                  {"library", call.library},
                  {"attributes", attributes},
                  {"outputs", outputs}};
  return json_text(root, -1);
}

CustomCall custom_call_from_json(std::string_view text) {
  const json parsed = parse_json_or_discard(text);
  if (parsed.is_discarded()) user_error("module: the call of a custom operator is not well-formed JSON");
  const Field file(parsed, "");
  CustomCall call;
  call.label = file["operator"].text();
  call.since_version = file["since_version"].integer(1);
  call.library = file["library"].text();
  file["attributes"].each([&](const Field& a) {
    call.attributes.push_back({a["name"].text(), field_value(a["value"], a["type"].word(kKinds))});
  });
  file["outputs"].each([&](const Field& o) {
    const std::string type = o["type"].text();
    const auto dtype = dtype_from_name(type);
    if (!dtype) user_error("module: a custom operator has an output of the unknown element type '{}'", type);
    call.outputs.push_back({*dtype, o["dims"].exprs()});
  });
  return call;
}

}  // namespace cppgen::rt
