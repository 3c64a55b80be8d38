#include "cppgen/cli/minify/minified_output.h"

#include <filesystem>

#include "cppgen/flow/package/package_output.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

constexpr OutputKind kMinified{".cppgen-minify", "folder that `minify` wrote"};

}  // namespace

std::string minified_output(const MinifyOptions& options) {
  const std::string output =
      options.output.empty() ? fs::path(options.model).stem().string() + ".fault" : options.output;
  check_output(output, kMinified);
  return output;
}

void write_output(const std::string& folder, const std::string& output) {
  const TempDirectory staged(parent_of_output(output), ".cppgen-minify.");
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::error_code error;
    fs::copy_file(entry.path(), fs::path(staged.path()) / entry.path().filename(), error);
    if (error) user_error("{}: cannot be written: {}", output, error.message());
  }
  if (const int error = write_file(staged.path() + "/" + std::string(kMinified.marker), ""))
    user_error("{}: cannot be written: {}", output, error_text(error));
  move_to_output(staged.path(), output, kMinified);
}

}  // namespace cppgen
