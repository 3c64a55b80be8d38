#include "cppgen/flow/package/standalone.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/subprocess.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/package/standalone.h"
#include "runtime/plan/sample_sizes.h"
#include "runtime/plugins/plugins.h"
#include "runtime/session/session.h"
#include "runtime/values/random_inputs.h"
#include "runtime/values/test_case.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

bool is_of_glibc(const std::string& library) {
  constexpr std::string_view kNames[] = {"ld-linux", "linux-vdso", "libc.",       "libm.",      "libmvec.", "libdl.",
                                         "librt.",   "libutil.",   "libpthread.", "libresolv.", "libnsl.",  "libanl."};
  return std::any_of(std::begin(kNames), std::end(kNames), [&](auto name) { return library.starts_with(name); });
}

// The paths in lines "libz.so.1 => /lib/libz.so.1 (0x7f...)", as the loader prints them.
std::vector<std::string> paths_of_libraries(const std::string& lines, const std::string& program) {
  std::vector<std::string> paths;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    const size_t arrow = line.find(" => "), name = line.find_first_not_of(" \t");
    if (arrow == line.npos || is_of_glibc(line.substr(name))) continue;
    const std::string path = line.substr(arrow + 4, line.rfind(" (") - arrow - 4);
    if (!path.starts_with('/')) user_error("ENABLE_STANDALONE: '{}' lacks a library: {}", program, line.substr(name));
    paths.push_back(path);
  }
  return paths;
}

void copy(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::copy_file(from, to, error);  // of links, what they lead to
  if (error) user_error("ENABLE_STANDALONE: cannot copy '{}' to '{}': {}", from, to, error.message());
}

void run_and_store(rt::Session& session, int64_t size, const CompileRequest& request, const std::string& folder) {
  const rt::Plan& plan = session.plan();
  const rt::Plan* const plans[] = {&plan};
  const int64_t preferred[] = {size, 1, 2, 4, 8, 16, 32, 64, 128, 224, 256, 512};
  const rt::NamedSizes sizes = rt::sample_sizes(plans, {}, preferred).sizes;
  const std::vector<rt::Tensor> inputs = rt::random_inputs(plan, sizes, 0, request.settings.max_memory);
  std::vector<rt::TensorView> views;
  for (const rt::Tensor& input : inputs) views.push_back(input.view());
  const std::vector<rt::Tensor> outputs = session.run(views);
  rt::write_test_case(folder, plan, inputs, outputs);
}

}  // namespace

std::set<std::string> called_functions(const std::vector<ModelPart>& parts, const std::optional<rt::Module>& module) {
  std::set<std::string> names;
  for (const ModelPart& part : parts)
    for (const rt::Step& step : part.plan.plan.steps)
      if (step.kind == rt::StepKind::library) names.insert(step.name);
  if (module)
    for (const rt::HostBody& body : module->bodies)
      for (const rt::HostStep& step : body.steps) names.insert(step.function);
  return names;
}

StandaloneProgram find_standalone_program(const std::set<std::string>& functions) {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  StandaloneProgram program{(folder / "cppgen-run").string(), {}};
  if (!fs::is_regular_file(program.path, error))
    user_error("ENABLE_STANDALONE needs cppgen-run next to cppgen, but there is no '{}': install the component runtime",
               program.path);
  PosixProcessRunner runner;
  ProcessSpec spec;
  spec.argv = {program.path};
  for (const std::string& function : functions)
    if (const std::string plugin = rt::plugin_needed_by(function); !plugin.empty()) program.libraries.push_back(plugin);
  // The loader prints the libraries of the program and the plugins, and starts nothing.
  spec.environment = {{"LD_TRACE_LOADED_OBJECTS", "1"},
                      {"LD_PRELOAD", fmt::format("{}", fmt::join(program.libraries, ":"))}};
  const ProcessResult listed = runner.run(spec);
  if (!listed.ok()) user_error("ENABLE_STANDALONE: '{}' {}: {}", program.path, listed.describe(), listed.output);
  const std::vector<std::string> loaded = paths_of_libraries(listed.output, program.path);
  program.libraries.insert(program.libraries.end(), loaded.begin(), loaded.end());
  return program;
}

void add_standalone_program(const StandaloneProgram& program, const std::string& package) {
  const std::string libraries = package + "/" + std::string(rt::kStandaloneLibraries);
  if (const int error = make_directories(libraries))
    user_error("{}: cannot be created: {}", libraries, error_text(error));
  copy(program.path, package + "/" + std::string(rt::kStandaloneProgram));
  for (const std::string& path : program.libraries) copy(path, libraries + "/" + fs::path(path).filename().string());
}

void add_standalone_sample(const std::string& package, const CompileRequest& request) {
  constexpr int64_t kSizes[] = {2, 1, 4, 8, 16, 32, 64, 128, 224};
  const std::string folder = package + "/" + std::string(rt::kStandaloneSample);
  std::optional<std::string> why;
  try {
    rt::SessionOptions options = rt::SessionOptions::from(request.settings);
    options.before_step = [&request] { poll(request); };
    rt::Session session(rt::Executable::load(package, rt::LoadOptions::from(request.settings, true)), options);
    for (const int64_t size : kSizes) {
      try {
        return run_and_store(session, size, request, folder);
      } catch (const UserError& error) {
        if (!why) why = error.what();
        if (session.plan().symbols.empty()) break;
      }
    }
  } catch (const UserError& error) {
    why = error.what();
  }
  poll(request);
  log_warning("ENABLE_STANDALONE: the package has no sample outputs, so its program has none to verify: {}", *why);
}

}  // namespace cppgen
