#include "cppgen/cli/compile/compile_report.h"

#include <fmt/format.h>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/report/compile_json.h"
#include "runtime/base/printable.h"

namespace cppgen {
std::string compile_text(const CompileOptionsGiven& options, const CompileReport& report) {
  std::string stages;
  for (const auto& [stage, seconds] : report.stages)
    stages += fmt::format("  {:<10} {}\n", stage, seconds_text(seconds));
  std::string versions;
  for (const VersionReport& version : report.versions)
    versions += fmt::format("  version {} for {}: {}\n", printable(version.name), version.isa,
                            counted(version.kernels, "kernel"));
  return fmt::format("{}: {} for {} in {} ({} from the cache), {}, {}\n{}{}", options.output,
                     counted(report.kernels, "kernel"), report.isa, counted(report.units, "unit"), report.cached_units,
                     bytes_text(report::size_of_directory(options.output)), seconds_text(report.total_s), versions,
                     stages);
}

}  // namespace cppgen
