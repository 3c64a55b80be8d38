#include "cppgen/onnxruntime/context_node.h"

#include <filesystem>
#include <limits>

#include "cppgen/onnxruntime/archive.h"

namespace cppgen::ep {
namespace {

namespace fs = std::filesystem;

constexpr char kType[] = "EPContext", kDomain[] = "com.microsoft";

bool leads_out(const fs::path& path) {
  if (path.empty() || path.is_absolute()) return true;
  for (const fs::path& part : path)
    if (part == "..") return true;
  return false;
}

// The folder that paths of packages are relative to: that of the EPContext model.
fs::path model_folder(const ort::Api& api, const ort::Graph* graph, const ProviderOptions& options) {
  const char* path = member(api, api.Graph_GetModelPath, graph);
  if (path && *path) return fs::path(path).parent_path();
  return fs::path(options.context_path).parent_path();
}

LoadedPackage loaded(std::function<std::shared_ptr<Session>(const Options&)> load, const Options& run_options) {
  std::shared_ptr<Session> session = load(run_options);
  return {std::move(load), std::move(session)};
}

LoadedPackage load_embedded(const std::string& bytes, const Options& run_options) {
  const auto load = [memory = aligned_copy(bytes), size = bytes.size()](const Options& options) {
    return std::make_shared<Session>(files_in(memory.get(), size).files, options);
  };
  return loaded(load, run_options);
}

// The path of the EPContext model that is being stored, as ONNX Runtime chooses it.
fs::path stored_path(const ProviderOptions& options, const std::string& model_path) {
  if (!options.context_path.empty()) return options.context_path;
  if (model_path.empty()) throw Failure("cppgen: an EPContext model of a model in memory needs ep.context_file_path");
  const fs::path path(model_path);
  return path.parent_path() / (path.stem().string() + "_ctx.onnx");
}

// Copies a package next to the EPContext model and returns its path relative to that.
std::string copy_package(const Claim& claim, const fs::path& model, const std::string& name) {
  const std::string copy = model.stem().string() + "_" + name + ".package";
  const fs::path target = model.parent_path() / copy;
  fs::remove_all(target);
  fs::copy(claim.folder, target, fs::copy_options::recursive);
  return copy;
}

// Attributes of a node that is being made.
class Attributes {
 public:
  explicit Attributes(const ort::Api& api) : api_(api) {}
  Attributes(const Attributes&) = delete;
  ~Attributes() {
    for (ort::Attribute* attribute : list_) api_.ReleaseOpAttr(attribute);
  }
  void add(const char* name, const std::string& text) {
    if (text.size() > size_t(std::numeric_limits<int>::max()))
      throw Failure("cppgen: the package is too large to be embedded: set ep.context_embed_mode to 0");
    add(name, text.data(), int(text.size()), ort::kString);
  }
  void add(const char* name, int64_t value) { add(name, &value, 1, ort::kInt); }
  std::vector<ort::Attribute*>& list() { return list_; }

 private:
  void add(const char* name, const void* data, int length, ort::AttributeType type) {
    ort::Attribute* made = nullptr;
    require(api_, api_.CreateOpAttr(name, data, length, type, &made));
    list_.push_back(made);
  }
  const ort::Api& api_;
  std::vector<ort::Attribute*> list_;
};

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> list;
  for (const std::string& name : names) list.push_back(name.c_str());
  return list;
}

}  // namespace

bool is_context_node(const ort::Api& api, const GraphNode& node) {
  return node.type == kType && node.domain == kDomain && !node.taken &&
         text_attribute(api, node.handle, "source") == kProviderName;
}

Claim context_claim(const GraphData& graph, size_t node) {
  Claim claim;
  claim.nodes = {node};
  claim.inputs = graph.nodes[node].inputs;
  claim.outputs = graph.nodes[node].outputs;
  return claim;
}

LoadedPackage load_context(const ort::Api& api, const ort::Graph* graph, const ProviderOptions& options,
                           const Options& run_options) {
  const GraphData data = read_graph(api, graph);
  const GraphNode& node = data.nodes.at(0);
  const std::string stored = text_attribute(api, node.handle, "ep_cache_context");
  if (integer_attribute(api, node.handle, "embed_mode", 1) != 0) return load_embedded(stored, run_options);
  if (leads_out(stored))
    throw Failure("cppgen: node '" + node.name + "' names the package '" + stored +
                  "'; allowed are relative paths in the folder of the model");
  const std::string path = (model_folder(api, graph, options) / stored).string();
  return loaded([path](const Options& used) { return std::make_shared<Session>(path, used); }, run_options);
}

ort::Node* make_context_node(const ort::Api& api, const ProviderOptions& options, const Claim& claim,
                             const std::string& name, const std::string& model_path) {
  const fs::path model = stored_path(options, model_path);
  Attributes attributes(api);
  attributes.add("main_context", 1);
  attributes.add("embed_mode", int64_t(options.embed_context));
  attributes.add("source", std::string(kProviderName));
  attributes.add("ep_sdk_version", std::string(cppgen_version()));
  attributes.add("partition_name", name);
  attributes.add("ep_cache_context",
                 options.embed_context ? archive_of(claim.folder) : copy_package(claim, model, name));
  const std::vector<const char*> inputs = pointers(claim.inputs), outputs = pointers(claim.outputs);
  ort::Node* node = nullptr;
  require(api, api.GetModelEditorApi()->CreateNode(kType, kDomain, (options.context_prefix + name).c_str(),
                                                   inputs.data(), inputs.size(), outputs.data(), outputs.size(),
                                                   attributes.list().data(), attributes.list().size(), &node));
  return node;
}

}  // namespace cppgen::ep
