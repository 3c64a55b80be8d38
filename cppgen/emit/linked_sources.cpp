#include "cppgen/emit/linked_sources.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/errors.h"
#include "runtime/library/library.h"

extern "C" {
extern const char cppgen_linked_library[], cppgen_linked_library_end[];  // cmake/linked_library.cmake
}

namespace cppgen::emit {
namespace {

struct TileRow {
  std::string_view isa, format;
};
constexpr TileRow kTileRows[] = {
#define CPPGEN_TILES(isa, format) {#isa, #format},
#include "runtime/contraction/tile_formats.def"
};
constexpr std::string_view kFormats[] = {
#define CPPGEN_TILE_FORMAT(format, ...) #format,
#include "runtime/contraction/tile_formats.def"
};
constexpr std::string_view kStridedIsas[] = {
#define CPPGEN_STRIDED_TILES(isa) #isa,
#include "runtime/contraction/tile_formats.def"
};

// A row that adds tiles to those of its base.
struct TileFlags {
  std::string_view isa, base;
  std::vector<std::string_view> flags;
};
const std::vector<TileFlags>& rows_of_tiles() {
  static const std::vector<TileFlags> rows{
#define CPPGEN_ISA_TILES(isa, base, features, description, ...) {#isa, #base, {__VA_ARGS__}},
#include "runtime/base/isas.def"
  };
  return rows;
}

bool occurs(const std::vector<std::string_view>& texts, std::string_view what) {
  return std::any_of(texts.begin(), texts.end(), [&](std::string_view text) { return text.find(what) != text.npos; });
}

// The source of tiles of an instruction set that defines `name`.
std::string_view definition_of(const std::string& isa, const std::string& name) {
  for (const LinkedSource& source : linked_sources()) {
    if (!source.path.ends_with(fmt::format("tiles_{}.cpp", isa))) continue;
    for (const char* end : {" ", "{", "("})
      if (source.content.find(name + end) != source.content.npos) return source.path;
  }
  internal_error("emit: no source defines {} for {}", name, isa);
}

// The first instruction set of the chain of bases that `has` something.
template <class Has>
std::string first_with(const VecISA& isa, const Has& has) {
  for (const VecISA* row = &isa; row; row = find_isa(row->base))
    if (has(row->name)) return std::string(row->name);
  internal_error("emit: no instruction set below {} has the tiles of a kernel", isa.name);
}

bool has_tiles(std::string_view isa, std::string_view format) {
  return std::any_of(std::begin(kTileRows), std::end(kTileRows),
                     [&](const TileRow& row) { return row.isa == isa && row.format == format; });
}

}  // namespace

const LinkedSource& linked_source(std::string_view path) {
  for (const LinkedSource& source : linked_sources())
    if (source.path == path) return source;
  internal_error("emit: there is no source '{}'", path);
}

std::vector<const LinkedSource*> included_sources(const std::vector<std::string_view>& texts) {
  constexpr std::string_view kInclude = "#include \"";
  std::vector<const LinkedSource*> found;
  std::vector<std::string_view> open = texts;
  while (!open.empty()) {
    const std::string_view text = open.back();
    open.pop_back();
    for (size_t at = text.find(kInclude); at != text.npos; at = text.find(kInclude, at + 1)) {
      const size_t begin = at + kInclude.size();
      const std::string_view path = text.substr(begin, text.find('"', begin) - begin);
      for (const LinkedSource& source : linked_sources())
        if (source.path == path && std::find(found.begin(), found.end(), &source) == found.end())
          found.push_back(&source), open.push_back(source.content);
    }
  }
  return found;
}

std::string_view linked_library() { return {cppgen_linked_library, cppgen_linked_library_end}; }

bool is_linked_function(std::string_view name) {
  const auto functions = rt::library_functions();
  return !linked_library().empty() && std::any_of(functions.begin(), functions.end(),
                                                  [&](const rt::LibraryFunction& row) { return row.name == name; });
}

std::vector<std::string_view> tile_flags(std::string_view isa) {
  for (const TileFlags& row : rows_of_tiles())
    if (row.isa == isa) {
      std::vector<std::string_view> flags = tile_flags(row.base);
      flags.insert(flags.end(), row.flags.begin(), row.flags.end());
      return flags;
    }
  const auto own = find_isa(isa)->compiler_flags;
  return {own.begin(), own.end()};
}

TileUses tiles_in(const std::vector<std::string_view>& kernels, const VecISA& isa) {
  TileUses uses;
  for (size_t number = 0; number < std::size(kFormats); number++) {
    const std::string format(kFormats[number]);
    if (!occurs(kernels, fmt::format("rt->tiles[{}]", format))) continue;
    const std::string own = first_with(isa, [&](std::string_view row) { return has_tiles(row, format); });
    uses.formats.push_back({own, format, int(number), definition_of(own, "tiles_" + format)});
  }
  if (occurs(kernels, "rt->strided[") || occurs(kernels, "rt->winograd_")) {
    uses.strided_isa = first_with(isa, [](std::string_view row) {
      return std::find(std::begin(kStridedIsas), std::end(kStridedIsas), row) != std::end(kStridedIsas);
    });
    uses.strided_source = definition_of(uses.strided_isa, "strided_f32");
  }
  return uses;
}

}  // namespace cppgen::emit
