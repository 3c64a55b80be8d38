#pragma once
#include <string>
#include <string_view>

#include "cppgen/ir/program/program.h"

namespace cppgen::text {

// Returns whether the text begins like that of a program.
bool is_program(std::string_view text, const std::string& file);

// The program of a text as program_text prints it (docs/ir.md), verified. `file` begins messages. UserError with file,
// line and column for what is no program: the text may come from anywhere.
ir::Program read_program(std::string_view text, const std::string& file);

}  // namespace cppgen::text
