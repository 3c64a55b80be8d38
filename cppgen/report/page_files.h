#pragma once
#include <string_view>

namespace cppgen::report {

// The files of this folder that make up the page, embedded by embed_page.cmake.
extern const std::string_view kPageHtml, kPageCss, kPageJs, kMoveJs, kChartsJs;

}  // namespace cppgen::report
