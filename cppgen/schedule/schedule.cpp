#include "cppgen/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "cppgen/schedule/around_caches.h"
#include "cppgen/schedule/attention.h"
#include "cppgen/schedule/engines/choose_engines.h"
#include "cppgen/schedule/epilogue.h"
#include "cppgen/schedule/fold_taps.h"
#include "cppgen/schedule/group.h"
#include "cppgen/schedule/in_place.h"
#include "cppgen/schedule/inline.h"
#include "cppgen/schedule/kernels.h"
#include "cppgen/schedule/merge_rows.h"
#include "cppgen/schedule/pad_rows.h"
#include "cppgen/schedule/reductions.h"
#include "cppgen/schedule/register_tiles.h"
#include "cppgen/schedule/repetition.h"
#include "cppgen/schedule/uses.h"

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

using ContractionSteps = std::vector<ContractionStep>;  // by statement

ScheduledStep make_step(Schedule& schedule, const ContractionSteps& contractions, const Attentions& attentions,
                        const Uses& uses, const Group& group, size_t position) {
  Program& program = schedule.program;
  size_t first = size_t(group.statements[0]);
  if (const auto* call = std::get_if<LibraryStep>(&contractions[first])) return *call;
  if (const auto* call = std::get_if<ir::LibraryCall>(&program.statements[first]))
    return LibraryStep{call->function, "library",     call->inputs, call->outputs,
                       call->params,   call->numbers, call->origins};
  std::string name = kernel_name(position, program, group);
  if (group.attention >= 0) return make_attention_kernel(program, attentions[size_t(group.attention)], name);
  if (const auto* tiles = std::get_if<TileContraction>(&contractions[first]))
    return make_tile_kernel(program, *as_nest(program.statements[first]), *tiles, name);
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
  const auto engines = choose_engines(schedule.program, schedule.layouts,
                                      flat(statements_of(schedule.program, attentions)), options, target, schedule.log);
  const ContractionSteps contractions = prepare_contractions(schedule, engines, options, target);
  if (options.layout_optimization) pad_conflicting_rows(schedule, contractions, target);
  trace(hook, "engines", schedule.program);
  auto groups = group_statements(schedule.program, statements_of(schedule.program, attentions), options, schedule.log);
  Uses uses = collect_uses(schedule.program);
  for (const Group& group : groups) {
    const size_t position = schedule.steps.size();
    if (const auto* r = std::get_if<ir::Repetition>(&schedule.program.statements[size_t(group.statements[0])])) {
      auto steps = schedule_repetition(schedule, *r, uses, options, target, fmt::format("k{}", position));
      std::move(steps.begin(), steps.end(), std::back_inserter(schedule.steps));
    } else {
      schedule.steps.push_back(make_step(schedule, contractions, attentions, uses, group, position));
    }
  }
  if (options.inplace_buffers) find_in_place(schedule);
  find_stores_around_caches(schedule, target);
  settle_tiles(schedule, target);
  return schedule;
}

}  // namespace cppgen::schedule
