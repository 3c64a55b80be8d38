#include "cppgen/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "cppgen/schedule/around_caches.h"
#include "cppgen/schedule/attention.h"
#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/epilogue.h"
#include "cppgen/schedule/fold_taps.h"
#include "cppgen/schedule/group.h"
#include "cppgen/schedule/in_place.h"
#include "cppgen/schedule/inline.h"
#include "cppgen/schedule/kernels.h"
#include "cppgen/schedule/merge_rows.h"
#include "cppgen/schedule/n_bits.h"
#include "cppgen/schedule/onednn.h"
#include "cppgen/schedule/pad_rows.h"
#include "cppgen/schedule/reductions.h"
#include "cppgen/schedule/register_tiles.h"
#include "cppgen/schedule/repetition.h"
#include "cppgen/schedule/tiles.h"
#include "cppgen/schedule/uses.h"
#include "cppgen/schedule/xsmm.h"

namespace cppgen::schedule {
namespace {

// Nests whose results nobody reads; the last first, whose operands then have a reader less.
void drop_dead(Program& program) {
  std::vector<bool> read(program.buffers.size(), false), dead(program.statements.size(), false);
  for (size_t i = program.statements.size(); i-- > 0;) {
    const LoopNest* nest = as_nest(program.statements[i]);
    dead[i] = nest && std::all_of(nest->stores.begin(), nest->stores.end(), [&](const auto& s) {
                return program.buffer(s.buffer).kind == ir::BufferKind::temporary && !read[size_t(s.buffer)];
              });
    if (dead[i]) continue;
    for (BufferId b : buffers_read(program.statements[i])) read[size_t(b)] = true;
  }
  erase_statements(program, dead);
}

// Chooses engines and brings each contraction into its engine's form: extra nests (packing, an epilogue of its own)
// appear in the program; `prepared` remembers what the tile engine needs, by position.
struct Engines {
  std::vector<std::optional<TileContraction>> tiles;
  std::vector<std::optional<LibraryStep>> library;
};

constexpr const char* kPackedEachRun = "the right operand is packed into panels, and is no constant";

class EngineStage {
 public:
  EngineStage(Schedule& schedule, const std::vector<int>& elsewhere, const Options& options, const Target& target)
      : schedule_(schedule),
        options_(options),
        target_(target),
        chosen_(choose_engines(schedule.program, schedule.layouts, elsewhere, options, target, schedule.log)) {}

  Engines run() {
    auto old = std::move(schedule_.program.statements);
    schedule_.program.statements.clear();
    for (size_t i = 0; i < old.size(); i++) {
      const Engine* engine = chosen_[i];
      if (engine && engine->kind == Engine::tiles)
        tiles(std::get<LoopNest>(old[i]), *engine);
      else if (engine && engine->kind == Engine::n_bits)
        n_bits(std::get<LoopNest>(old[i]), *engine);
      else if (engine && engine->kind == Engine::onednn)
        library(std::get<LoopNest>(old[i]),
                [&](LoopNest& nest) { return prepare_onednn(schedule_.program, schedule_.layouts, nest); });
      else if (engine && engine->kind == Engine::xsmm)
        library(std::get<LoopNest>(old[i]),
                [&](LoopNest& nest) { return prepare_xsmm(schedule_.program, schedule_.layouts, nest, options_); });
      else
        append(std::move(old[i]));
    }
    return std::move(engines_);
  }

 private:
  Schedule& schedule_;
  const Options& options_;
  const Target& target_;
  std::vector<const Engine*> chosen_;
  Engines engines_;

  // A contraction that no engine takes is a nest as any other.
  void append(ir::Statement statement, bool contraction = false) {
    if (LoopNest* nest = as_nest(statement); nest && !contraction) nest->roles.clear();
    schedule_.program.statements.push_back(std::move(statement));
    engines_.tiles.emplace_back();
    engines_.library.emplace_back();
  }

  void append_copy(LoopNest nest, const char* kind, const char* reason) {
    schedule_.log.copies.push_back({nest.stores[0].buffer, kind, reason});
    append(std::move(nest));
  }

