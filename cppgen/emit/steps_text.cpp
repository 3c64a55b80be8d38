#include "cppgen/emit/steps_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"
#include "runtime/library/chunks.h"
#include "runtime/memory/planner.h"

namespace cppgen::emit {

using rt::PlanBuffer;
using rt::PlanBufferKind;
using rt::Repetition;
using rt::Step;

namespace {

constexpr size_t kMostComment = 100;

std::string origins_of(const Step& step) {
  return step.origins.empty() ? step.name : fmt::format("{}", fmt::join(step.origins, ", "));
}

std::set<int32_t> carried_of(const Repetition& repetition) {
  std::set<int32_t> buffers;
  for (const rt::CarriedBuffers& c : repetition.carried) buffers.insert({c.before, c.after});
  return buffers;
}

bool known(std::initializer_list<const SizeText*> sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](auto* size) { return size->kind == SizeText::Kind::known; });
}

bool varying(std::initializer_list<const SizeText*> sizes) {
  return std::any_of(sizes.begin(), sizes.end(), [](auto* size) { return size->kind == SizeText::Kind::varying; });
}

}  // namespace

StepsWriter::StepsWriter(const ModelNames& names, const rt::Plan& plan, const ModelOptions& options, SizeTable& sizes,
                         const MemoryText& memory)
    : names_(names), plan_(plan), options_(options), sizes_(sizes), memory_(memory) {
  for (size_t r = 0; r < plan.repetitions.size(); r++) write_carried(plan.repetitions[r], int32_t(r));
  for (size_t s = 0; s < plan.steps.size(); s++) write_step(s);
  write_run();
}

// The address that a step of this repetition, or of none, uses for the buffer.
std::string StepsWriter::address(int32_t buffer, int32_t repetition) const {
  if (repetition >= 0 && carried_of(plan_.repetitions[size_t(repetition)]).count(buffer))
    return fmt::format("c.b{}", buffer);
  const PlanBuffer& own = plan_.buffers[size_t(buffer)];
  if (own.kind == PlanBufferKind::constant)
    return fmt::format("const_cast<char*>({}_weights + {})", names_.model, own.offset);
  const PlanBuffer& root = plan_.buffers[rt::sharing_root(plan_.buffers, size_t(buffer))];
  if (root.kind == PlanBufferKind::input) return fmt::format("const_cast<void*>(m.inputs[{}])", root.slot);
  if (root.kind == PlanBufferKind::output) return fmt::format("m.outputs[{}]", root.slot);
  return fmt::format("m.runner.arena + {}", memory_.offsets[size_t(buffer)]);
}

std::string StepsWriter::chunks_of(const Step& step, const SizeText& range) {
  const SizeText work = sizes_.use_size(step.unit_work), flops = sizes_.use_size(step.flops),
                 bytes = sizes_.use_size(step.bytes);
  if (known({&range, &work, &flops, &bytes})) {
    const int64_t all = checked_mul(range.value, std::max<int64_t>(1, work.value), "emit: work of a step");
    return integer_text(rt::chunk_count(range.value, all, flops.value, bytes.value, options_.min_chunk_size));
  }
  const std::string formula = fmt::format("math.chunks({}, {}, {}, {}, {})", range.text, work.text, flops.text,
                                          bytes.text, options_.min_chunk_size);
  return varying({&range, &work, &flops, &bytes}) ? formula : sizes_.bind(formula);
}

void StepsWriter::note_scratch(const Step& step) {
  const SizeText bytes = sizes_.use_size(step.scratch_bytes);
  if (bytes.kind == SizeText::Kind::varying)
    user_error("node '{}': its scratch memory depends on the iteration, which --emit does not support",
               origins_of(step));
  if (bytes.text != "0") scratch_.insert(bytes.text);
}

std::string StepsWriter::kernel_call(const Step& step) {
  std::vector<std::string> params;
  for (const rt::DimExpr& param : step.params) params.push_back(sizes_.use(param).text);
  const SizeText range = sizes_.use_size(step.range);
  const std::string chunks = chunks_of(step, range);
  note_scratch(step);
  return fmt::format("{}  run_kernel(m.runner, {}, buffers, {}, {}, {});\n",
                     params.empty() ? "" : fmt::format("  const long params[] = {{{}}};\n", fmt::join(params, ", ")),
                     names_.kernel(step.symbol()), params.empty() ? "nullptr" : "params", range.text, chunks);
}

// Errors of library functions have the numbers after those of the plan's checks.
std::string StepsWriter::library_call(const Step& step) {
  const size_t number = failures_.size();
  failures_.push_back(fmt::format("node '{}' ({}) does not allow these values or sizes", origins_of(step), step.name));
  write_library(step, number);
  return fmt::format("  run_library(m.runner, m.library[{}], buffers, {}, {});\n", number, step.buffers.size(),
                     plan_.checks.size() + failures_.size());
}

