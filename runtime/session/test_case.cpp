#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/base/errors.h"
#include "runtime/session/npy.h"
#include "runtime/session/package.h"
#include "runtime/session/verify.h"

namespace cppgen::rt {
namespace {

using nlohmann::json;

struct Entry {
  std::string name, file;
  std::vector<int64_t> dims;
  int64_t flat_step = 1;
};

std::string file_name(const char* prefix, size_t i) { return fmt::format("{}_{}.npy", prefix, i); }

class IoFile {
 public:
  explicit IoFile(const std::string& directory) : directory_(directory), path_(directory + "/io.json") {
    const MappedFile file(path_);
    root_ = json::parse(file.content().begin(), file.content().end(), nullptr, false);
    if (!root_.is_object()) user_error("'{}' is not a JSON object", path_);
  }

  std::vector<Entry> entries(const char* list) const {
    const auto it = root_.find(list);
    if (it == root_.end() || !it->is_array()) user_error("'{}': the list '{}' is missing", path_, list);
    std::vector<Entry> result;
    for (const json& node : *it) result.push_back(entry(node));
    return result;
  }

  std::string file(const Entry& entry) const { return directory_ + "/" + entry.file; }
  const std::string& path() const { return path_; }

 private:
  Entry entry(const json& node) const {
    Entry entry;
    try {
      entry.name = node.at("name").get<std::string>();
      entry.file = node.at("file").get<std::string>();
      if (node.contains("shape")) entry.dims = node.at("shape").get<std::vector<int64_t>>();
      if (node.contains("flat_step")) entry.flat_step = node.at("flat_step").get<int64_t>();
    } catch (const json::exception& error) {
      user_error("'{}': a tensor is malformed: {}", path_, error.what());
    }
    if (!is_plain_file_name(entry.file))
      user_error("'{}': '{}' is not the name of a file beside it", path_, entry.file);
    if (entry.flat_step < 1) user_error("'{}': the flat_step of '{}' is {}", path_, entry.name, entry.flat_step);
    return entry;
  }

  std::string directory_, path_;
  json root_;
};

// Entries in the order of the model: by name if it has all of these names, else as they stand.
std::vector<Entry> ordered(std::vector<Entry> entries, const std::vector<TensorInfo>& tensors) {
  std::vector<Entry> result(entries.size());
  for (Entry& entry : entries) {
    const auto it = std::find_if(tensors.begin(), tensors.end(), [&](const auto& t) { return t.name == entry.name; });
    if (it == tensors.end() || size_t(it - tensors.begin()) >= result.size()) return entries;
    result[size_t(it - tensors.begin())] = entry;
  }
  const bool all = std::none_of(result.begin(), result.end(), [](const Entry& it) { return it.file.empty(); });
  return all ? result : entries;
}

json write_tensors(const std::string& directory, const char* prefix, const std::vector<TensorInfo>& infos,
                   std::span<const Tensor> tensors) {
  json list = json::array();
  for (size_t i = 0; i < tensors.size(); i++) {
    const std::string file = file_name(prefix, i);
    write_npy(directory + "/" + file, tensors[i].view());
    list.push_back({{"name", infos[i].name}, {"file", file}, {"shape", tensors[i].dims()}});
  }
  return list;
}

}  // namespace

std::string output_file_name(size_t output) { return file_name("out", output); }

void write_test_case(const std::string& directory, const Plan& plan, std::span<const Tensor> inputs,
                     std::span<const Tensor> outputs) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) user_error("cannot make the directory '{}': {}", directory, error.message());
  const json root{{"inputs", write_tensors(directory, "in", plan.inputs, inputs)},
                  {"outputs", write_tensors(directory, "out", plan.outputs, outputs)}};
  const std::string path = directory + "/io.json";
  std::ofstream file(path, std::ios::binary);
  file << root.dump(1, ' ', false, json::error_handler_t::replace) << "\n";
  if (!file.flush()) user_error("cannot write '{}'", path);
}

TestCase read_test_case(const std::string& directory, const Plan& plan) {
  const IoFile io(directory);
  const auto inputs = ordered(io.entries("inputs"), plan.inputs),
             outputs = ordered(io.entries("outputs"), plan.outputs);
  if (inputs.size() != plan.inputs.size())
    user_error("'{}' lists {} inputs; the model has {}", io.path(), inputs.size(), plan.inputs.size());
  TestCase test;
  for (size_t i = 0; i < inputs.size(); i++) test.inputs.push_back(read_npy(io.file(inputs[i]), plan.inputs[i].type));
  for (size_t i = 0; i < outputs.size(); i++) {
    // The file's own type, so that a result of another type is reported as such; some types must be told.
    const bool told = i < plan.outputs.size() && needs_type_for_npy(plan.outputs[i].type);
    ExpectedOutput expected{outputs[i].name,
                            read_npy(io.file(outputs[i]), told ? std::optional(plan.outputs[i].type) : std::nullopt),
                            outputs[i].dims, outputs[i].flat_step};
    if (expected.flat_step == 1) expected.dims = expected.values.dims();
    test.outputs.push_back(std::move(expected));
  }
  return test;
}

}  // namespace cppgen::rt
