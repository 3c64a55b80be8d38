#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <mutex>

#include "isa/vec_isa.h"
#include "runtime/base/errors.h"
#include "runtime/contraction/tile.h"
#include "runtime/contraction/tiles.h"

namespace cppgen::rt {
namespace {

// They are in the order of the .def file, which is the order that kernels index by.
constexpr double (*kUnaryF64[])(double) = {
#define MATH(name) [](double x) { return std::name(x); },
#include "runtime/abi/math_functions.def"
#undef MATH
};

struct TileRow {
  std::string_view isa;
  TileFormat format;
  const TileSet* tiles;
};
constexpr TileRow kTiles[] = {
#define CPPGEN_TILES(isa, format) {#isa, TileFormat::format, &isa::tiles_##format},
#include "runtime/contraction/tile_formats.def"
};

struct StridedRow {
  std::string_view isa;
  const StridedTileSet* tiles;
  const WinogradSet* winograd;
};
constexpr StridedRow kStrided[] = {
#define CPPGEN_STRIDED_TILES(isa) {#isa, &isa::strided_f32, &isa::winograd_forms},
#include "runtime/contraction/tile_formats.def"
};

// The tiles of an instruction set by format, null where it has none.
struct Tiles {
  std::array<const TileSet*, kTileFormatCount> of_format{};
  const StridedRow* strided = nullptr;

  void add(const TileRow& row) { of_format[size_t(row.format)] = row.tiles; }
  void add(std::string_view isa) {
    for (const TileRow& row : kTiles)
      if (row.isa == isa) add(row);
    for (const StridedRow& row : kStrided)
      if (row.isa == isa) strided = &row;
  }
};

// Its own, and those of the instruction set that it extends.
Tiles tiles_of(const VecISA& isa) {
  const VecISA* base = find_isa(isa.base);
  Tiles tiles = base ? tiles_of(*base) : Tiles();
  tiles.add(isa.name);
  return tiles;
}

// Without a table, which the linker would keep in libraries with that of all others.
Tiles with_emulated(Tiles tiles) {
#define CPPGEN_EMULATED_TILES(format) tiles.add({"emulated_amx", TileFormat::format, &emulated_amx::tiles_##format});
#include "runtime/contraction/tile_formats.def"
  return tiles;
}

// The table that kernels receive: the functions without their shapes, which the schedule already knows.
class RuntimeTable {
 public:
  explicit RuntimeTable(const Tiles& tiles) {
    for (size_t f = 0; f < kTileFormatCount; f++)
      if (const TileSet* set = tiles.of_format[f]) {
        functions_[f] = set->functions, prepare_[f] = set->prepare;
        begin_[f] = set->begin, finish_[f] = set->finish;
      }
    for (size_t i = 0; i < winograd_input_.size(); i++) {
      const WinogradTransforms& transforms = tiles.strided->winograd->forms[i];
      winograd_input_[i] = transforms.input, winograd_output_[i] = transforms.output;
      winograd_direct_[i] = transforms.direct;
    }
    table_ = {kUnaryF64,
              [](double x, double y) { return std::pow(x, y); },
              [](double x, double y) { return std::fmod(x, y); },
              functions_.data(),
              tiles.strided->tiles->functions,
              prepare_.data(),
              begin_.data(),
              finish_.data(),
              winograd_input_.data(),
              winograd_output_.data(),
              winograd_direct_.data(),
              tiles.strided->winograd->products};
  }
  RuntimeTable(const RuntimeTable&) = delete;
  const cppgen_runtime* get() const { return &table_; }

 private:
  std::array<const TileFunction*, kTileFormatCount> functions_{};
  std::array<PrepareFunction, kTileFormatCount> prepare_{};
  std::array<void (*)(), kTileFormatCount> begin_{}, finish_{};
  std::array<decltype(WinogradTransforms::input), winograd::kFormCount> winograd_input_{};
  std::array<decltype(WinogradTransforms::output), winograd::kFormCount> winograd_output_{};
  std::array<decltype(WinogradTransforms::direct), winograd::kFormCount> winograd_direct_{};
  cppgen_runtime table_{};
};

struct IsaTables {
  explicit IsaTables(const VecISA& isa) : IsaTables(tiles_of(isa)) {}
  explicit IsaTables(const Tiles& t) : tiles(t), table(tiles) {}
  const Tiles tiles;
  const RuntimeTable table;
};

const IsaTables& tables_of(std::string_view isa) {
  static const std::deque<IsaTables> of_rows(all_isas().begin(), all_isas().end());
  const VecISA* row = find_isa(isa);
  if (!row) internal_error("no contraction tiles for the instruction set \"{}\"", isa);
  return of_rows[size_t(row - all_isas().data())];
}

}  // namespace

TileShape tile_shape(std::string_view isa, TileFormat format) {
  const TileSet* set = tables_of(isa).tiles.of_format[size_t(format)];
  return set ? TileShape{set->mr, set->nr} : TileShape{};
}

const cppgen_runtime* runtime_table(std::string_view isa) { return tables_of(isa).table.get(); }

const cppgen_runtime* emulated_amx_table(std::string_view isa) {
  static std::map<std::string_view, const IsaTables> of_isa;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const IsaTables& base = tables_of(isa);
  return of_isa.try_emplace(find_isa(isa)->name, with_emulated(base.tiles)).first->second.table.get();
}

}  // namespace cppgen::rt
