#pragma once
#include <string>

#include "cppgen/cli/shared/command_options.h"

namespace cppgen {

// The folder of `minify`, which it replaces if it made it. UserError before anything is done if something else is there
// or it cannot be written.
std::string minified_output(const MinifyOptions&);

// Replaces the output folder by the files of a folder, as a whole.
void write_output(const std::string& folder, const std::string& output);

}  // namespace cppgen
