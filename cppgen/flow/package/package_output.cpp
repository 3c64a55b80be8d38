#include "cppgen/flow/package/package_output.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "cppgen/support/file_io.h"
#include "cppgen/support/litter.h"
#include "runtime/base/errors.h"

namespace cppgen {

namespace fs = std::filesystem;

namespace {

void refuse_to_replace(const fs::path& target, const OutputKind& kind) {
  std::error_code error;
  if (!fs::exists(target, error)) return;
  if (fs::is_directory(target, error) && (fs::is_empty(target, error) || fs::exists(target / kind.marker, error)))
    return;
  user_error("{} exists and is not a {}: choose another output, or remove it first", target.string(), kind.name);
}

}  // namespace

void require_output_folder(const std::string& directory, std::string_view option) {
  std::error_code error;
  const fs::path asked = fs::absolute(directory, error);
  fs::path nearest = asked;
  while (!fs::exists(nearest, error) && nearest.has_relative_path()) nearest = nearest.parent_path();
  const bool itself = nearest == asked;
  if (!fs::is_directory(nearest, error))
    user_error("{} {}: '{}' is a file; give a directory{}", option, directory, nearest.string(),
               itself ? "" : " that exists or can be created");
  if (access(nearest.c_str(), W_OK | X_OK) != 0)
    user_error("{} {}: {} '{}': {}", option, directory, itself ? "cannot write to" : "cannot create a directory in",
               nearest.string(), error_text(errno));
}

void check_output(const std::string& output, const OutputKind& kind) {
  if (output.empty()) user_error("-o or the setting AOT_OUTPUT_PATH must name the directory of the package");
  refuse_to_replace(output, kind);
  require_output_folder(fs::absolute(output).parent_path().string(),
                        fmt::format("-o: the folder of the {}", kind.name));
}

std::string parent_of_output(const std::string& output) {
  auto parent = fs::absolute(output).parent_path().string();
  if (int e = make_directories(parent)) user_error("{}: cannot be created: {}", parent, error_text(e));
  return parent;
}

void move_to_output(const std::string& staged, const std::string& output, const OutputKind& kind) {
  std::error_code error;
  const fs::path target = output;
  refuse_to_replace(target, kind);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(staged)) files.push_back(entry.path());
  const fs::path content = fs::path(staged) / "content";
  fs::create_directory(content);
  for (const fs::path& file : files)
    if (!error) fs::rename(file, content / file.filename(), error);
  if (!error) {
    const LitterLock both_or_none;
    if (fs::exists(target)) fs::rename(target, staged + "/old", error);
    if (!error) fs::rename(content, target, error);
  }
  if (error) user_error("{}: cannot be written: {}", output, error.message());
  fs::permissions(target,
                  fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read |
                      fs::perms::others_exec,
                  error);
}

}  // namespace cppgen
