#include <nlohmann/json.hpp>

#include "cppgen/flow/package/package_output.h"
#include "cppgen/library/c_request.h"
#include "cppgen/library/guarded.h"
#include "cppgen/library/tuning.h"
#include "cppgen/report/compile_json.h"
#include "runtime/base/json_text.h"
#include "runtime/base/log.h"
#include "runtime/package/package.h"
#include "runtime/package/versions.h"

using namespace cppgen;
using namespace cppgen::library;

struct cppgen_package {
  CompiledModel model;
  std::string report;
};

namespace {

// "avx2,avx512" of a package with versions for several instruction sets.
std::string isas_of(const std::string& package) {
  const rt::Manifest manifest = rt::read_manifest(package);
  std::string isas = manifest.isa;
  for (const rt::VersionRow& row : rt::read_versions(package, manifest))
    if (row.sizes.empty()) isas += "," + row.isa;
  return isas;
}

// UserError if a file of the package is missing or altered. Weights that are trusted are compared by their size.
void require_whole(const std::string& directory, const rt::Manifest& manifest, bool trusted) {
  for (const rt::ManifestFile& file : manifest.files)
    rt::open_package_file(directory, file, !trusted || !file.name.ends_with(".bin"), {});
}

void require_whole(const CompiledModel& model) {
  const rt::Manifest manifest = rt::read_manifest(model.package);
  require_whole(model.package, manifest, model.trusted);
  for (const rt::VersionRow& row : rt::read_versions(model.package, manifest)) {
    const std::string version = rt::version_directory(model.package, row);
    require_whole(version, rt::read_manifest(version), model.trusted);
  }
}

CompiledModel compile(const cppgen_request& asked, CompileRequest request, const char* output) {
  if (request.settings.force_native_runtime) user_error("compiling makes kernels: remove FORCE_NATIVE_RUNTIME");
  if (output) {
    request.output = output;
    if (request.output.empty()) user_error("the path of the package is empty");
    check_output(request.output);
  }
  prepare_tunings(asked, request.settings, *request.cancel);
  CompiledModel model = compile_model(request);
  if (!model.report.from_cache) return model;
  try {
    require_whole(model);
    model.report.isa = isas_of(model.package);
  } catch (const UserError& error) {
    log_info("the cached package is damaged and is compiled again: {}", error.what());
    request.replace = true;
    model = compile_model(request);
  }
  return model;
}

}  // namespace

cppgen_status cppgen_compile(const cppgen_request* request, const char* output, cppgen_package** package,
                             cppgen_error* error) {
  if (package) *package = nullptr;
  return guarded(error, [&] {
    require_argument(request, "request");
    require_argument(package, "package");
    auto made = std::make_unique<cppgen_package>();
    made->model =
        with_request(*request, [&](CompileRequest compiled) { return compile(*request, std::move(compiled), output); });
    made->report = json_text(report::compile_json(request->model, made->model.package, made->model.report), 2);
    *package = made.release();
  });
}

void cppgen_package_free(cppgen_package* package) { delete package; }
const char* cppgen_package_path(const cppgen_package* package) { return package ? package->model.package.c_str() : ""; }
const char* cppgen_package_report(const cppgen_package* package) { return package ? package->report.c_str() : ""; }
int cppgen_package_is_trusted(const cppgen_package* package) { return package && package->model.trusted; }
