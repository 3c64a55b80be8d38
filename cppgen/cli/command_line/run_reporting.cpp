#include "cppgen/cli/command_line/run_reporting.h"

#include <algorithm>
#include <cstdio>
#include <new>
#include <system_error>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "runtime/base/bug_reports.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"
#include "runtime/base/version.h"

namespace cppgen {

std::string version_text() { return "cppgen " + std::string(rt::kVersion); }

namespace {

std::string command_text(int argc, char** argv) {
  std::string text = "cppgen";
  for (int i = 1; i < argc; i++) text += " " + shell_word(argv[i]);
  return text;
}

bool is_hidden_command(std::string_view name) { return name == kTrialCommand || name == kMeasureCommand; }

bool names_a_model(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](std::string_view argument) { return argument.ends_with(".onnx"); });
}

ExitCode report_bug(const char* what, int argc, char** argv) {
  std::fprintf(stderr, "cppgen: internal error: %s\n", for_terminal(what).c_str());
  if (argc >= 2 && is_hidden_command(argv[1])) return kInternalError;
  std::fprintf(stderr,
               "This is a bug in cppgen. Please report it to %s, with this output, the version (%s) and the command:\n"
               "  %s\n",
               bug_report_address().c_str(), version_text().c_str(), for_terminal(command_text(argc, argv)).c_str());
  if (names_a_model(argc, argv))
    std::fprintf(stderr,
                 "The archive that --set TRACE=1 writes (TRACE_DIR/MODEL.tar) lets others repeat it; `cppgen minify "
                 "MODEL` makes a small model that shows the same.\n");
  return kInternalError;
}

int report_interruption(const CancelToken& cancel) {
  std::fprintf(stderr, "cppgen: interrupted\n");
  return cancel.signal() == 0 ? int(kInterrupted) : 128 + cancel.signal();
}

}  // namespace

int run_reporting(const Action& command, const CancelToken& cancel, int argc, char** argv) {
  try {
    return command(cancel);
  } catch (const Cancelled&) {
    return report_interruption(cancel);
  } catch (const UserError& error) {
    std::fprintf(stderr, "cppgen: %s\n", for_terminal(error.what()).c_str());
    return kUserError;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "cppgen: out of memory\n");
    return kUserError;
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "cppgen: the system refuses what is needed: %s\n", for_terminal(error.what()).c_str());
    return kUserError;
  } catch (const std::exception& error) {
    return report_bug(error.what(), argc, argv);
  } catch (...) {
    return report_bug("an unknown exception", argc, argv);
  }
}

}  // namespace cppgen
