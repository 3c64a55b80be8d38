#include "cppgen/emit/emit.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "cppgen/emit/model_text.h"
#include "cppgen/emit/object_build.h"
#include "cppgen/emit/project.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/package/package_output.h"
#include "cppgen/report/compile_json.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/litter.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"
#include "runtime/package/package.h"

namespace cppgen::emit {
namespace {

namespace fs = std::filesystem;

OutputKind output_kind(const EmitRequest& request) {
  return {request.kind == EmitKind::cmake ? "CMakeLists.txt" : "cppgen_model.txt", "model of --emit"};
}

void move_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) user_error("{}: cannot be written: {}", to, error_text(errno));
}

int64_t bytes_of(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? report::size_of_directory(path) : int64_t(fs::file_size(path, error));
}

class Emission {
 public:
  explicit Emission(const EmitRequest& request)
      : request_(request), work_(parent_of_output(request.output), "cppgen-emit.") {}

  Emitted run() {
    const double start = StageClock::now();
    require_binutils();
    CompiledModel model = compile();
    const rt::Plan plan = rt::plan_from_json(read_file(model.package + "/" + std::string(rt::kPlanFile)));
    const double compiled = StageClock::now();
    write(plan, model.package, model.report);
    model.report.stages.emplace_back("emit", StageClock::now() - compiled);
    model.report.total_s = StageClock::now() - start;
    return {model.report, model.sources, bytes_of(request_.output)};
  }

 private:
  const EmitRequest& request_;
  const TempDirectory work_;
  std::vector<CompileJob> kernels_;

  std::string folder(const char* name) const { return work_.path() + "/" + name; }

  // A package with a plan and weights, but without objects.
  CompiledModel compile() {
    CompileRequest request = request_.compile;
    request.output = folder("package");
    request.settings.prebuilt_tiles = false;  // code that needs no runtime contains its tiles
    request.before_kernels = require_emittable;
    request.instead_of_compiler = [this](const std::vector<CompileJob>& kernels) { kernels_ = kernels; };
    return compile_model(request);
  }

  void write(const rt::Plan& plan, const std::string& package, CompileReport& report) {
    const CompileOptions options = compile_options(request_.compile);
    KernelBuilder builder(options);
    const ModelOptions model{plan.isa, request_.compile.settings.flush_denormals,
                             request_.compile.settings.min_chunk_size};
    const Project project = make_project(ModelNames(request_.name, plan), plan, model, kernels_, builder);
    const std::string sources = folder("sources");
    write_project(project, options.include_dir, sources);
    if (plan.weights_bytes > 0)
      move_file(package + "/" + std::string(rt::kWeightsFile), sources + "/" + std::string(rt::kWeightsFile));
    ObjectBuild build(options, sources);
    if (project.needs_library) build.write_library_object(request_.name);
    if (request_.kind == EmitKind::cmake) return write_sources(project, sources);
    build_project(project, sources, build, report);
  }

  void write_sources(const Project& project, const std::string& sources) {
    write(sources + "/CMakeLists.txt", cmake_lists(project));
    move_to_output(sources, request_.output, output_kind(request_));
  }

  void build_project(const Project& project, const std::string& sources, ObjectBuild& build, CompileReport& report) {
    std::vector<Project::Unit> units = project.units;
    if (request_.kind == EmitKind::executable)
      units.insert(units.end(), project.program.begin(), project.program.end());
    std::vector<std::string> objects = build.compile(units, project.headers_hash);
    report.units = int(units.size());
    report.cached_units = build.cached();
    if (project.needs_library) objects.emplace_back(kLibraryObject);
    if (request_.kind == EmitKind::executable) {
      build.link(objects, "program");
      return move_file(sources + "/program", request_.output);
    }
    const std::string header = request_.name + ".h", library = "lib" + request_.name + ".a", result = folder("library");
    build.archive(objects, library);
    if (const int error = make_directories(result)) user_error("{}: cannot be created: {}", result, error_text(error));
    for (const std::string& file : {header, library}) move_file(sources + "/" + file, result + "/" + file);
    write(result + "/" + std::string(output_kind(request_).marker), about());
    move_to_output(result, request_.output, output_kind(request_));
  }

  std::string about() const {
    return fmt::format("The model {0}: link lib{0}.a with -lm -pthread; the functions are in {0}.h.\n", request_.name);
  }

  static void write(const std::string& path, const std::string& text) {
    if (const int error = write_file(path, text)) user_error("{}: cannot be written: {}", path, error_text(error));
  }
};

}  // namespace

std::optional<EmitKind> emit_kind(std::string_view text) {
  const auto found = std::find(std::begin(kEmitKinds), std::end(kEmitKinds), text);
  if (found == std::end(kEmitKinds)) return std::nullopt;
  return EmitKind(found - std::begin(kEmitKinds));
}

void check_emit_output(const EmitRequest& request) {
  if (request.output.empty())
    user_error("--emit needs -o, {}", request.kind == EmitKind::executable ? "the file of the program" : "a folder");
  if (request.kind != EmitKind::executable) return check_output(request.output, output_kind(request));
  struct stat st;
  if (::lstat(request.output.c_str(), &st) == 0 && !S_ISREG(st.st_mode))
    user_error("-o {}: it exists and is not a file, as --emit executable writes", request.output);
  require_output_folder(fs::absolute(request.output).parent_path().string(), "-o: the folder of the program");
}

Emitted emit_model(const EmitRequest& request) { return Emission(request).run(); }

}  // namespace cppgen::emit
