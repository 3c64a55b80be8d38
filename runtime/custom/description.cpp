#include "runtime/custom/description.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/setting_values.h"

namespace cppgen::rt {
namespace {

using nlohmann::json;

constexpr size_t kMostBytes = size_t{1} << 20, kMostTensors = 16;

// A JSON value and its place in the file, for messages.
class DescriptionField {
 public:
  DescriptionField(const json& value, std::string file, std::string path)
      : value_(value), file_(std::move(file)), path_(std::move(path)) {}

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    user_error("{}: {}", place(), fmt::format(format, std::forward<Args>(args)...));
  }
  std::string place() const { return path_.empty() ? file_ : fmt::format("{}: {}", file_, path_); }
  bool is_text() const { return value_.is_string(); }
  bool is_list() const { return value_.is_array(); }

  // No other fields than these: a word that is misspelled would be ignored.
  void allow(std::initializer_list<const char*> names) const {
    if (!value_.is_object()) fail("must be an object");
    for (const auto& [key, unused] : value_.items())
      if (std::find(names.begin(), names.end(), key) == names.end())
        fail("has no field '{}'; allowed are {}", key, fmt::join(names, ", "));
  }
  std::optional<DescriptionField> find(const std::string& key) const {
    const auto it = value_.find(key);
    if (it == value_.end()) return std::nullopt;
    return DescriptionField(*it, file_, path_.empty() ? key : path_ + "." + key);
  }
  DescriptionField operator[](const char* key) const {
    if (auto field = find(key)) return *field;
    fail("lacks the field '{}'", key);
  }
  std::vector<DescriptionField> list() const {
    if (!value_.is_array()) fail("must be a list");
    std::vector<DescriptionField> fields;
    for (size_t i = 0; i < value_.size(); i++) fields.emplace_back(value_[i], file_, fmt::format("{}[{}]", path_, i));
    return fields;
  }
  // A list, or a single element, which is read as a list of one.
  std::vector<DescriptionField> one_or_list() const {
    return is_list() ? list() : std::vector<DescriptionField>{*this};
  }
  std::vector<std::pair<std::string, DescriptionField>> members() const {
    if (!value_.is_object()) fail("must be an object");
    std::vector<std::pair<std::string, DescriptionField>> fields;
    for (const auto& [key, value] : value_.items())
      fields.emplace_back(key, DescriptionField(value, file_, path_ + "." + key));
    return fields;
  }
  std::string text() const {
    if (!value_.is_string()) fail("must be a string");
    return value_.get<std::string>();
  }
  std::vector<std::string> texts() const { return all<std::string>(&DescriptionField::text); }
  int64_t integer() const {
    if (!value_.is_number_integer() || (value_.is_number_unsigned() && value_.get<uint64_t>() > kGreatest))
      fail("must be a 64-bit integer");
    return value_.get<int64_t>();
  }
  float number() const {
    if (!value_.is_number()) fail("must be a number");
    return value_.get<float>();
  }
  template <class T>
  std::vector<T> all(T (DescriptionField::*one)() const) const {
    std::vector<T> values;
    for (const DescriptionField& field : list()) values.push_back((field.*one)());
    return values;
  }
  // Letters, digits and underlines, as in C.
  std::string identifier() const {
    const std::string name = text();
    const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ||
        !std::all_of(name.begin(), name.end(), fits))
      fail("'{}' is not a name of letters, digits and underscores", name);
    return name;
  }
  CustomText located() const { return {value_.is_number_integer() ? std::to_string(integer()) : text(), place()}; }

 private:
  static constexpr uint64_t kGreatest = uint64_t(std::numeric_limits<int64_t>::max());
  const json& value_;
  std::string file_, path_;
};

std::string domain_of(const DescriptionField& field) {
  const std::string domain = field.text();
  if (domain.empty() || domain == "ai.onnx" || domain.starts_with("ai.onnx."))
    field.fail("'{}' is a domain of ONNX itself, whose operators cannot be replaced; use a domain of your own", domain);
  if (domain == "com.microsoft" || domain.starts_with("com.microsoft.") || domain == "cppgen")
    field.fail("'{}' is a domain that cppgen knows, whose operators cannot be replaced; use a domain of your own",
               domain);
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.' || c == '-'; };
  if (!std::all_of(domain.begin(), domain.end(), fits))
    field.fail("'{}' is not a domain: letters, digits, '.', '-' and '_' are allowed", domain);
  return domain;
}

