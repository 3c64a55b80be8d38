#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cppgen::package {

// Whole compiled models by what they were made from, below "<cache_dir>/models/<model key>/<weights key>/": a package
// each. The model key covers the .onnx file and everything that changes its code; the weights key the external data
// files that it refers to, whose names are kept beside the packages. So a warm start hashes files and parses nothing.
class ModelCache {
 public:
  // `folder`: where the model's external files are.
  ModelCache(const std::string& cache_dir, const std::string& model_key, std::string folder);

  // The package, if a complete one for the present content of all files exists.
  std::optional<std::string> find() const;
  // Whether weights.bin of a found package may be trusted by its size: it was written since this machine started, so no
  // power failure can have lost part of it.
  static bool is_settled(const std::string& package);

  // Publishes a package: `write` fills a new directory, which is then renamed into place. `external` are the files that
  // the model refers to, relative to its folder. Returns the package's place; nullopt if the cache cannot be written.
  std::optional<std::string> publish(const std::vector<std::string>& external,
                                     const std::function<void(const std::string&)>& write, bool replace);

 private:
  std::string root_, folder_;
  std::optional<std::string> weights_key(const std::vector<std::string>& external) const;
};

}  // namespace cppgen::package
