#include "runtime/plugins/plugin_file.h"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/errors.h"
#include "runtime/plugins/plugin.h"

namespace cppgen::rt {
namespace {

namespace fs = std::filesystem;

// The folder of the library or program that contains this code; empty if it is unknown. The loader knows a program only
// by what its caller said, which may be anything.
fs::path own_folder() {
  Dl_info info;
  struct link_map* object = nullptr;
  const auto* code = reinterpret_cast<const void*>(&own_folder);
  if (::dladdr1(code, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0 || !object) return {};
  const bool program = !object->l_name || object->l_name[0] == '\0';
  std::error_code error;
  const fs::path file = fs::canonical(program ? "/proc/self/exe" : object->l_name, error);
  return error ? fs::path() : file.parent_path();
}

std::vector<std::string> candidates(const std::string& file) {
  std::vector<std::string> paths;
  const fs::path folder = own_folder();
  for (const char* relative : {".", "cppgen", "../lib", "../" CPPGEN_LIBRARY_FOLDER "/cppgen", "standalone_data/lib"}) {
    std::error_code error;
    const fs::path path = folder / relative / file;
    if (!folder.empty() && fs::exists(path, error)) paths.push_back(path.lexically_normal().string());
  }
  paths.push_back(file);
  return paths;
}

void* open_plugin(const std::string& file, std::string_view needed_by, std::string_view advice) {
  std::string first_error;
  for (const std::string& path : candidates(file)) {
    if (void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    if (first_error.empty()) first_error = ::dlerror();
  }
  user_error("{} need the plugin {} of cppgen, which cannot be loaded: {}{}", needed_by, file, first_error, advice);
}

}  // namespace

std::string plugin_file_name(std::string_view name) {
  return fmt::format("libcppgen_{}-{}.so", name, kVersion.substr(0, kVersion.rfind('.')));
}

std::string plugin_path(std::string_view name, std::string_view needed_by, std::string_view advice) {
  Dl_info info;
  check(::dladdr(load_plugin(name, needed_by, advice), &info) != 0, "a plugin is in no file");
  return info.dli_fname;
}

const void* load_plugin(std::string_view name, std::string_view needed_by, std::string_view advice) {
  const std::string file = plugin_file_name(name);
  const void* plugin = ::dlsym(open_plugin(file, needed_by, advice), "cppgen_plugin");
  if (!plugin) user_error("{} need the plugin {} of cppgen, but the library of this name is none", needed_by, file);
  const std::string_view build = *static_cast<const char* const*>(plugin);
  if (build != kPluginBuild)
    user_error(
        "{} need the plugin {} of cppgen, which is of another build ({}) than the runtime ({}): install both anew",
        needed_by, file, build, kPluginBuild);
  return plugin;
}

}  // namespace cppgen::rt
