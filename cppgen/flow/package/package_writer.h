#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cppgen/compile/compile_job.h"
#include "runtime/package/versions.h"
#include "runtime/plan/module.h"

namespace cppgen {

struct ModelPart;

// The parts of a compiled model that are written, or of a version of it.
struct PackageContent {
  const std::vector<ModelPart>& parts;
  const std::optional<rt::Module>& module;
  const std::vector<CompiledObject>& objects;
  rt::VersionRow row;  // empty for the package itself, except for its ISA
};

// Writes objects, weights and plans of a package and its versions, which follow it in the list, the manifests of the
// versions and their table; the package's own manifest is to be written last. Versions for one ISA share their weights.
// UserError if a file cannot be written.
void write_contents(const std::string& package, const std::vector<PackageContent>&, int threads);

}  // namespace cppgen
