#pragma once
#include <cstdio>
#include <memory>
#include <string>

#include "runtime/base/json_text.h"

namespace cppgen::rt {

// A file with one JSON array, which is complete after each call.
class JsonArrayFile {
 public:
  // Creates or replaces the file. UserError naming the setting if it cannot be written.
  JsonArrayFile(std::string path, std::string setting);

  void add(const Json& element);  // needs a flush
  void flush();

 private:
  void write(const std::string& text);
  [[noreturn]] void fail() const;

  const std::string path_, setting_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  long end_ = 0;  // of the last element
};

}  // namespace cppgen::rt
