#include "cppgen/schedule/engines/tile_engine.h"

#include "cppgen/schedule/engines/pad_rows.h"
#include "cppgen/schedule/engines/tiles.h"

namespace cppgen::schedule {
namespace {

struct TileEngine {
  std::vector<rt::TileFormat> formats;
  TileCondition condition;

  FusionDecision supports(const Contraction& contraction, const Options& options, const Target& target) const {
    if (condition)
      if (auto holds = condition(contraction, options, target); !holds) return holds;
    const auto format = choose_format(contraction.view, formats, target);
    if (!format) return FusionDecision::no("there are no such tiles for " + target.isa);
    if (!prepared_rows_fit(contraction.view, *format, target))
      return FusionDecision::no("its prepared rows would be too long");
    return tiles_support(contraction, *format, options, target.tuning);
  }

  Prepared prepare(Program& program, Layouts& layouts, LoopNest nest, const Options& options,
                   const Target& target) const {
    const rt::TileFormat format = format_for(Contraction(program, layouts, nest), target);
    return prepare_tiles(program, layouts, std::move(nest), format, target.tiles[size_t(format)], options,
                         target.tuning);
  }

 private:
  rt::TileFormat format_for(const Contraction& contraction, const Target& target) const {
    const ContractionView& view = *contraction.view;
    const rt::TileFormat format = *choose_format(view, formats, target);
    const auto copied = copied_rows(format);
    const std::vector<ir::Loop> taps(view.k.begin(), view.k.end() - 1);
    if (!copied || !points(taps).is_constant(1)) return format;
    const rt::TileShape shape = target.tiles[size_t(*copied)];
    if (shape.mr == 0) return format;
    const bool copies = rows_need_copies(contraction.program, view.left, view.rows, contraction.layouts, shape, target);
    return copies ? *copied : format;
  }

  // The format that differs in that rows are copied.
  static std::optional<rt::TileFormat> copied_rows(rt::TileFormat format) {
    if (format == rt::TileFormat::f32) return rt::TileFormat::f32_copied;
    if (format == rt::TileFormat::f64) return rt::TileFormat::f64_copied;
    return std::nullopt;
  }
};

}  // namespace

Engine tile_engine(std::string name, std::vector<rt::TileFormat> formats, TileCondition condition) {
  const TileEngine engine{std::move(formats), condition};
  return {std::move(name), "CPP", [engine](const auto&... arguments) { return engine.supports(arguments...); },
          [engine](Program& program, Layouts& layouts, LoopNest nest, const Options& options, const Target& target) {
            return engine.prepare(program, layouts, std::move(nest), options, target);
          }};
}

}  // namespace cppgen::schedule
