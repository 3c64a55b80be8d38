#include "cppgen/flow/compile/unit_reports.h"

#include <fmt/format.h>

#include "cppgen/compile/asm_info.h"
#include "cppgen/compile/asm_writer.h"

namespace cppgen {

std::vector<UnitReport> unit_reports(const std::vector<CompileJob>& jobs, const std::vector<CompiledObject>& objects) {
  std::vector<UnitReport> reports;
  for (size_t i = 0; i < jobs.size(); i++)
    reports.push_back(
        {jobs[i].name, jobs[i].expected_symbols.size(), objects[i].from_cache, objects[i].seconds, objects[i].begin});
  return reports;
}

std::string units_text(const std::vector<CompileJob>& jobs, const std::vector<CompiledObject>& objects,
                       const KernelBuilder& builder) {
  std::string text;
  for (size_t i = 0; i < jobs.size(); i++)
    text += fmt::format("{}: {}, {}\n", jobs[i].name, objects[i].from_cache ? "from the cache" : "compiled",
                        builder.key_of(jobs[i]).hex.substr(0, 16));
  return text;
}

std::map<std::string, int64_t> loop_spills_of(const std::vector<CompileJob>& jobs, const CompileOptions& options,
                                              KernelBuilder& builder) {
  std::map<std::string, int64_t> spills;
  for (const auto& [function, assembly] : assembly_of(jobs, options, builder))
    spills[function] = count_instructions(function + ":\n" + assembly, {function})[0].loop_spills;
  return spills;
}

}  // namespace cppgen
