#include "runtime/custom/functions.h"

#include <dlfcn.h>

#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

void* open_library(const CustomFunction& function, const std::string& label) {
  void* handle = dlopen(function.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) user_error("custom operator {}: its library cannot be opened: {}", label, dlerror());
  const auto version = reinterpret_cast<int32_t (*)()>(dlsym(handle, "cppgen_custom_abi_version"));
  if (!version)
    user_error("custom operator {}: {} is not a library of custom operators: it lacks CPPGEN_CUSTOM_LIBRARY", label,
               function.path);
  if (version() != CPPGEN_CUSTOM_ABI_VERSION)
    user_error("custom operator {}: {} is for version {} of cppgen_custom.h; this cppgen has version {}", label,
               function.path, version(), CPPGEN_CUSTOM_ABI_VERSION);
  return handle;
}

const CustomDescription* described(const std::vector<CustomFile>& files, const CustomCall& call) {
  for (const CustomFile& file : files)
    for (const CustomDescription& d : file.operators)
      if (d.function && d.label() == call.label && d.since_version == call.since_version) return &d;
  return nullptr;
}

}  // namespace

cppgen_custom_function CustomFunctions::find(const CustomCall& call) const {
  const CustomDescription* d = described(files_, call);
  if (!d)
    user_error(
        "the model needs the C function of the custom operator {} (since version {}, library {}), which is loaded only "
        "with your consent: name its description in CPPGEN_CUSTOM_OPS",
        call.label, call.since_version, call.library);
  void* symbol = dlsym(open_library(*d->function, call.label), d->function->symbol.c_str());
  if (!symbol)
    user_error("custom operator {}: {} has no function '{}'", call.label, d->function->path, d->function->symbol);
  return reinterpret_cast<cppgen_custom_function>(symbol);
}

}  // namespace cppgen::rt
