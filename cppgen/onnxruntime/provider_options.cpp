#include "cppgen/onnxruntime/provider_options.h"

#include <charconv>
#include <functional>
#include <memory>

namespace cppgen::ep {
namespace {

constexpr std::string_view kPrefix = "ep.cppgenexecutionprovider.";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

template <class Number>
Number number(const std::string& name, const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    throw Failure("cppgen: option " + name + " is '" + text + "'; allowed are numbers from 0", ort::kInvalidArgument);
  return value;
}

bool flag(const std::string& name, const std::string& text) {
  if (text != "0" && text != "1")
    throw Failure("cppgen: option " + name + " is '" + text + "'; allowed are 0 and 1", ort::kInvalidArgument);
  return text == "1";
}

void set_option(ProviderOptions& options, const std::string& name, const std::string& value) {
  if (name == "min_nodes")
    options.min_nodes = number<size_t>(name, value);
  else if (name == "min_milliseconds")
    options.min_milliseconds = number<double>(name, value);
  else if (name == "max_boundary")
    options.max_boundary = number<double>(name, value);
  else if (name == "sizes")
    options.sizes = split(value, ';');
  else if (name == "dims")
    options.dims = split(value, ',');
  else if (name == "custom_operators")
    options.custom_operators = split(value, ':');
  else
    options.settings[name] = value;
}

}  // namespace

ProviderOptions options_from(const std::vector<std::pair<std::string, std::string>>& entries) {
  ProviderOptions options;
  for (const auto& [name, value] : entries) {
    if (name.starts_with(kPrefix))
      set_option(options, name.substr(kPrefix.size()), value);
    else if (name == "ep.context_enable")
      options.store_context = flag(name, value);
    else if (name == "ep.context_embed_mode")
      options.embed_context = flag(name, value);
    else if (name == "ep.context_file_path")
      options.context_path = value;
    else if (name == "ep.context_node_name_prefix")
      options.context_prefix = value;
  }
  return options;
}

ProviderOptions read_options(const ort::Api& api, const ort::SessionOptions* options) {
  ort::KeyValuePairs* owned = nullptr;
  require(api, api.GetSessionOptionsConfigEntries(options, &owned));
  const std::unique_ptr<ort::KeyValuePairs, void (*)(ort::KeyValuePairs*)> pairs(owned, api.ReleaseKeyValuePairs);
  const char* const* names = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  api.GetKeyValuePairs(owned, &names, &values, &count);
  std::vector<std::pair<std::string, std::string>> entries;
  for (size_t i = 0; i < count; i++) entries.emplace_back(names[i], values[i]);
  return options_from(entries);
}

}  // namespace cppgen::ep
