#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/abi/abi.h"
#include "runtime/base/settings.h"
#include "runtime/memory/mapping.h"
#include "runtime/plan/module.h"
#include "runtime/plan/plan.h"

namespace cppgen::rt {

struct LoadOptions {
  // Check weights.bin only by its size, not by its hash: for packages in this user's own cache.
  bool trust_weights = false;
  // Functions that kernels call in place of those of their ISA, to test ISAs that this CPU lacks.
  const cppgen_runtime* services = nullptr;
  // The settings of the same names.
  bool force_mmap_weights = setting_default<SettingId::force_mmap_weights>();
  bool huge_pages = setting_default<SettingId::huge_pages>();

  static LoadOptions from(const Settings&, bool trust_weights = false);
};

using KernelFunction = void (*)(const cppgen_kernel_args*, long begin, long end);

// A loaded package: plan, kernels, mapped weights. Immutable; shared by any number of sessions and threads.
class Executable {
 public:
  // UserError naming the file, what was found and what is expected: not a package, other versions, an ISA that this CPU
  // lacks, a missing, truncated or altered file, a kernel that its object does not have.
  static std::shared_ptr<const Executable> load(const std::string& directory, const LoadOptions& = {});
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  // For a module, this is its outline: its inputs and outputs, the steps of all its plans, then the host steps.
  const Plan& plan() const { return plan_; }
  // The module and the plans of a model with more than one plan; else null and empty.
  const Module* module() const { return module_ ? &*module_ : nullptr; }
  const std::vector<std::shared_ptr<const Executable>>& parts() const { return parts_; }
  const std::string& directory() const { return directory_; }
  KernelFunction kernel(size_t step) const { return kernels_[step]; }  // null for library steps
  const char* weights() const { return weights_.data(); }
  int64_t weights_bytes() const;
  const cppgen_runtime* runtime() const { return runtime_; }

 private:
  Executable() = default;
  void load_plan(const struct Manifest&, const std::string& file);
  void load_module(const Manifest&, const LoadOptions&);
  void load_part(const Manifest&, const std::string& plan_file, const std::string& weights_file, const LoadOptions&,
                 bool hash_kernels);
  void load_weights(const Manifest&, const std::string& file, const LoadOptions&);
  void load_kernels(const Manifest&, bool hash);

  std::string directory_;
  Plan plan_;
  std::optional<Module> module_;
  std::vector<std::shared_ptr<const Executable>> parts_;
  MappedFile weights_;
  std::vector<void*> handles_;  // of dlopen
  std::vector<KernelFunction> kernels_;
  const cppgen_runtime* runtime_ = nullptr;
};

}  // namespace cppgen::rt
