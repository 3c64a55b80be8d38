#pragma once
#include <string>
#include <string_view>

namespace cppgen {

// UserError unless results can be put in the folder: it is one that can be written, or can be made. Makes nothing.
void require_output_folder(const std::string& directory, std::string_view option);

// Where packages that people ask for are put. UserError naming the path for what the disk refuses.

// Before anything is compiled: whether there is something else than a package, which would not be replaced, or a folder
// that cannot be written.
void check_output(const std::string& output);

// The folder that an output lies in, made if need be: a package is staged there, so that moving it is a rename.
std::string parent_of_output(const std::string& output);

// Moves the files of `staged` to `output`, in the place of an earlier package, which goes whole; refuses to replace
// anything else.
void move_to_output(const std::string& staged, const std::string& output);

}  // namespace cppgen
