#pragma once
#include <string>
#include <vector>

#include "cppgen/support/interrupt.h"
#include "runtime/base/json_text.h"
#include "runtime/base/settings.h"

namespace cppgen {

// The option --text of `minify` and `repro`: a file with the text (docs/ir.md) on which the pass of a fault begins, and
// the command of `opt` that runs this pass over it.
struct PassText {
  std::string file;
  std::string pass;   // empty: no pass fails, and the text is that of the imported graph
  std::string error;  // with which the pass ends, if it fails
  std::string command;
};

struct PassTextRequest {
  std::string model;
  std::vector<std::string> dims, states;
  std::string file;
  std::string pass;  // on which the fault is known to depend; empty: unknown
};

// UserError unless it can be such a file: before the work whose result it is for.
void require_text_file(const std::string& path);

// Runs one pass after the other, each over the text that the one before it has printed and in a process of its own,
// which may crash, until one fails or the known pass changes the text: so the command was run when this returns.
// UserError if the model cannot be read or the file not be written.
PassText write_pass_text(const PassTextRequest&, const Settings&, const CancelToken&);

std::string pass_text_report(const PassText&);  // lines for people
Json pass_text_json(const PassText&);

// The options --set, in one word for the shell each, that repeat settings with influence on kernels, results or runs.
std::string settings_words(const Settings&);

}  // namespace cppgen
