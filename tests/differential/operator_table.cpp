// Prints how each operator runs, by type and instruction set:
//   operator_table [--json] [ISA ...]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <cstring>

#include "tests/differential/how_it_runs.h"

using namespace cppgen;
using namespace cppgen::differential;

static void print_text(const std::string& op, const std::map<DType, HowItRuns>& types) {
  std::map<std::pair<HowItRuns::Kind, std::string>, std::vector<std::string_view>> groups;
  for (const auto& [type, how] : types)
    groups[{how.kind, fmt::format("{}", fmt::join(how.what, ", "))}].push_back(name_of(type));
  for (const auto& [how, names] : groups)
    fmt::print("  {:32} {:10} {}{}{}\n", op, name_of(how.first), fmt::join(names, " "), how.second.empty() ? "" : ": ",
               how.second);
}

static void print_json(const std::string& isa, const OperatorTable& table, bool& first) {
  for (const auto& [op, types] : table)
    for (const auto& [type, how] : types) {
      fmt::print("{}\n  {{\"isa\": \"{}\", \"operator\": \"{}\", \"type\": \"{}\", \"runs\": \"{}\", \"what\": [",
                 first ? "" : ",", isa, op, name_of(type), name_of(how.kind));
      const char* comma = "";
      for (const std::string& w : how.what) fmt::print("{}\"{}\"", comma, w), comma = ", ";
      fmt::print("]}}");
      first = false;
    }
}

int main(int argc, char** argv) {
  bool json = false, first = true;
  std::vector<const VecISA*> isas;
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--json") == 0)
      json = true;
    else if (const VecISA* isa = find_isa(argv[i]))
      isas.push_back(isa);
    else
      return std::fprintf(stderr, "'%s' is no instruction set\n", argv[i]), 2;
  }
  if (isas.empty()) isas = {find_isa("avx2"), find_isa("avx512")};
  const std::vector<Sample> samples = all_samples();
  if (json) fmt::print("[");
  for (const VecISA* isa : isas) {
    const OperatorTable table = operator_table(samples, *isa);
    if (json) {
      print_json(std::string(isa->name), table, first);
      continue;
    }
    fmt::print("{}\n", isa->name);
    for (const auto& [op, types] : table) print_text(op, types);
  }
  if (json) fmt::print("\n]\n");
  return 0;
}
