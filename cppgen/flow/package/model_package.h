#pragma once
#include <string>
#include <vector>

#include "runtime/package/versions.h"

namespace cppgen {

class ModelBuild;

// A version of a model, and its row in the table of versions.
struct BuiltVersion {
  const ModelBuild* build;
  rt::VersionRow row;
};

// Writes everything that the package of a model and its versions contains. Throws ChangedFiles if the model's files are
// no longer those that it was built from.
void write_model_package(const std::string& dir, ModelBuild& model, const std::vector<BuiltVersion>& versions);

}  // namespace cppgen
