#pragma once
#include <initializer_list>
#include <string>

namespace cppgen::rt {

// A shared library of the system that decodes images; opened on construction and kept for the lifetime of the process.
class SystemCodec {
 public:
  // UserError, stating that files of `format` require it, if there is none of these names.
  SystemCodec(const char* format, std::initializer_list<const char*> names);

  // UserError if the library lacks it.
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;
  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace cppgen::rt