  void tiles(LoopNest nest, const Engine& engine) {
    const rt::TileFormat format = copied_if_needed(nest, *choose_format(nest, engine.formats, target_));
    auto prepared =
        prepare_tiles(schedule_.program, schedule_.layouts, nest, format, target_.tiles[size_t(format)], options_);
    place(std::move(prepared), std::move(nest), engine);
  }

  void n_bits(LoopNest nest, const Engine& engine) {
    auto prepared = prepare_n_bits(schedule_.program, schedule_.layouts, nest, target_);
    place(std::move(prepared), std::move(nest), engine);
  }

  void place(TilePreparation prepared, LoopNest nest, const Engine& engine) {
    if (prepared.packing) append_copy(std::move(*prepared.packing), "packing", kPackedEachRun);
    if (prepared.packed) schedule_.packed.push_back(std::move(*prepared.packed));
    append(std::move(nest), true);
    engines_.tiles.back() = std::move(prepared.contraction);
    engines_.tiles.back()->engine = engine.name;
  }

  // Rows that conflict and cannot be moved apart, being an input of the model, are copied a tile at a time.
  rt::TileFormat copied_if_needed(const LoopNest& nest, rt::TileFormat format) const {
    const auto view = view_of(nest);
    const bool moves = schedule_.program.buffer(view->left->buffer).kind == ir::BufferKind::temporary;
    const rt::TileShape copied = target_.tiles[size_t(rt::TileFormat::f32_copied)];
    const std::vector<ir::Loop> taps(view->depth.begin(), view->depth.end() - 1);
    if (format != rt::TileFormat::f32 || moves || !points(taps).is_constant(1) || copied.mr == 0) return format;
    const bool conflict = rows_conflict(schedule_.program, *view, schedule_.layouts, copied, target_);
    return conflict ? rt::TileFormat::f32_copied : format;
  }

