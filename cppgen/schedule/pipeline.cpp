#include "cppgen/schedule/pipeline.h"

#include "cppgen/schedule/engines/choose_engines.h"
#include "cppgen/schedule/engines/pad_rows.h"
#include "cppgen/schedule/fusion/dead_nests.h"
#include "cppgen/schedule/fusion/epilogue.h"
#include "cppgen/schedule/fusion/inline.h"
#include "cppgen/schedule/fusion/reductions.h"
#include "cppgen/schedule/kernels/around_caches.h"
#include "cppgen/schedule/kernels/in_place.h"
#include "cppgen/schedule/kernels/make_steps.h"
#include "cppgen/schedule/kernels/merge_rows.h"
#include "cppgen/schedule/kernels/register_tiles.h"
#include "cppgen/schedule/layout/fold_taps.h"
#include "cppgen/schedule/verify.h"
#include "runtime/base/errors.h"

namespace cppgen::schedule {
namespace {

constexpr bool kNeeded = true, kOptional = false;

// The only order of the passes. The line above each says why it is there, and why at this place.
constexpr Pass kFusion[] = {
    // First, because views hide from the rules below which nest reads which.
    {"inline_single_use", [](Draft& d) { inline_single_use(d.program(), d.options, d.log()); }},
    // Before cheap nests multiply: a bias or residual with several readers belongs to the contraction that feeds it.
    {"fuse_epilogues", [](Draft& d) { fuse_epilogues(d.program(), d.options, d.log()); }},
    // Values that are cheaper to compute again than to read back need no memory.
    {"inline_cheap", [](Draft& d) { inline_cheap(d.program(), d.options, d.log()); }},
    // Once more, because inlining left single readers behind where there were several.
    {"fuse_epilogues", [](Draft& d) { fuse_epilogues(d.program(), d.options, d.log()); }},
    // What was inlined into all readers is computed for nobody.
    {"drop_dead_nests", [](Draft& d) { drop_dead_nests(d.program()); }},
    // While only contractions read the views in question: an attention takes each point of the batch by itself.
    {"inline_into_attentions",
     [](Draft& d) {
       inline_into_attentions(d.program(), contractions_of_attentions(d.program(), d.options), d.options, d.log());
     }},
    // Before reductions change: a softmax that was unrolled or split would not be recognised as part of an attention.
    {"mark_attentions", [](Draft& d) { d.inside_attentions = buffers_inside_attentions(d.program(), d.options); }},
    // A loop of a few rounds costs more than its body.
    {"unroll_small_reductions",
     [](Draft& d) { unroll_small_reductions(d.program(), d.options, d.inside_attentions, d.log()); }},
    // After unrolling, so that only long reductions are left to be shared out among threads.
    {"split_long_reductions",
     [](Draft& d) { split_long_reductions(d.program(), d.options, d.inside_attentions, d.log()); }},
};

constexpr Pass kKernels[] = {
    // Before layouts are chosen, because it adds the copy whose channels lie side by side.
    {"fold_taps_into_depth", [](Draft& d) { fold_taps_into_depth(d.program(), d.options.tuning, d.log()); }, kOptional,
     &Options::layout_optimization},
    // After fusion, because layouts are wanted by the nests that are left. All later passes ask where elements lie.
    {"plan_layouts", [](Draft& d) { d.layouts() = plan_layouts(d.program(), d.options, d.log()); }, kNeeded},
    // Before engines are chosen: the contractions of an attention run in its kernel.
    {"find_attentions",
     [](Draft& d) { d.attentions = find_attentions(d.program(), d.layouts(), d.options, d.target, d.log()); }},
    // All choices come before the first preparation, which changes the program that engines look at.
    {"choose_engines",
     [](Draft& d) {
       d.engines = choose_engines(d.program(), d.layouts(), statements_of(d.program(), d.attentions), d.options,
                                  d.target, d.log());
     },
     kNeeded},
    // Packed operands and separate epilogues are nests, which grouping has to see.
    {"prepare_contractions",
     [](Draft& d) { d.contractions = prepare_contractions(d.schedule, d.engines, d.options, d.target); }, kNeeded},
    // Only now it is known which operands are read by tiles, and which by functions of the library.
    {"pad_conflicting_rows",
     [](Draft& d) { pad_conflicting_rows(d.schedule, d.contractions, d.target, d.options.tuning); }, kOptional,
     &Options::layout_optimization},
    // The last look at statements: each group becomes one step.
    {"group_statements",
     [](Draft& d) {
       d.groups = group_statements(d.program(), statements_of(d.program(), d.attentions), d.options, d.log());
     },
     kNeeded},
    // From here on there are steps, and the program only says what they mean.
    {"make_steps", make_steps, kNeeded},
    // It asks which buffers a kernel keeps to itself, and in which order steps read.
    {"find_in_place", [](Draft& d) { find_in_place(d.schedule); }, kOptional, &Options::inplace_buffers},
    // After in-place: what lies in an input's memory is in the caches already.
    {"find_stores_around_caches", [](Draft& d) { find_stores_around_caches(d.schedule, d.target); }},
    // After layouts and gaps are settled, which decide whether rows lie at even distances.
    {"merge_rows", [](Draft& d) { merge_rows(d.schedule); }},
    // After rows are merged, because tiles may then end with the lines of an image.
    {"choose_register_tiles", [](Draft& d) { choose_register_tiles(d.schedule, d.target, d.options.tuning); }},
};

void verify_after(const Pass& pass, const Schedule& schedule) {
  try {
    schedule.steps.empty() ? verify_program(schedule) : verify(schedule);
  } catch (const InternalError& error) {
    internal_error("after the pass {}: {}", pass.name, error.what());
  }
}

}  // namespace

std::span<const Pass> fusion_passes() { return kFusion; }
std::span<const Pass> kernel_passes() { return kKernels; }

void run_passes(std::span<const Pass> passes, Draft& draft, const Trace& trace) {
  for (const Pass& pass : passes) {
    if (pass.option && !(draft.options.*pass.option)) continue;
    pass.run(draft);
    verify_after(pass, draft.schedule);
    if (trace) trace(pass.name, draft.schedule.program);
  }
}

}  // namespace cppgen::schedule
