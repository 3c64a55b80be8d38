#pragma once
#include <string>
#include <vector>

#include "runtime/custom/call.h"
#include "runtime/custom/cppgen_custom.h"
#include "runtime/custom/description.h"

namespace cppgen::rt {

// The C functions that the user allows to be loaded: those of the descriptions that the user names. A model or package
// never decides which file is loaded.
class CustomFunctions {
 public:
  // The functions of the files of CUSTOM_OPS: paths separated by ':'. UserError if one cannot be read or parsed.
  explicit CustomFunctions(const std::string& paths) : files_(read_custom_files(paths)) {}

  // Opens the library, which stays open for the life of the process. UserError if no description has this operator, or
  // its library cannot be opened, has another version of the interface, or lacks the function.
  cppgen_custom_function find(const CustomCall&) const;

 private:
  std::vector<CustomFile> files_;
};

}  // namespace cppgen::rt
