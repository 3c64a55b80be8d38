#include "cppgen/schedule/engines/engine_list.h"

#include "cppgen/schedule/engines/attention_engine.h"
#include "cppgen/schedule/engines/tile_conditions.h"
#include "cppgen/schedule/engines/tile_engine.h"

namespace cppgen::schedule {

const std::vector<Engine>& engine_list() {
  using enum rt::TileFormat;
  static const std::vector<Engine> list = {
#define CPPGEN_TILE_ENGINE(name, condition, ...) tile_engine(name, {__VA_ARGS__}, condition),
#define CPPGEN_REPLACING_TILES(name, condition, replacement, ...) \
  tile_engine(name, {__VA_ARGS__}, condition, replacement),
#define CPPGEN_ENGINE(function) function(),
#include "cppgen/schedule/engines/engines.def"
  };
  return list;
}

const std::vector<AttentionEngine>& attention_engine_list() {
  static const std::vector<AttentionEngine> list = {
#define CPPGEN_ATTENTION_ENGINE(function) function(),
#include "cppgen/schedule/engines/engines.def"
  };
  return list;
}

}  // namespace cppgen::schedule
