#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cppgen/schedule/kernels/loop_order.h"
#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"
#include "runtime/plan/calls/scatter.h"

namespace cppgen::schedule {
namespace {

// Position of the last step that reads each buffer.
std::vector<int> last_reads(const Schedule& schedule) {
  std::vector<int> last(schedule.program.buffers.size(), -1);
  for (int i = 0; i < int(schedule.steps.size()); i++)
    std::visit(
        [&](const auto& step) {
          for (BufferId b : step.inputs) last[size_t(b)] = i;
        },
        schedule.steps[size_t(i)]);
  return last;
}

bool same_size(const Schedule& s, BufferId a, BufferId b) {
  const auto &x = s.program.buffer(a), &y = s.program.buffer(b);
  return size_of(x.type) == size_of(y.type) &&
         ir::prove_equal(storage_elements(x, s.layouts[size_t(a)]), storage_elements(y, s.layouts[size_t(b)]));
}

// All accesses of the two buffers are at one common offset, so each point touches only its own element of both.
bool same_offsets(const std::vector<Access>& accesses, BufferId output, BufferId input) {
  std::set<const ir::IndexNode*> offsets;
  bool read = false;
  for (const Access& a : accesses) {
    if (a.buffer != output && a.buffer != input) continue;
    if (a.load && (!a.load->guards.empty() || !a.load->indirects.empty())) return false;
    read |= a.buffer == input;
    offsets.insert(a.offset.node());
  }
  return read && offsets.size() == 1;
}

bool is_straight(const FusedKernel& kernel) {
  return kernel.segments.size() == 1 && kernel.segments[0].reduced.empty() && kernel.transpose_loop < 0;
}

// Returns whether points other than the one that is written may read the buffer.
bool reads_everywhere(const FusedKernel& kernel, BufferId b) {
  if (const auto& c = kernel.contraction) return c->packed == b || reads(*c, b);
  return kernel.attention && reads(*kernel.attention, b);
}

// Library calls whose result may overwrite their first input: they read each element before they store it, or leave it
// unchanged.
bool updates_first_input(const LibraryStep& step) {
  const bool scatters = step.function == rt::kScatterElements || step.function == rt::kScatterNd;
  return scatters && std::count(step.inputs.begin(), step.inputs.end(), step.inputs[0]) == 1;
}

}  // namespace

void find_in_place(Draft& draft) {
  Schedule& schedule = draft.schedule;
  auto last = last_reads(schedule);
  auto writers = collect_uses(schedule.program).writers;
  std::set<BufferId> taken;
  auto dies = [&](BufferId input, int step) {
    return schedule.program.buffer(input).kind == ir::BufferKind::temporary && last[size_t(input)] == step &&
           taken.count(input) == 0;
  };
  auto is_own = [&](BufferId output) {
    return schedule.program.buffer(output).kind == ir::BufferKind::temporary && writers[size_t(output)].size() == 1;
  };
  auto share = [&](BufferId output, BufferId input, const std::string& name) {
    taken.insert(input);
    schedule.in_place.push_back({output, input});
    schedule.log.add("in-place", name, FusionDecision::yes("it overwrites an input that is not read again"));
  };
  for (int i = 0; i < int(schedule.steps.size()); i++) {
    const auto* call = std::get_if<LibraryStep>(&schedule.steps[size_t(i)]);
    if (call && updates_first_input(*call) && dies(call->inputs[0], i) && is_own(call->outputs[0]) &&
        same_size(schedule, call->outputs[0], call->inputs[0]))
      share(call->outputs[0], call->inputs[0], call->function);
    const auto* kernel = std::get_if<FusedKernel>(&schedule.steps[size_t(i)]);
    if (!kernel || !is_straight(*kernel)) continue;
    auto accesses = accesses_of(schedule.program, schedule.layouts, *kernel);
    for (BufferId output : kernel->outputs) {
      if (!is_own(output)) continue;
      for (BufferId input : kernel->inputs) {
        if (!dies(input, i) || reads_everywhere(*kernel, input)) continue;
        if (!same_size(schedule, output, input) || !same_offsets(accesses, output, input)) continue;
        share(output, input, kernel->name);
        break;
      }
    }
  }
}

}  // namespace cppgen::schedule
