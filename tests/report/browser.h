#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/images/image.h"

namespace cppgen {

inline constexpr const char* kBrowser = "/usr/bin/chromium";

// What a browser without a window shows of a page. `script` runs at the end of a copy of the page.
struct Browser {
  std::string folder;  // for its files

  // What the script stores with found(value). The test fails if the page writes to the console, as errors do.
  nlohmann::json find(const std::string& page, const std::string& script) const;
  // What is visible in the end.
  rt::Image look(const std::string& page, const std::string& script) const;
};

}  // namespace cppgen
