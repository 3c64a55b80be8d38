#include "cppgen/schedule/engines/engine_list.h"

#include "cppgen/schedule/engines/tile_conditions.h"
#include "cppgen/schedule/engines/tile_engine.h"

namespace cppgen::schedule {

const std::vector<Engine>& engine_list() {
  using enum rt::TileFormat;
  static const std::vector<Engine> list = {
#define CPPGEN_TILE_ENGINE(name, condition, ...) tile_engine(name, {__VA_ARGS__}, condition),
#define CPPGEN_ENGINE(function) function(),
#include "cppgen/schedule/engines/engines.def"
  };
  return list;
}

}  // namespace cppgen::schedule
