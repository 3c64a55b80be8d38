#include "cppgen/schedule/kernels/repetition.h"

#include <algorithm>
#include <set>

#include "cppgen/schedule/schedule.h"
#include "runtime/base/errors.h"

namespace cppgen::schedule {
namespace {

using ir::BufferKind;
using Buffers = std::set<BufferId>;

class RepetitionSchedule {
 public:
  RepetitionSchedule(Schedule& whole, const ir::Repetition& repetition, const Uses& uses)
      : whole_(whole), repetition_(repetition) {
    for (const auto& s : repetition.body) {
      check(!std::holds_alternative<ir::Repetition>(s), "a repetition inside another");
      for (BufferId b : buffers_read(s)) read_.insert(b);
      for (BufferId b : buffers_written(s)) written_.insert(b);
    }
    for (const auto& c : repetition.carried) before_.insert(c.before), after_.insert(c.after);
    for (BufferId b : read_)
      if (uses.readers[size_t(b)].size() > 1) shared_.insert(b);
    for (BufferId b : written_)
      if (!uses.readers[size_t(b)].empty()) shared_.insert(b);
  }

  std::vector<ScheduledStep> run(Options options, const Target& target, const std::string& name) {
    // A constant that others also read keeps its layout.
    for (BufferId b : read_)
      if (whole_.program.buffer(b).kind == BufferKind::constant && shared_.count(b)) options.weight_prepack = false;
    options.repeated = true;
    Schedule part = schedule_part(body_program(), options, target);
    each_kernel(part.steps, [&](FusedKernel& kernel) { kernel.name = name + "_" + kernel.name; });
    take_buffers(part);
    std::move(part.packed.begin(), part.packed.end(), std::back_inserter(whole_.packed));
    for (auto& entry : part.log.entries) whole_.log.entries.push_back(std::move(entry));
    for (auto& copy : part.log.copies) whole_.log.copies.push_back(copy);
    std::move(part.engines.begin(), part.engines.end(), std::back_inserter(whole_.engines));
    auto steps = ordered(std::move(part.steps));
    take_in_place(part.in_place, steps);
    return steps;
  }

 private:
  Schedule& whole_;
  const ir::Repetition& repetition_;
  Buffers read_, written_;  // by the statements of the body
  Buffers before_, after_;  // carried values
  Buffers shared_;          // other statements read them

  BufferKind kind_inside(const ir::Buffer& b) const {
    if (written_.count(b.id))
      return after_.count(b.id) || shared_.count(b.id) || b.kind == BufferKind::output ? BufferKind::output : b.kind;
    if (!read_.count(b.id)) return BufferKind::temporary;  // the body does not read it
    return b.kind == BufferKind::constant ? b.kind : BufferKind::input;
  }

  ir::Program body_program() const {
    ir::Program program = whole_.program;
    program.statements = repetition_.body;
    program.inputs.clear(), program.outputs.clear();
    for (ir::Buffer& b : program.buffers) {
      b.kind = kind_inside(b);
      if (b.kind == BufferKind::input) program.inputs.push_back(b.id);
      if (b.kind == BufferKind::output) program.outputs.push_back(b.id);
    }
    return program;
  }

  void take_buffers(Schedule& part) {
    auto& buffers = whole_.program.buffers;
    for (size_t b = buffers.size(); b < part.program.buffers.size(); b++) {
      buffers.push_back(std::move(part.program.buffers[b]));
      whole_.layouts.push_back(part.layouts[b]);
    }
    for (const Buffers* own : {&read_, &written_})
      for (BufferId b : *own) whole_.layouts[size_t(b)] = part.layouts[size_t(b)];
  }

  // Buffers that are stored before the repetition are read in every iteration, so their memory must not be reused.
  void take_in_place(const std::vector<InPlace>& pairs, const std::vector<ScheduledStep>& steps) {
    Buffers in_front;
    for (const ScheduledStep& step : steps)
      if (const auto* kernel = std::get_if<FusedKernel>(&step))
        in_front.insert(kernel->outputs.begin(), kernel->outputs.end());
    std::copy_if(pairs.begin(), pairs.end(), std::back_inserter(whole_.in_place),
                 [&](const InPlace& pair) { return in_front.count(pair.input) == 0; });
  }

  bool varies(const Segment& s) const {
    bool found = false;
    const auto look = [&](IndexExpr i) { found = found || ir::depends_on(i, repetition_.step.node()); };
    for (const auto* loops : {&s.loops, &s.reduced})
      for (const ir::Loop& l : *loops) look(l.extent);
    each_value(s, look);
    for (Expr e : values_of(s)) ir::each_index(e, look);
    return found;
  }

  // An example is the packing of an operand that no iteration changes.
  bool is_invariant(const ScheduledStep& step, const Buffers& variant) const {
    const auto* kernel = std::get_if<FusedKernel>(&step);
    if (!kernel || !is_loops(*kernel)) return false;
    auto changes = [&](BufferId b) { return variant.count(b) > 0; };
    if (std::any_of(kernel->inputs.begin(), kernel->inputs.end(), changes)) return false;
    if (std::any_of(kernel->outputs.begin(), kernel->outputs.end(), changes)) return false;
    for (BufferId b : kernel->outputs)
      if (whole_.program.buffer(b).kind != BufferKind::temporary || after_.count(b) || shared_.count(b)) return false;
    return std::none_of(kernel->segments.begin(), kernel->segments.end(), [&](const Segment& s) { return varies(s); });
  }

  std::vector<ScheduledStep> ordered(std::vector<ScheduledStep> steps) const {
    std::vector<ScheduledStep> result;
    RepeatedSteps repeated{repetition_.step, repetition_.steps, repetition_.carried, {}, {}, {}};
    Buffers variant = before_, inputs, outputs;
    for (const auto& c : repetition_.carried) inputs.insert(c.initial), outputs.insert({c.before, c.after});
    for (ScheduledStep& step : steps) {
      if (is_invariant(step, variant)) {
        result.push_back(std::move(step));
        continue;
      }
      std::visit(
          [&](const auto& s) {
            inputs.insert(s.inputs.begin(), s.inputs.end());
            outputs.insert(s.outputs.begin(), s.outputs.end());
            variant.insert(s.outputs.begin(), s.outputs.end());
          },
          step);
      repeated.body.push_back(std::move(step));
    }
    repeated.inputs.assign(inputs.begin(), inputs.end());
    repeated.outputs.assign(outputs.begin(), outputs.end());
    result.push_back(std::move(repeated));
    return result;
  }
};

}  // namespace

std::vector<ScheduledStep> schedule_repetition(Schedule& schedule, const ir::Repetition& repetition, const Uses& uses,
                                               const Options& options, const Target& target, const std::string& name) {
  return RepetitionSchedule(schedule, repetition, uses).run(options, target, name);
}

}  // namespace cppgen::schedule
