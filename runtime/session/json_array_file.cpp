#include "runtime/session/json_array_file.h"

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "runtime/base/errors.h"

namespace cppgen::rt {

JsonArrayFile::JsonArrayFile(std::string path, std::string setting)
    : path_(std::move(path)), setting_(std::move(setting)), file_(std::fopen(path_.c_str(), "we"), std::fclose) {
  if (!file_) fail();
  write("[");
  end_ = std::ftell(file_.get());
  flush();
}

void JsonArrayFile::add(const Json& element) {
  if (std::fseek(file_.get(), end_, SEEK_SET) != 0) fail();
  write((end_ > 1 ? ",\n" : "\n") + json_text(element, -1));
  end_ = std::ftell(file_.get());
}

void JsonArrayFile::flush() {
  write("\n]\n");
  if (std::fflush(file_.get()) != 0) fail();
}

void JsonArrayFile::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail();
}

void JsonArrayFile::fail() const { user_error("{}: cannot write '{}': {}", setting_, path_, strerror(errno)); }

}  // namespace cppgen::rt
