#pragma once
#include <string>
#include <vector>

#include "cppgen/flow/reference/run_passes.h"
#include "runtime/base/settings.h"

namespace cppgen {

// Tests of passes as files: FOLDER/PASS.txt has the cases of one pass (or of one engine, or one form of kernels), and
// this form:
//
//   ## What the case shows.
//   RUN: --pass infer_types,canonicalize --set SOME_SETTING=0
//   a text that `cppgen opt` reads
//   ----
//   the text that it prints, or "error: " and the message
//
// UPDATE_PASS_FILES=1 in the environment writes what is printed.
struct PassCase {
  std::string title, run;  // the lines behind "## " and "RUN: "
  std::string input, expected;
};
struct PassFile {
  std::string path, pass;
  std::string head;  // what precedes the first case
  std::vector<PassCase> cases;
};

std::vector<PassFile> read_pass_files(const std::string& folder);
void write_pass_file(const PassFile&);

// The command of a case, for a target that is the same on each machine. InternalError for options that it has not.
struct PassCommand {
  PassRuns runs;
  Settings settings;
};
PassCommand command_of(const PassCase&);

// The output of the case, with this command.
std::string printed(const PassCase&, const PassCommand&);

}  // namespace cppgen
