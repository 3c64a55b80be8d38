#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/images/image.h"

namespace cppgen {

inline constexpr const char* kBrowser = "/usr/bin/chromium";

// The content of a page in a browser without a window. `script` runs at the end of a copy of the page.
struct Browser {
  std::string folder;  // for its files

  // The value that the script stores with found(value). The test fails if the page writes to the console, as errors do.
  nlohmann::json find(const std::string& page, const std::string& script) const;
  // The visible text in the end.
  rt::Image look(const std::string& page, const std::string& script) const;
};

}  // namespace cppgen
