#pragma once
#include <string>
#include <string_view>

namespace cppgen {

// While it exists, collects the messages of all threads with the severity INFO or above, whether they are shown or not.
class LogCopy {
 public:
  LogCopy();
  ~LogCopy();
  LogCopy(const LogCopy&) = delete;
  LogCopy& operator=(const LogCopy&) = delete;

  std::string text() const;  // one line each: "warning: ..."

 private:
  friend struct LogCopies;
  std::string text_;
};

// log_written says nothing of files in this folder, which the program removes itself.
void log_no_files_of(std::string_view temporary_folder);

}  // namespace cppgen