  template <class Prepare>
  void library(LoopNest nest, Prepare&& prepare) {
    LibraryPreparation prepared = prepare(nest);
    if (prepared.padding) append_copy(std::move(*prepared.padding), "padding", "the engine reads images with padding");
    if (prepared.packing) append_copy(std::move(*prepared.packing), "packing", kPackedEachRun);
    if (prepared.packed) schedule_.packed.push_back(std::move(*prepared.packed));
    append(std::move(nest), true);
    engines_.library.back() = std::move(prepared.step);
    append(std::move(prepared.epilogue));
  }
};

void pad_rows(Schedule& schedule, const Engines& engines, const Target& target) {
  std::vector<BufferId> library;
  auto add = [&](const auto& call) {
    for (const auto* buffers : {&call.inputs, &call.outputs})
      library.insert(library.end(), buffers->begin(), buffers->end());
  };
  for (size_t i = 0; i < engines.tiles.size(); i++) {
    if (engines.library[i]) add(*engines.library[i]);
    const auto& statement = schedule.program.statements[i];
    if (const auto* call = std::get_if<ir::LibraryCall>(&statement)) add(*call);
    if (!std::holds_alternative<ir::Repetition>(statement)) continue;
    for (const auto& buffers : {buffers_read(statement), buffers_written(statement)})
      library.insert(library.end(), buffers.begin(), buffers.end());
  }
  for (const auto& tiles : engines.tiles)
    if (tiles) pad_conflicting_rows(schedule.program, *tiles, library, target, schedule.layouts, schedule.log);
}

std::string kernel_name(size_t position, const Program& program, const Group& group) {
  std::string name = fmt::format("k{}", position);
  size_t shown = 0;
  std::string last;
  for (int s : group.statements) {
    const std::string& part = as_nest(program.statements[size_t(s)])->name;
    if (part == last || shown == 4) continue;
    name += "_" + part;
    last = part;
    shown++;
  }
  return name;
}

using Attentions = std::vector<FoundAttention>;

StatementLists statements_of(const Program& program, const Attentions& attentions) {
  StatementLists lists;
  for (const auto& a : attentions) lists.push_back(statements_of(program, a));
  return lists;
}

std::vector<int> flat(const StatementLists& lists) {
  std::vector<int> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

ScheduledStep make_step(Schedule& schedule, const Engines& engines, const Attentions& attentions, const Uses& uses,
                        const Group& group, size_t position) {
  Program& program = schedule.program;
  size_t first = size_t(group.statements[0]);
  if (engines.library[first]) return *engines.library[first];
  if (const auto* call = std::get_if<ir::LibraryCall>(&program.statements[first]))
    return LibraryStep{call->function, "library",     call->inputs, call->outputs,
                       call->params,   call->numbers, call->origins};
  std::string name = kernel_name(position, program, group);
  if (group.attention >= 0) return make_attention_kernel(program, attentions[size_t(group.attention)], name);
  if (engines.tiles[first])
    return make_tile_kernel(program, *as_nest(program.statements[first]), *engines.tiles[first], name);
  return make_kernel(program, schedule.layouts, uses, group, name);
}

void settle_tiles(Schedule& schedule, const Target& target) {
  for (auto& step : schedule.steps) {
    auto* kernel = std::get_if<FusedKernel>(&step);
    if (!kernel || !kernel->contraction) continue;
    kernel->segments[0].loops = kernel->contraction->rows;
    merge_rows(schedule.program, schedule.layouts, *kernel);
    schedule.log.add("tiles", kernel->name + " in registers",
                     choose_register_tiles(schedule.program, schedule.layouts, target, *kernel));
  }
}

void trace(const Trace& hook, const char* stage, const Program& program) {
  if (hook) hook(stage, program);
}

}  // namespace

void fuse(Program& program, const Options& options, DecisionLog& log, const Trace& hook) {
  inline_single_use(program, options, log);
  trace(hook, "inline_single_use", program);
  // Before cheap nests multiply: a bias or residual add with several readers belongs to the contraction that feeds it.
  fuse_epilogues(program, options, log);
  trace(hook, "fuse_epilogues", program);
  inline_cheap(program, options, log);
  trace(hook, "inline_cheap", program);
  // Inlining left single readers behind that were several before.
  fuse_epilogues(program, options, log);
  drop_dead(program);
  inline_into_attentions(program, contractions_of_attentions(program, options), options, log);
  const auto kept = buffers_inside_attentions(program, options);
  unroll_small_reductions(program, options, kept, log);
  split_long_reductions(program, options, kept, log);
  trace(hook, "reductions", program);
}

Schedule make_schedule(Program program, const Options& options, const Target& target, const Trace& hook) {
  Schedule schedule;
  schedule.program = std::move(program);
  fuse(schedule.program, options, schedule.log, hook);
  ir::verify(schedule.program);
  if (options.layout_optimization) fold_taps_into_depth(schedule.program, schedule.log);
  schedule.layouts = plan_layouts(schedule.program, options, schedule.log);
  const Attentions attentions = find_attentions(schedule.program, schedule.layouts, options, target, schedule.log);
  Engines engines = EngineStage(schedule, flat(statements_of(schedule.program, attentions)), options, target).run();
  if (options.layout_optimization) pad_rows(schedule, engines, target);
  trace(hook, "engines", schedule.program);
  auto groups = group_statements(schedule.program, statements_of(schedule.program, attentions), options, schedule.log);
  Uses uses = collect_uses(schedule.program);
  for (const Group& group : groups) {
    const size_t position = schedule.steps.size();
    if (const auto* r = std::get_if<ir::Repetition>(&schedule.program.statements[size_t(group.statements[0])])) {
      auto steps = schedule_repetition(schedule, *r, uses, options, target, fmt::format("k{}", position));
      std::move(steps.begin(), steps.end(), std::back_inserter(schedule.steps));
    } else {
      schedule.steps.push_back(make_step(schedule, engines, attentions, uses, group, position));
    }
  }
  if (options.inplace_buffers) find_in_place(schedule);
  find_stores_around_caches(schedule, target);
  settle_tiles(schedule, target);
  return schedule;
}

}  // namespace cppgen::schedule
