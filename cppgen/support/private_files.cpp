#include "cppgen/support/private_files.h"

#include <unistd.h>

#include <filesystem>

#include "runtime/base/errors.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

bool others_may_enter(const std::string& folder) {
  struct stat st;
  return ::stat(folder.c_str(), &st) != 0 || st.st_uid != ::geteuid() || (st.st_mode & (S_IXGRP | S_IXOTH)) != 0;
}

// Calls visit(path, status) for everything below a folder; links count as what they lead to. Other processes may remove
// files meanwhile.
template <class Visit>
void each_below(const std::string& folder, const Visit& visit) {
  std::error_code error;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && it != end; it.increment(error)) {
    struct stat st;
    if (::stat(it->path().c_str(), &st) == 0) visit(it->path().string(), st);
  }
}

}  // namespace

std::string why_unsafe(const struct stat& st) {
  if (st.st_uid != 0 && st.st_uid != ::geteuid())
    return fmt::format("belongs to user {}, and neither to root nor to you (user {})", st.st_uid, ::geteuid());
  if ((st.st_mode & (S_IWGRP | S_IWOTH)) == 0) return "";
  return fmt::format("is writable by {} (mode {:04o})", (st.st_mode & S_IWOTH) ? "everyone" : "its group",
                     st.st_mode & 07777u);
}

void check_folders_below(const std::string& top, std::string_view what) {
  if (!others_may_enter(top)) return;
  std::error_code error;
  fs::recursive_directory_iterator it(top, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && it != end; it.increment(error)) {
    struct stat st;
    std::error_code gone;
    if (!it->is_directory(gone) || ::stat(it->path().c_str(), &st) != 0) continue;
    if (const std::string why = why_unsafe(st); !why.empty())
      user_error(
          "{} '{}': the folder '{}' in it {}: its content cannot be trusted; remove it, or choose another directory",
          what, top, it->path().string(), why);
  }
}

std::string why_unsafe_files(const std::string& top, const std::string& folder) {
  if (!others_may_enter(top)) return "";
  std::string reason;
  each_below(folder, [&](const std::string& path, const struct stat& st) {
    if (const std::string why = why_unsafe(st); !why.empty()) reason = fmt::format("'{}' {}", path, why);
  });
  return reason;
}

void forbid_others_to_write(const std::string& folder) {
  each_below(folder, [](const std::string& path, const struct stat& st) {
    if (st.st_mode & (S_IWGRP | S_IWOTH)) (void)::chmod(path.c_str(), st.st_mode & 07755u & ~0022u);
  });
}

}  // namespace cppgen
