// cppgen compile, cppgen seal
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "cppgen/cli/compile/compile_report.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/progress_line.h"
#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/cli/shared/tuning.h"
#include "cppgen/emit/emit.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/package/package_output.h"
#include "cppgen/report/compile_json.h"
#include "cppgen/report/model_header.h"
#include "cppgen/report/model_names.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/printable.h"
#include "runtime/package/package.h"
#include "runtime/package/reseal.h"

namespace cppgen {
namespace {

void write_text(const char* option, const std::string& path, const std::string& text) {
  if (const int error = write_file(path, text))
    user_error("{}: cannot write '{}': {}", option, path, error_text(error));
}

void write_model_header(const CompileOptionsGiven& options, const rt::Plan& plan) {
  const std::string name = report::identifier_of(std::filesystem::path(options.header).stem().string());
  write_text("--header", options.header,
             report::model_header(name, plan, std::filesystem::absolute(options.output).string()));
}

// The rule in the format of make, where blanks and signs that mean something are escaped.
std::string dependency_rule(const std::string& target, const std::vector<std::string>& sources) {
  const auto word = [](const std::string& path) {
    std::string text;
    for (const char c : std::filesystem::absolute(path).lexically_normal().string()) {
      if (c == ' ' || c == '#' || c == '\\' || c == ':') text += '\\';
      text += c == '$' ? "$$" : std::string(1, c);
    }
    return text;
  };
  std::string rule = word(target) + ":";
  for (const std::string& source : sources) rule += " \\\n  " + word(source);
  return rule + "\n";
}

emit::EmitRequest emit_request(const CompileOptionsGiven& options, const Settings& settings,
                               const CancelToken& cancel) {
  const auto kind = emit::emit_kind(options.emit);
  if (!kind) user_error("--emit {}: allowed are {}", options.emit, fmt::join(emit::kEmitKinds, ", "));
  if (!options.sizes.empty()) user_error("--emit writes one version of a model: remove --sizes");
  if (settings.isa.size() > 1)
    user_error("--emit writes code for one instruction set: ISA names {}", settings.isa.size());
  if (!options.header.empty()) user_error("--emit writes a header of its own: remove --header");
  const std::string name =
      options.name.empty() ? report::identifier_of(std::filesystem::path(options.model).stem().string()) : options.name;
  if (report::identifier_of(name) != name) user_error("--name {}: it is not an identifier of C++ without \"__\"", name);
  emit::EmitRequest request{compile_request(options, settings, cancel), *kind, name, options.output};
  emit::check_emit_output(request);
  return request;
}

std::string emitted_text(const CompileOptionsGiven& options, const emit::Emitted& emitted) {
  const CompileReport& report = emitted.report;
  const std::string units =
      report.units == 0 ? ""
                        : fmt::format(" in {} ({} from the cache)", counted(report.units, "unit"), report.cached_units);
  return fmt::format("{}: {} for {}{}, {}, {}\n", options.output, counted(report.kernels, "kernel"), report.isa, units,
                     bytes_text(emitted.bytes), seconds_text(report.total_s));
}

Json emitted_json(const CompileOptionsGiven& options, const emit::Emitted& emitted) {
  return {{"model", options.model},
          {"output", options.output},
          {"emit", options.emit},
          {"isa", emitted.report.isa},
          {"bytes", emitted.bytes},
          {"kernels", emitted.report.kernels},
          {"units", emitted.report.units},
          {"cached_units", emitted.report.cached_units},
          {"total_s", emitted.report.total_s},
          {"stages", report::stages_json(emitted.report)}};
}

ExitCode emit_with_progress(const CompileOptionsGiven& options, const Settings& settings, const CancelToken& cancel) {
  emit::EmitRequest request = emit_request(options, settings, cancel);
  prepare_tunings(options, settings, cancel);
  ProgressLine line(settings, "reading and scheduling the model");
  request.compile.on_progress = [&](int done, int total) { line.show("compiling sources", done, total); };
  const emit::Emitted emitted = emit::emit_model(request);
  throw_if_cancelled(cancel);
  if (!options.dep_file.empty())
    write_text("--depfile", options.dep_file, dependency_rule(options.output, emitted.sources));
  print_result(options.json ? json_text(emitted_json(options, emitted), 2) + "\n"
                            : for_terminal(emitted_text(options, emitted)));
  return kDone;
}

}  // namespace

ExitCode command_compile(const CompileOptionsGiven& given, const CancelToken& cancel) {
  CompileOptionsGiven options = given;
  require_onnx(options.model, "compile");
  const Settings settings = read_settings(options);
  if (settings.force_native_runtime) user_error("compile makes kernels: remove FORCE_NATIVE_RUNTIME");
  if (options.output.empty()) options.output = settings.aot_output_path;
  require_writable("--depfile", options.dep_file);
  if (!options.emit.empty()) return emit_with_progress(options, settings, cancel);
  if (!options.name.empty()) user_error("--name is for --emit");
  check_output(options.output);
  require_writable("--header", options.header);
  prepare_tunings(options, settings, cancel);
  CompileRequest request = compile_request(options, settings, cancel);
  request.output = options.output;
  if (!options.header.empty())
    request.before_kernels = [&](const rt::Plan& plan) { write_model_header(options, plan); };
  const CompiledModel model = compile_with_progress(std::move(request));
  if (!options.dep_file.empty())
    write_text("--depfile", options.dep_file,
               dependency_rule(options.output + "/" + std::string(rt::kManifestFile), model.sources));
  print_result(options.json ? json_text(report::compile_json(options.model, options.output, model.report), 2) + "\n"
                            : for_terminal(compile_text(options, model.report)));
  return kDone;
}

ExitCode command_seal(const SealOptions& options, const CancelToken&) {
  rt::reseal_package(options.package);
  print_result(for_terminal(fmt::format("{}: sealed\n", options.package)));
  return kDone;
}

}  // namespace cppgen
