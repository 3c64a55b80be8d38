#include "cppgen/flow/compile/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/import/import.h"
#include "isa/vec_isa.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

// The versions, from the least to the most preferred.
std::vector<std::string> isas_of(const Settings& settings) {
  if (settings.isa.size() == 1) return settings.isa;
  std::vector<std::string> isas;
  for (const VecISA& row : all_isas())
    if (std::count(settings.isa.begin(), settings.isa.end(), row.name)) isas.emplace_back(row.name);
  return isas;
}

// What else a compilation writes is written once, for the version in the package's own folder.
CompileRequest alone(CompileRequest request, const std::string& isa) {
  Settings& settings = request.settings;
  choose_isa(settings, isa);
  settings.trace = settings.graph_diagram = settings.benchmark_kernel = settings.enable_asm_info = false;
  settings.enable_standalone = false;
  settings.use_cmake_compilation = settings.use_cmake_compilation && !request.output.empty();
  if (request.output.empty()) request.output = request.model;  // it is no entry of the cache by itself
  request.versions.clear();
  request.before_kernels = nullptr;
  return request;
}

std::string known_symbols(const rt::Plan& plan) {
  std::string names;
  for (const rt::Symbol& symbol : plan.symbols) names += (names.empty() ? "" : ", ") + one_line(symbol.name);
  return names.empty() ? "none" : names;
}

}  // namespace

std::string first_isa(const Settings& settings) { return isas_of(settings).at(0); }

rt::SymbolSizes parse_sizes(const std::string& text) {
  rt::SymbolSizes sizes;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const DimOption dim = parse_dim_option(text.substr(begin, end - begin));
    if (!dim.size) user_error("--sizes {}: expected NAME=N, as in --sizes batch=8,length=128", text);
    if (!sizes.emplace(dim.symbol, *dim.size).second) user_error("--sizes {}: gives '{}' twice", text, dim.symbol);
    begin = end + 1;
  }
  return sizes;
}

CompileRequest with_sizes(CompileRequest request, const rt::SymbolSizes& sizes) {
  for (const auto& [symbol, size] : sizes) request.dims.push_back({"", -1, symbol, size});
  return request;
}

std::vector<VersionRequest> version_requests(const CompileRequest& request) {
  const std::set<rt::SymbolSizes> different(request.versions.begin(), request.versions.end());
  if (different.size() < request.versions.size()) user_error("--sizes gives the same sizes twice");
  std::vector<VersionRequest> all;
  const auto add = [&](const std::string& isa, const rt::SymbolSizes& sizes) {
    all.push_back({{std::to_string(all.size() + 1), isa, sizes, ""}, with_sizes(alone(request, isa), sizes)});
  };
  for (const std::string& isa : isas_of(request.settings)) {
    if (isa != first_isa(request.settings)) add(isa, {});
    for (const rt::SymbolSizes& sizes : request.versions) add(isa, sizes);
  }
  if (all.size() > rt::kMostVersions)
    user_error("a package of {} versions is requested; at most {} are allowed", all.size(), rt::kMostVersions);
  return all;
}

void check_versions(const CompileRequest& request, const rt::Plan& plan) {
  for (const rt::SymbolSizes& sizes : request.versions)
    for (const auto& [symbol, size] : sizes)
      if (std::none_of(plan.symbols.begin(), plan.symbols.end(),
                       [&, &name = symbol](const auto& s) { return s.name == name; }))
        user_error("--sizes {}: runs of the model choose no dimension '{}'; they choose {}", rt::name_of(sizes), symbol,
                   known_symbols(plan));
}

}  // namespace cppgen
