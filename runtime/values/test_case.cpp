#include "runtime/values/test_case.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/plain_file_name.h"
#include "runtime/memory/mapping.h"
#include "runtime/values/npy.h"
#include "runtime/values/npy_strings.h"

namespace cppgen::rt {
namespace {

using nlohmann::json;

// Kinds of values other than numeric tensors, which have no kind in the file.
constexpr const char *kStrings = "strings", *kSequence = "sequence", *kEmpty = "empty";

struct Entry {
  std::string name, kind, file;
  std::vector<int64_t> dims;
  int64_t flat_step = 1;
  std::vector<Entry> elements;  // of a sequence
  bool must_match = false;      // the model has to have the name
};

// The limit is as large as a million tensors need.
constexpr int64_t kMostIoBytes = int64_t{1} << 26;

std::string value_name(const char* prefix, size_t i) { return fmt::format("{}_{}", prefix, i); }

class IoFile {
 public:
  explicit IoFile(const std::string& directory) : directory_(directory), path_(directory + "/io.json") {
    const MappedFile file(path_, {.copy = true, .most_bytes = kMostIoBytes});
    root_ = parse_json_or_discard({file.content().data(), file.content().size()});
    if (!root_.is_object()) user_error("'{}' is not a JSON object", path_);
  }

  std::vector<Entry> entries(const char* list) const {
    const auto it = root_.find(list);
    if (it == root_.end() || (!it->is_array() && !it->is_object()))
      user_error(
          "'{0}': '{1}' is missing; expected \"{1}\": [\"FILE.npy\", ...] in the model's order, "
          "\"{1}\": {{\"NAME\": \"FILE.npy\", ...}}, or what `cppgen run --output` writes",
          path_, list);
    std::vector<Entry> result;
    for (const auto& [key, node] : it->items()) {
      result.push_back(entry(node, it->is_object() ? &key : nullptr));
      result.back().must_match = it->is_object();
    }
    return result;
  }

  std::string file(const Entry& entry) const { return directory_ + "/" + entry.file; }
  const std::string& path() const { return path_; }

 private:
  // A file name, or an object with details. `key` is the name before it, if there is one.
  Entry entry(const json& node, const std::string* key = nullptr, bool in_sequence = false) const {
    Entry entry;
    if (key) entry.name = *key;
    try {
      if (node.is_string()) {
        entry.file = node.get<std::string>();
        return checked(std::move(entry));
      }
      if (!in_sequence && !key) entry.name = node.at("name").get<std::string>();
      if (node.contains("kind")) entry.kind = node.at("kind").get<std::string>();
      if (!in_sequence && entry.kind == kSequence)
        for (const json& element : node.at("elements")) entry.elements.push_back(this->entry(element, nullptr, true));
      if (entry.kind == kSequence || entry.kind == kEmpty) return entry;
      entry.file = node.at("file").get<std::string>();
      if (node.contains("shape")) entry.dims = node.at("shape").get<std::vector<int64_t>>();
      if (node.contains("flat_step")) entry.flat_step = node.at("flat_step").get<int64_t>();
    } catch (const json::exception& error) {
      user_error("'{}': a tensor is malformed: {}", path_, error.what());
    }
    return checked(std::move(entry));
  }

  Entry checked(Entry entry) const {
    if (!is_plain_file_name(entry.file))
      user_error("'{}': '{}' is not the name of a file next to it", path_, entry.file);
    if (std::error_code error; !std::filesystem::exists(file(entry), error) && !error)
      user_error("'{}' names the file '{}', which does not exist", path_, entry.file);
    if (entry.flat_step < 1) user_error("'{}': the flat_step of '{}' is {}", path_, entry.name, entry.flat_step);
    return entry;
  }

