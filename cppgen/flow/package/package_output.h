#pragma once
#include <string>
#include <string_view>

namespace cppgen {

// UserError unless the folder can be written, or can be created. Creates nothing.
void require_output_folder(const std::string& directory, std::string_view option);

// The output directory of packages, and of others that users request. UserError naming the path for disk errors.

// The directories that are replaced: one is of this kind if it contains the file.
struct OutputKind {
  std::string_view marker, name;
};
inline constexpr OutputKind kPackageOutput{"manifest.json", "package"};

// Checks before anything is compiled. UserError if there is something of another kind, which would not be replaced, or
// a folder that cannot be written.
void check_output(const std::string& output, const OutputKind& = kPackageOutput);

// The parent folder of an output, created if needed: a package is staged there, so that moving it is a rename.
std::string parent_of_output(const std::string& output);

// Moves the files of `staged` to `output`, replacing an earlier one as a whole; refuses to replace anything else.
void move_to_output(const std::string& staged, const std::string& output, const OutputKind& = kPackageOutput);

}  // namespace cppgen
