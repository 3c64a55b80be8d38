#include "runtime/package/executable.h"

#include <dlfcn.h>

#include <filesystem>

#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/settings.h"
#include "runtime/package/machine_support.h"
#include "runtime/package/package.h"
#include "runtime/package/seal.h"

namespace cppgen::rt {
namespace {

const ManifestFile& listed(const Manifest& manifest, const std::string& directory, std::string_view name) {
  const ManifestFile* file = manifest.find(name);
  if (!file) user_error("package '{}': its manifest does not list '{}'", directory, name);
  return *file;
}

}  // namespace

LoadOptions LoadOptions::from(const Settings& settings, bool trust_weights) {
  LoadOptions options;
  options.trust_weights = trust_weights;
  options.force_mmap_weights = settings.force_mmap_weights;
  options.huge_pages = settings.huge_pages;
  return options;
}

std::shared_ptr<const Executable> Executable::load(const std::string& directory, const LoadOptions& options) {
  const Manifest manifest = read_manifest(directory);
  require_isa(manifest.isa, directory);
  const std::shared_ptr<Executable> executable(new Executable);
  std::error_code error;
  executable->directory_ = std::filesystem::absolute(directory, error).string();
  if (manifest.find(kModuleFile)) {
    executable->load_module(manifest, options);
  } else {
    executable->load_part(manifest, std::string(kPlanFile), std::string(kWeightsFile), options, true);
  }
  log_debug("loaded package '{}': {} steps, {} bytes of weights", directory, executable->plan_.steps.size(),
            executable->weights_.bytes());
  return executable;
}

Executable::~Executable() {
  for (void* handle : handles_) dlclose(handle);
}

void Executable::load_part(const Manifest& manifest, const std::string& plan_file, const std::string& weights_file,
                           const LoadOptions& options, bool hash_kernels) {
  load_plan(manifest, plan_file);
  load_weights(manifest, weights_file, options);
  load_kernels(manifest, hash_kernels);
  if (options.services) runtime_ = options.services;
}

void Executable::load_module(const Manifest& manifest, const LoadOptions& options) {
  const MappedFile file = open_package_file(directory_, listed(manifest, directory_, kModuleFile), true);
  module_ = module_from_json({file.data(), size_t(file.bytes())});
  if (module_->isa != manifest.isa)
    user_error("package '{}': the module is for ISA '{}', but the manifest says '{}'", directory_, module_->isa,
               manifest.isa);
  for (int32_t i = 0; i < module_->plans; i++) {
    const std::shared_ptr<Executable> part(new Executable);
    part->directory_ = directory_;
    part->load_part(manifest, plan_file_name(i), weights_file_name(i), options,
                    i == 0);  // they share the kernels' files
    parts_.push_back(part);
  }
  std::vector<const Plan*> plans;
  for (const auto& part : parts_) plans.push_back(&part->plan());
  plan_ = outline_of(*module_, plans);
}

int64_t Executable::weights_bytes() const {
  int64_t bytes = weights_.bytes();
  for (const auto& part : parts_) bytes += part->weights_bytes();
  return bytes;
}

void Executable::load_plan(const Manifest& manifest, const std::string& name) {
  const MappedFile file = open_package_file(directory_, listed(manifest, directory_, name), true);
  plan_ = plan_from_json({file.data(), size_t(file.bytes())});
  if (plan_.isa != manifest.isa)
    user_error("package '{}': the plan is for ISA '{}', but the manifest says '{}'", directory_, plan_.isa,
               manifest.isa);
  runtime_ = runtime_services(plan_.isa);
}

void Executable::load_weights(const Manifest& manifest, const std::string& name, const LoadOptions& options) {
  if (plan_.weights_bytes == 0) return;
  const ManifestFile& file = listed(manifest, directory_, name);
  if (file.bytes != plan_.weights_bytes)
    user_error("package '{}': '{}' has {} bytes, but the plan expects {}", directory_, name, file.bytes,
               plan_.weights_bytes);
  weights_ = open_package_file(directory_, file, !options.trust_weights,
                               {.copy = !options.force_mmap_weights, .huge_pages = options.huge_pages});
}

void Executable::load_kernels(const Manifest& manifest, bool hash) {
  const std::string seal = seal_of(manifest.files);
  for (const std::string& name : plan_.objects) {
    const MappedFile object = open_package_file(directory_, listed(manifest, directory_, name), hash);
    if (!has_seal(object.content(), seal))
      user_error(
          "package '{}': '{}' was not written together with the other files that the manifest lists: the plan or the "
          "weights belong to another package or were altered",
          directory_, name);
    const std::string path = directory_ + "/" + name;
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) user_error("package '{}': cannot load '{}': {}", directory_, name, dlerror());
    handles_.push_back(handle);
  }
  kernels_.assign(plan_.steps.size(), nullptr);
  for (size_t i = 0; i < plan_.steps.size(); i++) {
    const Step& step = plan_.steps[i];
    if (step.kind != StepKind::kernel) continue;
    void* symbol = dlsym(handles_[size_t(step.object)], step.name.c_str());
    if (!symbol)
      user_error("package '{}': '{}' has no kernel '{}'", directory_, plan_.objects[size_t(step.object)], step.name);
    kernels_[i] = reinterpret_cast<KernelFunction>(symbol);
  }
}

}  // namespace cppgen::rt
