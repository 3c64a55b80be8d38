#include "cppgen/schedule_text/target_text.h"

#include <fmt/format.h>

#include "cppgen/schedule/engines/engine_list.h"
#include "isa/vec_isa.h"
#include "runtime/base/errors.h"

namespace cppgen::schedule_text {

schedule::Target usual_target(const std::string& name) {
  const VecISA* isa = find_isa(name);
  if (!isa) user_error("there is no instruction set '{}'", name);
  schedule::Target target{name, isa->lanes};
  for (size_t f = 0; f < rt::kTileFormatCount; f++) target.tiles[f] = rt::tile_shape(name, rt::TileFormat(f));
  target.finished_tiles = has_finished_tiles(*isa);
  target.byte_dots = isa->required.has_any(arch::kByteDots);
  return target;
}

std::string engine_name(const schedule::Engine& engine) {
  int number = 1;
  for (const schedule::Engine* e = schedule::engine_list().data(); e != &engine; e++) number += e->name == engine.name;
  return number == 1 ? engine.name : fmt::format("{}#{}", engine.name, number);
}

const schedule::Engine* engine_named(const std::string& name) {
  for (const schedule::Engine& engine : schedule::engine_list())
    if (engine_name(engine) == name) return &engine;
  return nullptr;
}

std::string tuning_differences(const schedule::Tuning& usual, const schedule::Tuning& tuning) {
  std::string text;
  for (const schedule::TuningRow& row : schedule::tuning_rows()) {
    const std::string value =
        row.integer ? fmt::format("{}", tuning.*row.integer) : fmt::format("{}", tuning.*row.number);
    const bool same = row.integer ? tuning.*row.integer == usual.*row.integer : tuning.*row.number == usual.*row.number;
    if (!same) text += fmt::format("{}{}={}", text.empty() ? "" : ",", row.name, value);
  }
  return text;
}

}  // namespace cppgen::schedule_text