void StepsWriter::write_library(const Step& step, size_t number) {
  std::vector<std::string> constants, params, numbers, bytes;
  for (const int32_t id : step.buffers) {
    const PlanBuffer& buffer = plan_.buffers[size_t(id)];
    const bool constant = buffer.kind == PlanBufferKind::constant;
    constants.push_back(constant ? fmt::format("{}_weights + {}", names_.model, buffer.offset) : "nullptr");
    bytes.push_back(sizes_.use_size(buffer.bytes).text);
  }
  for (const rt::DimExpr& param : step.params) {
    const SizeText text = sizes_.use(param);
    if (text.kind == SizeText::Kind::varying)
      user_error("node '{}': its sizes depend on the iteration, which --emit does not support", origins_of(step));
    params.push_back(text.text);
  }
  for (const double value : step.numbers) numbers.push_back(fmt::format("{:a}", value));
  const auto array = [](const char* type, const char* name, const std::vector<std::string>& values) {
    return fmt::format("    const {} {}[] = {{{}}};\n", type, name,
                       values.empty() ? "0" : fmt::format("{}", fmt::join(values, ", ")));
  };
  const int failure = int(plan_.bounds.size() + plan_.checks.size() + number);
  create_ += fmt::format(
      "  if (status == kDone) {{\n{}    m->library[{}].op = cppgen_library_create(\"{}\", {}, {}, constants);\n"
      "    if (!m->library[{}].op) status = kFirstMessage + {};\n  }}\n",
      array("void* const", "constants", constants), number, step.name, step.buffers.size() - size_t(step.output_count),
      step.output_count, number, failure);
  destroy_ += fmt::format(
      "  cppgen_library_release(&model->library[{0}].task);\n"
      "  cppgen_library_destroy(model->library[{0}].op);\n",
      number);
  bind_ += fmt::format(
      "  {{\n{}{}{}    const cppgen_library_sizes sizes{{params, {}, numbers, {}, bytes, {}, {}}};\n"
      "    if (!cppgen_library_bind(m.library[{}].op, &sizes, &m.library[{}].task)) return kFirstMessage + {};\n"
      "    scratch = SizeMath::max(scratch, m.library[{}].task.scratch_bytes);\n  }}\n",
      array("int64_t", "params", params), array("double", "numbers", numbers), array("int64_t", "bytes", bytes),
      params.size(), numbers.size(), bytes.size(), options_.min_chunk_size, number, number, failure, number);
}

void StepsWriter::write_step(size_t s) {
  const Step& step = plan_.steps[s];
  const int32_t repetition = rt::repetition_of(plan_, s);
  std::vector<std::string> buffers;
  for (const int32_t buffer : step.buffers) buffers.push_back(address(buffer, repetition));
  const std::string call = step.kind == rt::StepKind::kernel ? kernel_call(step) : library_call(step);
  const std::string iteration =
      repetition < 0 ? "" : fmt::format(", const Carried{}& c, [[maybe_unused]] int64_t t", repetition);
  text_ += fmt::format("// {}\nbool step_{}({}_model& m{}) {{\n",
                       in_comment(shortened_line(origins_of(step), kMostComment)), s, names_.model, iteration);
  if (repetition >= 0) text_ += "  [[maybe_unused]] SizeMath math;\n";
  text_ += fmt::format("  void* const buffers[] = {{{}}};\n{}  return m.runner.error != 0;\n}}\n\n",
                       fmt::join(buffers, ", "), call);
}

void StepsWriter::write_carried(const Repetition& repetition, int32_t number) {
  text_ += fmt::format("struct Carried{} {{\n", number);
  for (const int32_t buffer : carried_of(repetition)) text_ += fmt::format("  void* b{};\n", buffer);
  text_ += "};\n\n";
}

// A carried value alternates between two buffers so that it ends in `after`; the first iteration reads the initial one.
std::string StepsWriter::loop(const Repetition& repetition, int32_t number, size_t& s) {
  std::string text =
      fmt::format("  for (int64_t t = 0, times = {}; t < times; t++) {{\n", sizes_.use_size(repetition.steps).text);
  text += fmt::format("    [[maybe_unused]] const bool odd = (times - t) % 2;\n    Carried{} c;\n", number);
  for (const rt::CarriedBuffers& k : repetition.carried) {
    const std::string before = address(k.before, -1), after = address(k.after, -1);
    text += fmt::format("    c.b{} = t == 0 ? {} : odd ? {} : {};\n", k.before, address(k.initial, -1), before, after);
    text += fmt::format("    c.b{} = odd ? {} : {};\n", k.after, after, before);
  }
  for (; s < plan_.steps.size() && rt::repetition_of(plan_, s) == number; s++)
    text += fmt::format("    if (step_{}(m, c, t)) return failed_check(m);\n", s);
  return text + "  }\n";
}

void StepsWriter::write_run() {
  std::string calls;
  for (size_t s = 0; s < plan_.steps.size();) {
    const int32_t r = rt::repetition_of(plan_, s);
    calls += r < 0 ? fmt::format("  if (step_{}(m)) return failed_check(m);\n", s++)
                   : loop(plan_.repetitions[size_t(r)], r, s);
  }
  text_ += fmt::format(
      "int failed_check(const {0}_model& m) {{ return kFirstMessage + {1} + m.runner.error; }}\n\n"
      "int run_steps([[maybe_unused]] {0}_model& m) {{\n{2}  return kDone;\n}}\n\n",
      names_.model, int(plan_.bounds.size()) - 1, calls);
}

}  // namespace cppgen::emit
