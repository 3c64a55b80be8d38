#include "cppgen/flow/package/package_extras.h"

#include "runtime/base/log.h"

namespace cppgen {

PackageExtras::PackageExtras(const CompileRequest& request)
    : request_(request), standalone_(!request.output.empty() && request.settings.enable_standalone) {
  if (standalone_) find_standalone_program({});
}

void PackageExtras::note_units(const std::vector<CompileJob>& units, KernelBuilder& builder,
                               const CompileOptions& options) {
  if (request_.output.empty() || !request_.settings.use_cmake_compilation) return;
  project_ = make_cmake_project(units, builder, options.include_dir);
}

void PackageExtras::add_before_manifest(const std::string& package, const std::set<std::string>& functions) const {
  if (standalone_) add_standalone_program(find_standalone_program(functions), package);
  if (project_) write_cmake_project(*project_, package + "/sources");
}

void PackageExtras::add_after_manifest(const std::string& package) const {
  if (standalone_) add_standalone_sample(package, request_);
}

void PackageExtras::tell() const {
  if (standalone_) log_written("ENABLE_STANDALONE", request_.output + "/standalone");
  if (project_) log_written("USE_CMAKE_COMPILATION", request_.output + "/sources");
}

}  // namespace cppgen
