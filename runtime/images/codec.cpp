#include "runtime/images/codec.h"

#include <dlfcn.h>

#include "runtime/base/errors.h"

namespace cppgen::rt {

SystemCodec::SystemCodec(const char* format, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    name_ = name;
    if (handle_) return;
  }
  user_error("{} images require the library {}, which cannot be opened: {}", format, name_, dlerror());
}

void* SystemCodec::symbol(const char* name) const {
  void* found = dlsym(handle_, name);
  if (!found) user_error("the library {} has no function {}", name_, name);
  return found;
}

}  // namespace cppgen::rt
