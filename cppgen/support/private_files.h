#pragma once
#include <sys/stat.h>

#include <string>
#include <string_view>

namespace cppgen {

// Files that feed this process machine code, or decide which of it runs, must be those of this user or of root, and
// nobody else may be able to write them or the folders that lead to them.

// Returns why somebody else can change this file or directory, as "belongs to user 7, ..."; empty if nobody can.
std::string why_unsafe(const struct stat&);

// UserError, naming the folder, if somebody else can change a folder below `top`. `what` names the top in the message.
// Below a top that nobody else may enter, there is nothing to check.
void check_folders_below(const std::string& top, std::string_view what);

// Does the same for the files in a folder and below it; empty if nobody else can change one, or enter `top`.
std::string why_unsafe_files(const std::string& top, const std::string& folder);

// Takes the permission to write from everybody else, whatever the umask gave them.
void forbid_others_to_write(const std::string& folder);

}  // namespace cppgen
