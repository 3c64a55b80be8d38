#include "runtime/package/executable.h"

#include <dlfcn.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <filesystem>

#include "isa/cpu_features.h"
#include "isa/vec_isa.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/settings.h"
#include "runtime/package/machine_support.h"
#include "runtime/package/metadata.h"
#include "runtime/package/object_file.h"
#include "runtime/package/package.h"
#include "runtime/package/seal.h"
#include "runtime/package/shared_weights.h"
#include "runtime/package/versions.h"
#include "runtime/plan/costs_json.h"
#include "runtime/threads/binding.h"
#include "runtime/threads/topology.h"

namespace cppgen::rt {
namespace {

const ManifestFile& listed(const Manifest& manifest, const PackageFiles& files, std::string_view name) {
  const ManifestFile* file = manifest.find(name);
  if (!file) user_error("package '{}': its manifest does not list '{}'", files.name(), name);
  return *file;
}

// Returns whether code for `isa` needs no more than one of these instruction sets. An unknown one fails later, with a
// reason.
bool is_permitted(const std::string& isa, const std::vector<std::string>& limits) {
  const VecISA* row = find_isa(isa);
  return !row || limits.empty() || std::any_of(limits.begin(), limits.end(), [&](const std::string& name) {
    const VecISA* limit = find_isa(name);
    return limit && limit->required.has_all(row->required);
  });
}

// The best ISA of the package's versions that this machine supports and the options permit, or the only one.
std::string chosen_isa(const Manifest& manifest, const std::vector<VersionRow>& rows, const std::string& package,
                       const LoadOptions& options) {
  std::vector<std::string> isas{manifest.isa};
  for (const VersionRow& row : rows)
    if (row.sizes.empty()) isas.push_back(row.isa);
  const std::string all = fmt::format("{}", fmt::join(isas, ", "));
  std::erase_if(isas, [&](const std::string& isa) { return !is_permitted(isa, options.isas); });
  if (isas.empty())
    user_error("package '{}' has {} {}, which ISA={} does not permit", package,
               rows.empty() ? "kernels for the ISA" : "versions for the ISAs", all, fmt::join(options.isas, ","));
  if (isas.size() == 1) return isas[0];
  const std::string best = best_isa_of(isas, usable_cpu_features());
  if (best.empty())
    user_error("package '{}' has versions for the ISAs {}, of which this machine supports none", package, all);
  return best;
}

// A file that becomes shorter while it is mapped ends the process that reads it, which no library may do to its
// application. So files are mapped where nobody changes them, and otherwise read.
bool maps_weights(const PackageFiles& files, const LoadOptions& options) {
  if (options.force_mmap_weights) return *options.force_mmap_weights;
  if (options.interleave_weights) return false;
  struct statvfs system;
  return options.in_own_cache ||
         (files.in_directory() && ::statvfs(files.name().c_str(), &system) == 0 && (system.f_flag & ST_RDONLY) != 0);
}

// Must be called before the first access, which decides where a page lies.
void interleave_over_nodes(std::span<char> memory) {
  if (!interleave_memory(memory.data(), memory.size(), current_thread_affinity()))
    log_warning("NUMA_WEIGHTS=interleave: the system refuses to place {} bytes of weights on all memory nodes",
                memory.size());
}

}  // namespace

LoadOptions LoadOptions::from(const Settings& settings, bool trust_weights) {
  LoadOptions options;
  options.trust_weights = trust_weights;
  options.force_mmap_weights = settings.force_mmap_weights;
  options.huge_pages = settings.huge_pages;
  options.interleave_weights = settings.numa_weights == "interleave";
  options.costs = settings.enable_kernel_profile;
  if (settings.isa != setting_default<SettingId::isa>()) options.isas = settings.isa;
  return options;
}

std::shared_ptr<const Executable> Executable::load(const PackageFiles& files, const LoadOptions& options) {
  const Manifest manifest = read_manifest(files);
  const std::vector<VersionRow> rows = read_versions(files, manifest);
  const std::string isa = chosen_isa(manifest, rows, files.name(), options);
  require_isa(isa, files.name());
  Shared shared;
  const auto version = [&](const VersionRow& row) {
    return load_one(version_files(files, row), read_manifest(files, row), options, shared);
  };
  std::shared_ptr<Executable> executable;
  if (manifest.isa == isa) executable = load_one(files, manifest, options, shared);
  for (const VersionRow& row : rows)
    if (row.isa == isa && row.sizes.empty()) executable = version(row);
  for (const VersionRow& row : rows)
    if (row.isa == isa && !row.sizes.empty()) executable->add_version(row, version(row));
  executable->metadata_ = read_metadata(files, manifest);
  log_debug("loaded package '{}' for {}: {} steps, {} versions, {} bytes of weights", files.name(), isa,
            executable->plan_.steps.size(), executable->versions_.size(), executable->weights_bytes());
  return executable;
}

std::shared_ptr<Executable> Executable::load_one(const PackageFiles& files, const Manifest& manifest,
                                                 const LoadOptions& options, Shared& shared) {
  std::error_code error;
  const std::shared_ptr<Executable> executable(new Executable(
      files.in_directory() ? PackageFiles(std::filesystem::absolute(files.name(), error).string()) : files));
  if (manifest.find(kModuleFile)) {
    executable->load_module(manifest, options, shared);
  } else {
    executable->load_part(manifest, std::string(kPlanFile), std::string(kWeightsFile), options, shared);
    Plan* const plan = &executable->plan_;
    executable->load_costs(manifest, {&plan, 1}, options);
  }
  return executable;
}

Executable::~Executable() = default;

void Executable::load_part(const Manifest& manifest, const std::string& plan_file, const std::string& weights_file,
                           const LoadOptions& options, Shared& shared) {
  load_plan(manifest, plan_file);
  load_weights(manifest, weights_file, options, shared);
  load_kernels(manifest, options, shared);
  if (options.services) runtime_ = options.services;
}

void Executable::load_module(const Manifest& manifest, const LoadOptions& options, Shared& shared) {
  const MappedFile file = open_package_json(files_, listed(manifest, files_, kModuleFile));
  module_ = module_from_json({file.data(), size_t(file.bytes())});
  if (module_->isa != manifest.isa)
    user_error("package '{}': the module is for ISA '{}', but the manifest says '{}'", directory(), module_->isa,
               manifest.isa);
  std::vector<Plan*> plans;
  for (int32_t i = 0; i < module_->plans; i++) {
    const std::shared_ptr<Executable> part(new Executable(files_));
    part->load_part(manifest, plan_file_name(i), weights_file_name(i), options, shared);
    parts_.push_back(part);
    plans.push_back(&part->plan_);
  }
  load_costs(manifest, plans, options);
  plan_ = outline_of(*module_, {plans.begin(), plans.end()});
}

void Executable::load_plan(const Manifest& manifest, const std::string& name) {
  const MappedFile file = open_package_json(files_, listed(manifest, files_, name));
  plan_ = plan_from_json({file.data(), size_t(file.bytes())});
  if (plan_.isa != manifest.isa)
    user_error("package '{}': the plan is for ISA '{}', but the manifest says '{}'", directory(), plan_.isa,
               manifest.isa);
  runtime_ = runtime_services(plan_.isa);
}

void Executable::load_costs(const Manifest& manifest, std::span<Plan* const> plans, const LoadOptions& options) const {
  const ManifestFile* file = options.costs ? manifest.find(kCostsFile) : nullptr;
  if (!file) return;
  const MappedFile content = open_package_json(files_, *file);
  if (!costs_from_json({content.data(), size_t(content.bytes())}, plans))
    log_info("package '{}': its costs are of another version of cppgen, so they are not read", directory());
}

void Executable::load_weights(const Manifest& manifest, const std::string& name, const LoadOptions& options,
                              Shared& shared) {
  if (plan_.weights_bytes == 0) return;
  const ManifestFile& file = listed(manifest, files_, name);
  if (file.bytes != plan_.weights_bytes)
    user_error("package '{}': '{}' has {} bytes, but the plan expects {}", directory(), name, file.bytes,
               plan_.weights_bytes);
  std::shared_ptr<const MappedFile>& weights = shared.weights[file.hash];
  if (!weights || weights->bytes() != file.bytes) weights = read_weights(file, options);
  weights_ = weights;
}

std::shared_ptr<const MappedFile> Executable::read_weights(const ManifestFile& file, const LoadOptions& options) const {
  const bool verified = !options.trust_weights, copy = !maps_weights(files_, options);
  MapOptions kind{.copy = copy, .huge_pages = options.huge_pages};
  if (options.interleave_weights && copy) kind.on_memory = interleave_over_nodes;
  if (options.interleave_weights && !copy)
    log_warning("NUMA_WEIGHTS=interleave has no effect on weights that FORCE_MMAP_WEIGHTS=1 maps");
  const auto read = [&] { return open_package_file(files_, file, verified, kind); };
  if (!copy || !files_.in_directory()) return std::make_shared<const MappedFile>(read());
  require_package_file(files_, file);
  return shared_weights(files_.path(file.name), file, verified, kind, read);
}

std::shared_ptr<void> Executable::load_object(const ManifestFile& file, const std::string& seal,
                                              const LoadOptions& options) const {
  require_package_file(files_, file);
  const ObjectFile object = files_.open_object(file.name, options.in_own_cache);
  check_package_file(files_, file, object.content());
  if (!has_seal(object.content(), seal))
    user_error(
        "package '{}': '{}' was not written together with the other files that the manifest lists: the plan or the "
        "weights belong to another package or were altered",
        directory(), file.name);
  return object.load();
}

void Executable::load_kernels(const Manifest& manifest, const LoadOptions& options, Shared& shared) {
  const std::string seal = seal_of(manifest.files);
  for (const std::string& name : plan_.objects) {
    std::shared_ptr<void>& loaded = shared.objects[files_.path(name)];
    if (!loaded) loaded = load_object(listed(manifest, files_, name), seal, options);
    handles_.push_back(loaded);
  }
  kernels_.assign(plan_.steps.size(), nullptr);
  for (size_t i = 0; i < plan_.steps.size(); i++) {
    const Step& step = plan_.steps[i];
    if (step.kind != StepKind::kernel) continue;
    void* symbol = dlsym(handles_[size_t(step.object)].get(), step.symbol().c_str());
    if (!symbol)
      user_error("package '{}': '{}' has no kernel '{}'", directory(), plan_.objects[size_t(step.object)],
                 step.symbol());
    kernels_[i] = reinterpret_cast<KernelFunction>(symbol);
  }
}

}  // namespace cppgen::rt