  std::string directory_, path_;
  json root_;
};

std::string names_text(const std::vector<TensorInfo>& tensors) {
  std::string text;
  for (const TensorInfo& tensor : tensors) text += (text.empty() ? "'" : ", '") + tensor.name + "'";
  return text.empty() ? "none" : text;
}

// Entries in the order of the model: by name if it has all of these names, else in the order given.
std::vector<Entry> ordered(std::vector<Entry> entries, const std::vector<TensorInfo>& tensors) {
  std::vector<Entry> result(entries.size());
  for (Entry& entry : entries) {
    const auto it = std::find_if(tensors.begin(), tensors.end(), [&](const auto& t) { return t.name == entry.name; });
    if (it == tensors.end() && entry.must_match)
      user_error("io.json names '{}', which the model does not have; it has {}", entry.name, names_text(tensors));
    if (it == tensors.end() || size_t(it - tensors.begin()) >= result.size()) return entries;
    result[size_t(it - tensors.begin())] = entry;
  }
  const bool all = std::none_of(result.begin(), result.end(), [](const Entry& it) { return it.name.empty(); });
  return all ? result : entries;
}

json write_tensor(const std::string& directory, const std::string& name, const TensorView& tensor) {
  write_npy(directory + "/" + name + ".npy", tensor);
  return {{"file", name + ".npy"}, {"shape", std::vector<int64_t>(tensor.dims.begin(), tensor.dims.end())}};
}

json write_value(const std::string& directory, const std::string& name, const Value& value) {
  if (const Tensor* tensor = value.tensor()) return write_tensor(directory, name, tensor->view());
  if (const StringTensor* strings = value.strings()) {
    write_npy_strings(directory + "/" + name + ".npy", *strings);
    return {{"kind", kStrings}, {"file", name + ".npy"}, {"shape", strings->dims}};
  }
  if (value.is_empty()) return {{"kind", kEmpty}};
  json elements = json::array();
  for (size_t k = 0; k < value.sequence()->size(); k++)
    elements.push_back(write_value(directory, fmt::format("{}_{}", name, k), (*value.sequence())[k]));
  return {{"kind", kSequence}, {"elements", elements}};
}

json write_item(const std::string& directory, const std::string& name, const Tensor& tensor) {
  return write_tensor(directory, name, tensor.view());
}
json write_item(const std::string& directory, const std::string& name, const Value& value) {
  return write_value(directory, name, value);
}

template <class T>
json write_items(const std::string& directory, const char* prefix, const std::vector<TensorInfo>& infos,
                 std::span<const T> items) {
  json list = json::array();
  for (size_t i = 0; i < items.size(); i++) {
    json entry = write_item(directory, value_name(prefix, i), items[i]);
    entry["name"] = infos[i].name;
    list.push_back(std::move(entry));
  }
  return list;
}

template <class T>
void write_case(const std::string& directory, const Plan& plan, std::span<const T> inputs, std::span<const T> outputs) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) user_error("cannot create the directory '{}': {}", directory, error.message());
  const json root{{"inputs", write_items(directory, "in", plan.inputs, inputs)},
                  {"outputs", write_items(directory, "out", plan.outputs, outputs)}};
  const std::string path = directory + "/io.json";
  std::ofstream file(path, std::ios::binary);
  file << json_text(root, 1) << "\n";
  if (!file.flush()) user_error("cannot write '{}'", path);
}

void require_tensors(const IoFile& io, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries)
    if (!entry.kind.empty())
      user_error("'{}': '{}' is of the kind '{}', not a numeric tensor", io.path(), entry.name, entry.kind);
}

// The element type that reading the file requires, if any: see npy.h. `info` is null for a tensor that the model does
// not have.
std::optional<DType> told_type(const TensorInfo* info) {
  return info && needs_type_for_npy(info->type) ? std::optional(info->type) : std::nullopt;
}

Value read_value(const IoFile& io, const Entry& entry, const TensorInfo* info) {
  if (entry.kind.empty()) return read_npy(io.file(entry), told_type(info));
  if (entry.kind == kStrings) return read_npy_strings(io.file(entry));
  if (entry.kind == kEmpty) return {};
  if (entry.kind != kSequence)
    user_error("'{}': the kind of '{}' is '{}'; allowed are strings, sequence, empty", io.path(), entry.name,
               entry.kind);
  Value::Sequence elements;
  for (const Entry& element : entry.elements) elements.push_back(read_value(io, element, info));
  return Value(std::move(elements));
}

std::vector<Value> read_values(const IoFile& io, const char* list, const std::vector<TensorInfo>& infos) {
  std::vector<Value> values;
  for (const Entry& entry : ordered(io.entries(list), infos)) {
    if (entry.flat_step != 1)
      user_error("'{}': '{}' has a flat_step, but values of other kinds", io.path(), entry.name);
    values.push_back(read_value(io, entry, values.size() < infos.size() ? &infos[values.size()] : nullptr));
  }
  return values;
}

}  // namespace

std::string output_file_stem(size_t output) { return value_name("out", output); }

void write_test_case(const std::string& directory, const Plan& plan, std::span<const Tensor> inputs,
                     std::span<const Tensor> outputs) {
  write_case(directory, plan, inputs, outputs);
}

void write_value_case(const std::string& directory, const Plan& plan, std::span<const Value> inputs,
                      std::span<const Value> outputs) {
  write_case(directory, plan, inputs, outputs);
}

ValueCase read_value_case(const std::string& directory, const Plan& plan) {
  const IoFile io(directory);
  ValueCase values{read_values(io, "inputs", plan.inputs), read_values(io, "outputs", plan.outputs)};
  if (values.inputs.size() != plan.inputs.size())
    user_error("'{}' lists {} inputs; the model has {}", io.path(), values.inputs.size(), plan.inputs.size());
  return values;
}

TestCase read_test_case(const std::string& directory, const Plan& plan) {
  const IoFile io(directory);
  const auto inputs = ordered(io.entries("inputs"), plan.inputs),
             outputs = ordered(io.entries("outputs"), plan.outputs);
  require_tensors(io, inputs);
  require_tensors(io, outputs);
  if (inputs.size() != plan.inputs.size())
    user_error("'{}' lists {} inputs; the model has {}", io.path(), inputs.size(), plan.inputs.size());
  TestCase test;
  for (size_t i = 0; i < inputs.size(); i++) test.inputs.push_back(read_npy(io.file(inputs[i]), plan.inputs[i].type));
  for (size_t i = 0; i < outputs.size(); i++) {
    // The file's own type, so that a result of another type is reported as such; some types are not in the file.
    const TensorInfo* info = i < plan.outputs.size() ? &plan.outputs[i] : nullptr;
    ExpectedOutput expected{outputs[i].name, read_npy(io.file(outputs[i]), told_type(info)), outputs[i].dims,
                            outputs[i].flat_step};
    if (expected.flat_step == 1) expected.dims = expected.values.dims();
    test.outputs.push_back(std::move(expected));
  }
  return test;
}

}  // namespace cppgen::rt