CustomValue value_of(const DescriptionField& field, const std::string& type) {
  if (type == "int") return field.integer();
  if (type == "float") return field.number();
  if (type == "string") return field.text();
  if (type == "ints") return field.all<int64_t>(&DescriptionField::integer);
  if (type == "floats") return field.all<float>(&DescriptionField::number);
  return field.texts();
}

CustomAttribute attribute_of(const std::string& name, const DescriptionField& field) {
  static const std::set<std::string> kTypes{"int", "float", "string", "ints", "floats", "strings"};
  field.allow({"type", "default", "allowed"});
  CustomAttribute a;
  a.name = name;
  a.type = field["type"].text();
  if (!kTypes.count(a.type)) field["type"].fail("is '{}'; allowed are {}", a.type, fmt::join(kTypes, ", "));
  if (const auto fallback = field.find("default")) a.fallback = value_of(*fallback, a.type);
  if (const auto allowed = field.find("allowed")) {
    if (a.type != "string") allowed->fail("is allowed only for attributes of type string");
    a.allowed = allowed->texts();
    const auto* given = a.fallback ? std::get_if<std::string>(&*a.fallback) : nullptr;
    if (given && std::find(a.allowed.begin(), a.allowed.end(), *given) == a.allowed.end())
      field["default"].fail("'{}' is not one of the allowed values", *given);
  }
  return a;
}

DType dtype_of(const DescriptionField& field) {
  const std::string name = field.text();
  const std::optional<DType> type = dtype_from_name(name);
  if (!type) field.fail("'{}' is not an element type such as float32, float16, int64 or bool", name);
  if (is_narrow(*type)) field.fail("{} is a storage type, which can only be converted and moved", name);
  return *type;
}

bool names_input(const CustomDescription& d, const std::string& name) {
  return std::any_of(d.inputs.begin(), d.inputs.end(), [&](const CustomInput& i) { return i.name == name; });
}

CustomInput input_of(const CustomDescription& d, const DescriptionField& field) {
  field.allow({"name", "types", "type", "shape"});
  CustomInput input;
  input.name = field["name"].identifier();
  const auto types = field.find("types"), type = field.find("type");
  if (bool(types) == bool(type))
    field.fail("takes either 'types', a list, or 'type', one type or the name of an input");
  if (type && type->is_text() && names_input(d, type->text())) {
    input.type_of = type->text();
  } else {
    for (const DescriptionField& one : type ? std::vector<DescriptionField>{*type} : types->list())
      input.types.push_back(dtype_of(one));
    if (input.types.empty()) types->fail("lists no type");
  }
  if (const auto shape = field.find("shape")) {
    input.shape.emplace();
    for (const DescriptionField& dim : shape->list()) input.shape->push_back(dim.located());
  }
  return input;
}

CustomOutput output_of(const CustomDescription& d, const DescriptionField& field) {
  field.allow({"name", "type", "shape"});
  CustomOutput output;
  output.name = field["name"].identifier();
  const DescriptionField type = field["type"], shape = field["shape"];
  if (names_input(d, type.text())) {
    output.type_of = type.text();
  } else {
    output.type = dtype_of(type);
  }
  if (shape.is_text() && names_input(d, shape.text())) {
    output.shape_of = shape.text();
  } else {
    for (const DescriptionField& dim : shape.one_or_list()) output.shape.push_back(dim.located());
  }
  return output;
}

CustomFunction function_of(const DescriptionField& field, const std::string& file) {
  field.allow({"library", "symbol"});
  CustomFunction f;
  f.library = field["library"].text();
  f.symbol = field["symbol"].identifier();
  if (f.library.empty()) field["library"].fail("is empty");
  f.path = (std::filesystem::absolute(file).parent_path() / f.library).lexically_normal().string();
  return f;
}

