#include "cppgen/report/page.h"

#include <nlohmann/json.hpp>

#include "cppgen/diagram/display_text.h"
#include "cppgen/report/page_data.h"
#include "cppgen/report/page_files.h"
#include "runtime/base/errors.h"

namespace cppgen::report {
namespace {

// In JSON, < occurs in strings only. Escaped, no name can end the script element that contains it.
std::string json_for_script(const Json& json) {
  std::string out;
  for (const char c : json_text(json, -1)) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string html_page(const PageContent& content) {
  const auto part = [&](std::string_view name) -> std::string {
    if (name == "title") return xml_text(content.title);
    if (name == "style") return std::string(kPageCss);
    if (name == "script") return std::string(kMoveJs) + std::string(kChartsJs) + std::string(kPageJs);
    if (name == "before") return to_svg(content.explanation.before_fusion->diagram);
    if (name == "after") return to_svg(content.explanation.after_fusion->diagram);
    if (name == "data") return json_for_script(page_data(content));
    internal_error("the page has no part {}", name);
  };
  std::string page;
  std::string_view rest = kPageHtml;  // text, @name@, text ...
  for (size_t begin; (begin = rest.find('@')) != rest.npos;) {
    const size_t end = rest.find('@', begin + 1);
    page += rest.substr(0, begin);
    page += part(rest.substr(begin + 1, end - begin - 1));
    rest.remove_prefix(end + 1);
  }
  return page += rest;
}

}  // namespace cppgen::report
