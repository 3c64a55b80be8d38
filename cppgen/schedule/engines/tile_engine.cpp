#include "cppgen/schedule/engines/tile_engine.h"

#include <algorithm>

#include "cppgen/schedule/engines/pad_rows.h"
#include "cppgen/schedule/engines/tiles.h"

namespace cppgen::schedule {
namespace {

// Returns whether the rows are contiguous in the results and the columns are not.
bool writes_along_rows(const Contraction& contraction) {
  const ContractionView& view = *contraction.view;
  if (view.rows.empty() || view.columns.size() != 1) return false;
  const auto follow = [&](const ir::Store& s, const ir::Loop& loop) {
    const ir::Buffer& buffer = contraction.program.buffer(s.buffer);
    const auto stride =
        ir::stride_of(offset_of(buffer, contraction.layouts[size_t(s.buffer)], s.indices), loop.var.node());
    return stride && stride->is_constant(1);
  };
  const auto& stores = contraction.nest.stores;
  return std::all_of(stores.begin(), stores.end(),
                     [&](const ir::Store& s) { return follow(s, view.rows.back()) && !follow(s, view.columns[0]); });
}

struct TileEngine {
  std::vector<rt::TileFormat> formats;
  TileCondition condition;

  FusionDecision supports(const Contraction& contraction, const Options& options, const Target& target) const {
    if (condition)
      if (auto holds = condition(contraction, options, target); !holds) return holds;
    const auto format = choose_format(contraction.view, formats_for(contraction), target);
    if (!format) return FusionDecision::no("there are no such tiles for " + target.isa);
    if (!prepared_rows_fit(contraction.view, *format, target))
      return FusionDecision::no("its prepared rows would be too long");
    return tiles_support(contraction, *format, options, target.tuning);
  }

  Prepared prepare(Program& program, Layouts& layouts, LoopNest nest, const Options& options,
                   const Target& target) const {
    const rt::TileFormat format = format_for(Contraction(program, layouts, nest), target);
    return prepare_tiles(program, layouts, std::move(nest), format, target.tiles[size_t(format)], options,
                         target.tuning, options.repeated ? nullptr : &target);
  }

 private:
  // Such results are finished in vectors of rows, of which wide tiles of bytes would fill a part.
  std::vector<rt::TileFormat> formats_for(const Contraction& contraction) const {
    std::vector<rt::TileFormat> result = formats;
    if (contraction.view && writes_along_rows(contraction)) std::erase_if(result, rt::tiles_prefetch);
    return result;
  }

  rt::TileFormat format_for(const Contraction& contraction, const Target& target) const {
    const ContractionView& view = *contraction.view;
    const rt::TileFormat format = *choose_format(view, formats_for(contraction), target);
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

Engine tile_engine(std::string name, std::vector<rt::TileFormat> formats, TileCondition condition,
                   TileReplacement replacement) {
  const TileEngine engine{std::move(formats), condition};
  return {std::move(name), "CPP", [engine](const auto&... arguments) { return engine.supports(arguments...); },
          [engine](Program& program, Layouts& layouts, LoopNest nest, const Options& options, const Target& target) {
            return engine.prepare(program, layouts, std::move(nest), options, target);
          },
          replacement};
}

}  // namespace cppgen::schedule