CustomDescription description_of(const DescriptionField& field, const std::string& file) {
  field.allow({"domain", "name", "since_version", "attributes", "inputs", "outputs", "lowering", "function"});
  CustomDescription d;
  d.file = file, d.place = field.place();
  d.domain = domain_of(field["domain"]);
  d.name = field["name"].identifier();
  if (!std::isalpha(static_cast<unsigned char>(d.name[0])))
    field["name"].fail("'{}' does not begin with a letter", d.name);
  if (const auto since = field.find("since_version")) {
    if (since->integer() < 1 || since->integer() > std::numeric_limits<int>::max())
      since->fail("is {}; versions start at 1", since->integer());
    d.since_version = int(since->integer());
  }
  if (const auto attributes = field.find("attributes"))
    for (const auto& [name, attribute] : attributes->members()) d.attributes.push_back(attribute_of(name, attribute));
  for (const DescriptionField& input : field["inputs"].list()) d.inputs.push_back(input_of(d, input));
  for (const DescriptionField& output : field["outputs"].list()) d.outputs.push_back(output_of(d, output));
  if (d.outputs.empty()) field["outputs"].fail("an operator must have at least one output");
  for (const char* list : {"inputs", "outputs"})
    if (field[list].list().size() > kMostTensors) field[list].fail("has more than {} entries", kMostTensors);
  const auto lowering = field.find("lowering"), function = field.find("function");
  if (bool(lowering) == bool(function)) field.fail("takes either 'lowering' or 'function'");
  if (lowering)
    for (const DescriptionField& statement : lowering->one_or_list())
      d.lowering.push_back({statement.text(), statement.place()});
  if (function) d.function = function_of(*function, file);
  return d;
}

// The line and column of a byte, for messages.
std::string position_in(const std::string& bytes, size_t at) {
  const std::string before = bytes.substr(0, at > 0 ? at - 1 : 0);
  const size_t line = size_t(std::count(before.begin(), before.end(), '\n')) + 1, end = before.rfind('\n');
  return fmt::format("line {}, column {}", line, before.size() - (end == std::string::npos ? 0 : end + 1) + 1);
}

}  // namespace

CustomFile parse_custom_file(const std::string& path, std::string bytes) {
  CustomFile file{path, std::move(bytes), {}};
  json parsed;
  try {
    parsed = parse_json(file.bytes);
  } catch (const json::parse_error& e) {
    const std::string what = e.what();
    const size_t colon = what.rfind("; ");
    user_error("{}: {}: this is not well-formed JSON: {}", path, position_in(file.bytes, e.byte),
               colon == std::string::npos ? what : what.substr(colon + 2));
  }
  const DescriptionField whole(parsed, path, "");
  if (whole.is_list() || !parsed.is_object() || !parsed.contains("operators")) {
    for (const DescriptionField& one : whole.one_or_list()) file.operators.push_back(description_of(one, path));
  } else {
    whole.allow({"operators"});
    for (const DescriptionField& one : whole["operators"].list()) file.operators.push_back(description_of(one, path));
  }
  return file;
}

CustomFile read_custom_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) user_error("custom operators: {}: is a directory", path);
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    user_error("custom operators: {}: is not a regular file", path);
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(kMostBytes + 1, '\0');
  if (stream) bytes.resize(size_t(stream.read(bytes.data(), std::streamsize(bytes.size())).gcount()));
  if (stream.eof()) stream.clear();
  if (!stream || stream.bad()) user_error("custom operators: {}: cannot be read", path);
  if (bytes.size() > kMostBytes)
    user_error("custom operators: {}: has more than {} bytes, which is not allowed", path, kMostBytes);
  return parse_custom_file(path, std::move(bytes));
}

std::vector<CustomFile> read_custom_files(const std::string& paths) {
  std::vector<CustomFile> files;
  std::set<std::string> seen;
  for (const std::string& path : setting_values::split(paths, ':'))
    if (seen.insert(path).second) files.push_back(read_custom_file(path));
  return files;
}

}  // namespace cppgen::rt
