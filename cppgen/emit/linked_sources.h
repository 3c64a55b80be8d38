#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "isa/vec_isa.h"

namespace cppgen::emit {

// A source of this project that emitted models contain: tiles, threads, what the CPU can do.
struct LinkedSource {
  std::string_view path;  // as in #include lines: "runtime/linked/crew.h"
  std::string_view content;
};

// All of them as they were when this library was built, sorted by path (embed_sources.cmake).
const std::vector<LinkedSource>& linked_sources();
// The one of this path. InternalError if there is none.
const LinkedSource& linked_source(std::string_view path);

// The headers among them that these texts include, and that those include.
std::vector<const LinkedSource*> included_sources(const std::vector<std::string_view>& texts);

// The object file of the functions of runtime/library; empty if this compiler was built without it.
std::string_view linked_library();
// Returns whether it has the function of this name.
bool is_linked_function(std::string_view name);

// Tiles of a contraction that kernels call (runtime/contraction/tiles.h).
struct TileUse {
  std::string isa, format;  // the namespace, and TileFormat
  int number = 0;           // of the format
  std::string_view source;  // path of the source that defines them
};
struct TileUses {
  std::vector<TileUse> formats;
  std::string strided_isa;  // whose strided tiles and transforms are called; empty: none
  std::string_view strided_source;
};

// The compiler flags of sources of tiles for an instruction set, after those of its base (runtime/base/isas.def).
std::vector<std::string_view> tile_flags(std::string_view isa);

// The tiles that emitted kernels for `isa` call, which their texts tell.
TileUses tiles_in(const std::vector<std::string_view>& kernels, const VecISA& isa);

}  // namespace cppgen::emit
