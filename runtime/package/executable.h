#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/abi/abi.h"
#include "runtime/base/setting_default.h"
#include "runtime/package/package_files.h"
#include "runtime/plan/module.h"
#include "runtime/plan/plan.h"

namespace cppgen::rt {

struct LoadOptions {
  // Check weights.bin only by its size, not by its hash: for packages in this user's own cache.
  bool trust_weights = false;
  // The package is in this user's own cache, whose files are written once and never changed: they are used in place.
  bool in_own_cache = false;
  // Functions that kernels call in place of those of their ISA, to test ISAs that this CPU lacks.
  const cppgen_runtime* services = nullptr;
  // The settings of the same names.
  std::optional<bool> force_mmap_weights = setting_default<SettingKind::tristate>("FORCE_MMAP_WEIGHTS");
  bool huge_pages = setting_default<SettingKind::boolean>("HUGE_PAGES");
  bool interleave_weights = false;  // NUMA_WEIGHTS
  // Read the costs of the steps, if the package states them: for profiles (ENABLE_KERNEL_PROFILE).
  bool costs = true;
  // If not empty, only versions may be chosen that need no more than one of these instruction sets (ISA).
  std::vector<std::string> isas = {};

  static LoadOptions from(const Settings&, bool trust_weights = false);
};

using KernelFunction = void (*)(const cppgen_kernel_args*, long begin, long end);

// A loaded package: plan, kernels, mapped weights. Immutable; shared by any number of sessions and threads.
class Executable {
 public:
  // Loads from a package for several ISAs (versions.h) what is for the best one that this machine supports and the
  // options permit. UserError naming the file, what was found and what is expected: not a package, other formats, an
  // ISA that this CPU lacks or that is not permitted, a missing, truncated or altered file, a kernel that its object
  // does not have.
  static std::shared_ptr<const Executable> load(const PackageFiles&, const LoadOptions& = {});
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  // For a module, this is its outline: its inputs and outputs, the steps of all its plans, then the host steps.
  const Plan& plan() const { return plan_; }
  // The module and the plans of a model with more than one plan; else null and empty.
  const Module* module() const { return module_ ? &*module_ : nullptr; }
  const std::vector<std::shared_ptr<const Executable>>& parts() const { return parts_; }
  // The version of the model for given sizes of symbols, which runs with these sizes take.
  struct Version {
    std::vector<std::pair<size_t, int64_t>> sizes;  // of symbols, by their positions in plan().symbols
    std::shared_ptr<const Executable> executable;
  };
  const std::vector<Version>& versions() const { return versions_; }
  // The position of the version for these values of the symbols: the one that fixes most of them, among these the
  // first; -1 if there is none.
  int64_t version_for(std::span<const int64_t> symbols) const;
  // "batch=8" or "general" if there are several, otherwise empty.
  const std::string& version() const { return version_; }
  // These are the texts in which the model's file describes the model; empty if the package does not tell.
  const std::vector<std::pair<std::string, std::string>>& metadata() const { return metadata_; }
  const std::string& directory() const { return files_.name(); }
  KernelFunction kernel(size_t step) const { return kernels_[step]; }  // null for library steps
  const char* weights() const { return weights_ ? weights_->data() : nullptr; }
  int64_t weights_bytes() const;  // of all parts and versions; what they share counts once
  const cppgen_runtime* runtime() const { return runtime_; }

 private:
  // The files that several parts and versions share, opened once.
  struct Shared {
    std::map<std::string, std::shared_ptr<const MappedFile>> weights;  // by their hash
    std::map<std::string, std::shared_ptr<void>> objects;              // by their path
  };

  explicit Executable(PackageFiles files) : files_(std::move(files)) {}
  static std::shared_ptr<Executable> load_one(const PackageFiles&, const struct Manifest&, const LoadOptions&, Shared&);
  void load_plan(const Manifest&, const std::string& file);
  void load_costs(const Manifest&, std::span<Plan* const> plans, const LoadOptions&) const;
  void load_module(const Manifest&, const LoadOptions&, Shared&);
  void load_part(const Manifest&, const std::string& plan_file, const std::string& weights_file, const LoadOptions&,
                 Shared&);
  void load_weights(const Manifest&, const std::string& file, const LoadOptions&, Shared&);
  std::shared_ptr<const MappedFile> read_weights(const struct ManifestFile&, const LoadOptions&) const;
  std::shared_ptr<void> load_object(const struct ManifestFile&, const std::string& seal, const LoadOptions&) const;
  void load_kernels(const Manifest&, const LoadOptions&, Shared&);
  void add_version(const struct VersionRow&, std::shared_ptr<Executable>);
  void note_weights(std::map<const void*, int64_t>& bytes) const;

  PackageFiles files_;
  std::vector<std::pair<std::string, std::string>> metadata_;
  Plan plan_;
  std::optional<Module> module_;
  std::vector<std::shared_ptr<const Executable>> parts_;
  std::vector<Version> versions_;
  std::string version_;
  std::shared_ptr<const MappedFile> weights_;   // null: none
  std::vector<std::shared_ptr<void>> handles_;  // of dlopen
  std::vector<KernelFunction> kernels_;
  const cppgen_runtime* runtime_ = nullptr;
};

}  // namespace cppgen::rt
