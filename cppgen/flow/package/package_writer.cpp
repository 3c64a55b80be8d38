#include "cppgen/flow/package/package_writer.h"

#include <map>

#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/package/united_weights.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/package/package.h"

namespace cppgen {
namespace {

// A folder in the making, with plans whose constants move when weights are united.
struct Folder {
  const PackageContent& content;
  std::string path;
  std::vector<rt::Plan> plans;
};

Folder make_folder(const std::string& package, const PackageContent& content, int threads) {
  Folder folder{content, content.row.folder.empty() ? package : rt::version_directory(package, content.row), {}};
  if (int e = make_directories(folder.path)) user_error("{}: cannot be created: {}", folder.path, error_text(e));
  for (const CompiledObject& o : content.objects)
    if (int e = write_file(folder.path + "/" + o.name + ".so", read_object(o)))
      user_error("{}/{}.so: cannot be written: {}", folder.path, o.name, error_text(e));
  write_weights(folder.path, content.parts, content.module.has_value(), threads);
  for (const ModelPart& part : content.parts) folder.plans.push_back(part.plan.plan);
  return folder;
}

// Those of all versions: most layouts are the same for all instruction sets (runtime/contraction/formats.h).
void unite_weights(std::vector<Folder>& folders) {
  std::map<std::string, std::vector<package::WrittenWeights>> files;  // by name
  for (Folder& folder : folders)
    for (size_t i = 0; i < folder.plans.size(); i++) {
      const std::string name = weights_file_of(folder.content.module.has_value(), i);
      files[name].push_back({folder.path + "/" + name, &folder.content.parts[i].plan.weights, &folder.plans[i]});
    }
  for (const auto& [name, list] : files) package::unite_weights(list);
}

}  // namespace

void write_contents(const std::string& package, const std::vector<PackageContent>& contents, int threads) {
  std::vector<Folder> folders;
  for (const PackageContent& content : contents) folders.push_back(make_folder(package, content, threads));
  unite_weights(folders);
  std::vector<rt::VersionRow> rows;
  for (const Folder& folder : folders) {
    write_plans(folder.path, folder.plans, folder.content.module);
    if (folder.content.row.folder.empty()) continue;
    rt::write_manifest(folder.path, folder.content.row.isa);
    rows.push_back(folder.content.row);
  }
  if (!rows.empty()) rt::write_versions(package, rows);
}

}  // namespace cppgen
