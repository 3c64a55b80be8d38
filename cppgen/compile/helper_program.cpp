#include "cppgen/compile/helper_program.h"

#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"

namespace cppgen {

HelperRun build_and_run(const HelperProgram& program, const Toolchain& toolchain, ProcessRunner& runner,
                        const std::string& parent) {
  const std::string prefix = "cppgen-" + program.name + ".";
  remove_stale_temp_directories(parent, prefix);  // of processes that were killed
  const TempDirectory folder(parent, prefix);
  const std::string source = program.name + ".cpp";
  if (const int error = write_file(folder.path() + "/" + source, program.source))
    user_error("cannot write its source: {}", error_text(error));
  ProcessSpec compile;
  compile.argv = toolchain.command;
  compile.argv.insert(compile.argv.end(), program.flags.begin(), program.flags.end());
  for (const std::string& word :
       {std::string("-o"), program.name, source, std::string("-nodefaultlibs"), std::string("-lc")})
    compile.argv.push_back(word);
  compile.working_directory = folder.path();
  compile.environment = {{"TMPDIR", folder.path()}, {"LC_ALL", "C"}};
  compile.timeout_seconds = program.compile_seconds;
  HelperRun result{runner.run(compile), std::nullopt};
  if (!result.compiled.ok()) return result;
  ProcessSpec run;
  run.argv = {folder.path() + "/" + program.name};
  run.argv.insert(run.argv.end(), program.arguments.begin(), program.arguments.end());
  run.timeout_seconds = program.run_seconds;
  const auto once = [&] { return runner.run(run); };
  result.ran = program.run ? program.run(once) : once();
  return result;
}

}  // namespace cppgen
