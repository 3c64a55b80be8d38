#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace cppgen {

// Makes texts that may contain names and attributes of a model safe to display: control characters, which could move
// the cursor, recolour a terminal or forge a line of a log, and bytes that are not UTF-8 become \x1b and the like.
// Letters of all languages stay.

std::string one_line(std::string_view text);  // for names where they enter a message: line breaks, too
// Is for whole messages where they are printed: line breaks and tabs stay. Passwords of addresses, as in
// redis://USER:PASSWORD@HOST, become ***.
std::string for_terminal(std::string_view text);

// A text of JSON, where such characters of strings become \u202e and the like, which means the same.
std::string json_for_terminal(std::string_view json);

// The first characters of a name as one line, which end in "..." if there are more than `most_bytes` bytes.
std::string shortened_line(std::string_view text, size_t most_bytes);

// "1 thread", "2 threads".
std::string counted(int64_t count, std::string_view noun);

}  // namespace cppgen
