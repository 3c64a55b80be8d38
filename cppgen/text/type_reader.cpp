#include "cppgen/text/type_reader.h"

#include "cppgen/graph/host_dims.h"
#include "cppgen/graph/string_elements.h"
#include "cppgen/text/tensor_reader.h"

namespace cppgen::text {
namespace {

constexpr const char* kKinds[] = {"host", "strings", "sequence", "optional", "optional_sequence"};
constexpr size_t kMostContents = size_t{1} << 20;

std::optional<ValueKind> accept_kind(Reader& reader) {
  for (size_t i = 0; i < std::size(kKinds); i++)
    if (reader.accept_word(kKinds[i])) return ValueKind(i);
  return std::nullopt;
}

DType element_type(Reader& reader) {
  const std::optional<DType> type = accept_element_type(reader);
  if (!type) reader.expected("an element type, such as float32");
  return *type;
}

std::optional<std::vector<int64_t>> host_dims(Reader& reader) {
  std::optional<std::vector<int64_t>> dims(std::in_place);
  reader.expect_sign("[");
  if (reader.accept_sign("*")) {
    reader.expect_sign("]");
    return std::nullopt;
  }
  if (reader.accept_word("nothing")) {
    reader.expect_sign("]");
    return std::vector<int64_t>{kNothing};
  }
  if (reader.accept_word("rank")) dims->push_back(kOneOfRanks);
  if (reader.accept_sign("]")) return dims;
  do {
    if (dims->size() > kMostDimensions) reader.fail("too many dimensions");
    dims->push_back(reader.accept_sign("?") ? -1 : reader.integer("a dimension or ?", 0, INT64_MAX));
  } while (reader.accept_sign(","));
  reader.expect_sign("]");
  return dims;
}

HostType host_type(Reader& reader, ValueKind kind) {
  HostType type;
  type.kind = kind;
  const DType element = element_type(reader);
  type.strings = element == kString;
  if (!type.strings) type.dtype = element;
  type.dims = host_dims(reader);
  return type;
}

Shape shape(Reader& reader, const FindVariable& find) {
  const Place place = reader.peek().place;
  Shape dims = read_indices(reader, find);
  if (dims.size() > kMostDimensions) reader.fail_at(place, "too many dimensions");
  for (const IndexExpr& d : dims)
    if (d.range().hi < 0) reader.fail_at(place, "a dimension is negative: " + ir::to_string(d));
  return dims;
}

}  // namespace

void read_type(Reader& reader, const FindVariable& find, Value& value) {
  if (reader.accept_sign("?")) {
  } else if (const std::optional<ValueKind> kind = accept_kind(reader)) {
    value.host = host_type(reader, *kind);
  } else {
    const DType type = element_type(reader);
    value.type = TensorType{type, shape(reader, find)};
  }
  if (!reader.accept_word("is")) return;
  const Place place = reader.peek().place;
  value.contents = read_indices(reader, find);
  if (value.contents->size() > kMostContents) reader.fail_at(place, "too many known elements");
}

}  // namespace cppgen::text
