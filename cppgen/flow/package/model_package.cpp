#include "cppgen/flow/package/model_package.h"

#include <algorithm>

#include "cppgen/flow/compile/model_build.h"
#include "cppgen/flow/compile/tuning_results.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/package/metadata.h"
#include "runtime/package/package.h"

namespace cppgen {
namespace {

// Writes the results of tunings of the model and of all its versions into the package.
void bundle_tunings(const std::string& dir, const ModelBuild& model, const std::vector<BuiltVersion>& versions) {
  std::string lines = model.tuning_lines();
  for (const BuiltVersion& version : versions) lines += version.build->tuning_lines();
  if (lines.empty()) return;
  const std::string file = dir + "/" + kBundledResults;
  if (const int e = write_file(file, lines)) user_error("{}: cannot be written: {}", file, error_text(e));
}

void add_extras(const std::string& dir, const ModelBuild& build) {
  build.extras().add_before_manifest(dir, called_functions(build.parts(), build.module()));
}

}  // namespace

void write_model_package(const std::string& dir, ModelBuild& model, const std::vector<BuiltVersion>& versions) {
  model.clock().time("weights", [&] {
    std::vector<PackageContent> contents{model.content({})};
    for (const BuiltVersion& version : versions) contents.push_back(version.build->content(version.row));
    write_contents(dir, contents, int(std::clamp<int64_t>(model.options().compile_threads, 1, 8)));
    model.files().check_unchanged();
    add_extras(dir, model);
    bundle_tunings(dir, model, versions);
    const auto& metadata = model.files().record().metadata;
    if (!metadata.empty()) rt::write_metadata(dir, metadata);
    for (const BuiltVersion& version : versions) add_extras(rt::version_directory(dir, version.row), *version.build);
    rt::write_manifest(dir, std::string(model.isa().name));
  });
  model.extras().add_after_manifest(dir);
}

}  // namespace cppgen
