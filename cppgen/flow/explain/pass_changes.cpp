#include "cppgen/flow/explain/pass_changes.h"

#include <algorithm>

#include "cppgen/support/file_io.h"
#include "cppgen/support/subprocess.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

constexpr const char* kDiff = "/usr/bin/diff";  // of Debian's essential package diffutils
constexpr const char* kPrefix = "cppgen-passes.";
constexpr size_t kMostBytes = size_t{256} << 20;
constexpr double kMostSeconds = 60;

void write_pass_file(const std::string& path, const std::string& text) {
  if (const int e = write_file(path, text)) user_error("{}: cannot be written: {}", path, error_text(e));
}

void count_lines(PassChange& change) {
  std::string_view rest = change.diff;
  for (int headers = 2; !rest.empty(); headers--) {
    if (headers <= 0) change.added += rest[0] == '+', change.removed += rest[0] == '-';
    const size_t end = rest.find('\n');
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
}

// The first line of a schedule names the pass, which is no change.
std::string_view content(std::string_view text) {
  return text.starts_with("schedule after ") ? text.substr(text.find('\n')) : text;
}

}  // namespace

PassChanges::PassChanges() : folder_(system_temp_directory(), kPrefix) {
  remove_stale_temp_directories(system_temp_directory(), kPrefix);
}

std::string PassChanges::diff(const std::string& stage, const std::string& after) const {
  write_pass_file(folder_.path() + "/before", before_);
  write_pass_file(folder_.path() + "/after", after);
  ProcessSpec spec;
  spec.argv = {kDiff, "-a", "-u", "--label", "before " + stage, "--label", "after " + stage, "before", "after"};
  spec.working_directory = folder_.path();
  spec.environment = {{"LC_ALL", "C"}};
  spec.timeout_seconds = kMostSeconds, spec.max_output_bytes = kMostBytes;
  PosixProcessRunner runner;
  ProcessResult result = runner.run(spec);
  if (result.end != ProcessResult::End::exited || result.code != 1)
    user_error("{}, which compares what passes print, {}: {}", kDiff, result.describe(), result.output);
  return std::move(result.output);
}

void PassChanges::add(const std::string& stage, const std::string& text) {
  PassChange change;
  change.stage = stage;
  change.first = stage == "import" || stage == "lower";
  change.lines = std::count(text.begin(), text.end(), '\n');
  if (!change.first && content(text) != content(before_)) {
    change.diff = diff(stage, text);
    count_lines(change);
  }
  before_ = text;
  all_.push_back(std::move(change));
}

}  // namespace cppgen
