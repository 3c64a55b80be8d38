#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace cppgen {

// Names from models in pictures and pages.

// Text of an element or an attribute of XML and HTML: what has a meaning there is escaped, and what is not a character
// (control characters, bytes that are not UTF-8) becomes U+FFFD.
std::string xml_text(std::string_view);

// The width of a text in columns of a terminal or of a font whose letters are equally wide; an estimate, by which most
// characters beyond Europe's take two.
size_t columns_of(std::string_view);

// Shortens a text to so many columns: "the beginning...the end".
std::string shortened(std::string_view, size_t most_columns);

}  // namespace cppgen
