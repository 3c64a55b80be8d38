#pragma once
#include <string>
#include <string_view>

namespace cppgen {

// UserError unless the folder can be written, or can be created. Creates nothing.
void require_output_folder(const std::string& directory, std::string_view option);

// The output directory of packages that users request. UserError naming the path for disk errors.

// Checks before anything is compiled. UserError if there is something other than a package, which would not be
// replaced, or a folder that cannot be written.
void check_output(const std::string& output);

// The parent folder of an output, created if needed: a package is staged there, so that moving it is a rename.
std::string parent_of_output(const std::string& output);

// Moves the files of `staged` to `output`, replacing an earlier package as a whole; refuses to replace anything else.
void move_to_output(const std::string& staged, const std::string& output);

}  // namespace cppgen
