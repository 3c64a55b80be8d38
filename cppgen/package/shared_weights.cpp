#include "cppgen/package/shared_weights.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/package/versions.h"

namespace cppgen::package {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& cache_dir) { return cache_dir + "/weights"; }

// The existing file may have lost bytes in a power failure, and a hash is no proof that contents are equal.
bool same_content(const std::string& path, const std::string& other) {
  try {
    const rt::MappedFile a(path, {.populate = true}), b(other, {.populate = true});
    return a.bytes() == b.bytes() && std::memcmp(a.data(), b.data(), size_t(a.bytes())) == 0;
  } catch (const UserError&) {
    return false;
  }
}

// Makes `path` a link to `target`. `temporary`: an unused name next to the package.
void link_over(const std::string& target, const std::string& path, const std::string& temporary) {
  if (::link(target.c_str(), temporary.c_str()) != 0) return;
  if (::rename(temporary.c_str(), path.c_str()) != 0) ::unlink(temporary.c_str());
}

// Calls f with the path of each file of weights of the package and its versions.
template <class F>
void each_weights_file(const std::string& package, const F& f) {
  for (const std::string& directory : rt::package_directories(package))
    for (const rt::ManifestFile& file : rt::read_manifest(directory).files)
      if (file.name.starts_with("weights") && file.bytes > 0) f(directory + "/" + file.name, file);
}

}  // namespace

void share_weights(const std::string& cache_dir, const std::string& package) {
  if (make_directories(folder_of(cache_dir)) != 0) return;
  each_weights_file(package, [&](const std::string& own, const rt::ManifestFile& file) {
    const std::string shared = folder_of(cache_dir) + "/" + file.hash;
    if (::link(own.c_str(), shared.c_str()) == 0 || errno != EEXIST) return;
    if (same_content(shared, own)) {
      link_over(shared, own, package + ".link");
    } else {
      link_over(own, shared, package + ".link");
    }
  });
}

// A process that is linking a file keeps its content, even if its name is removed here.
void remove_unshared_weights(const std::string& cache_dir) {
  std::error_code error;
  for (fs::directory_iterator it(folder_of(cache_dir), error), end; !error && it != end; it.increment(error)) {
    struct stat st;
    if (::lstat(it->path().c_str(), &st) == 0 && st.st_nlink == 1) ::unlink(it->path().c_str());
  }
}

}  // namespace cppgen::package
