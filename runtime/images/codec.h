#pragma once
#include <initializer_list>
#include <string>

namespace cppgen::rt {

// A shared object of the system that decodes pictures, opened when it is made and kept as long as the process lives.
class SystemCodec {
 public:
  // UserError, saying that files of `format` need it, if there is none of these names.
  SystemCodec(const char* format, std::initializer_list<const char*> names);

  // UserError if the object does not have it.
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
