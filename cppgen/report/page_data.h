#pragma once
#include "runtime/base/json_text.h"

namespace cppgen::report {

struct PageContent;

// The numbers and names behind the pictures, as page.js reads them.
Json page_data(const PageContent&);

}  // namespace cppgen::report
