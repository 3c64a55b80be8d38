#include "runtime/base/bug_reports.h"

namespace cppgen {

std::string bug_report_address() {
  constexpr const char* kUrl = CPPGEN_BUG_REPORT_URL;
  return *kUrl ? kUrl : "whoever gave you this program, or the maintainers of its repository";
}

}  // namespace cppgen
