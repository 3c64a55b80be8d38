#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cppgen/codegen/kernel_text.h"

namespace cppgen::codegen {
namespace {

// Tables of the prebuilt tiles that the kernels call, by number and rows; empty if they call none.
std::string tables_of_tiles(const std::vector<const KernelText*>& kernels) {
  std::map<int, std::set<int64_t>> rows_of;
  for (const KernelText* k : kernels)
    for (const kernel::FinishedTiles& tiles : k->finished_tiles)
      rows_of[tiles.number].insert(tiles.row_counts.begin(), tiles.row_counts.end());
  if (rows_of.empty()) return "";
  std::string text = "#include \"vec/generic/finished_tile.h\"\n\n// The tiles that kernels call, by number of rows.\n";
  for (const auto& [number, rows] : rows_of) {
    std::vector<std::string> tiles(size_t(*rows.rbegin()) + 1, "0");
    for (const int64_t r : rows) tiles[size_t(r)] = fmt::format("vec::finished_tile<{}, {}>", number, r);
    text += fmt::format("static const vec::FinishedTile finished_{}[] = {{{}}};\n", number, fmt::join(tiles, ", "));
  }
  std::vector<std::string> tables(size_t(rows_of.rbegin()->first) + 1, "0");
  for (const auto& [number, rows] : rows_of) tables[size_t(number)] = fmt::format("finished_{}", number);
  return text +
         fmt::format("static const vec::FinishedTile* const finished_tiles[] = {{{}}};\n", fmt::join(tables, ", "));
}

}  // namespace

std::string kernel_headers(const std::string& vec_folder, bool calls_functions) {
  return fmt::format(
      "#include \"runtime/abi/abi.h\"\n#include \"vec/{}/vec.h\"\n#include \"vec/generic/kernel.h\"\n{}"
      "#include \"vec/generic/tile.h\"\n",
      vec_folder, calls_functions ? "#include \"vec/generic/math.h\"\n" : "");
}

std::string translation_unit(const std::vector<const KernelText*>& kernels, const std::string& vec_folder) {
  std::string text = kernel_headers(
      vec_folder, std::any_of(kernels.begin(), kernels.end(), [](const KernelText* k) { return k->calls_functions; }));
  text += tables_of_tiles(kernels);
  for (const KernelText* k : kernels) text += "\n" + k->comment + k->code();
  return text;
}

}  // namespace cppgen::codegen
