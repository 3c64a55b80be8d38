#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"
#include "runtime/plan/plan.h"

namespace cppgen::rt {
namespace {

constexpr int64_t kMostStreams = 1024;

// True if `text` can be a symbol of a shared object that an emitted kernel defines.
bool is_identifier(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

// Checks one plan field by field. `where` strings name fields as they appear in plan.json.
class PlanValidator {
 public:
  explicit PlanValidator(const Plan& plan) : plan_(plan) {}

  void run() {
    check_tensors("inputs", plan_.inputs);
    check_tensors("outputs", plan_.outputs);
    check_symbols();
    for (size_t i = 0; i < plan_.bounds.size(); i++) {
      check_expr(fmt::format("bounds[{}].least", i), plan_.bounds[i].least);
      check_expr(fmt::format("bounds[{}].most", i), plan_.bounds[i].most);
    }
    for (size_t i = 0; i < plan_.states.size(); i++) check_state(i);
    for (size_t i = 0; i < plan_.objects.size(); i++) check_object(i);
    if (plan_.streams < 1 || plan_.streams > kMostStreams)
      fail("streams", "is {}; allowed are 1 to {}", plan_.streams, kMostStreams);
    if (plan_.weights_bytes < 0) fail("weights_bytes", "is {}; sizes are at least 0", plan_.weights_bytes);
    for (size_t i = 0; i < plan_.buffers.size(); i++) check_buffer(i);
    for (size_t i = 0; i < plan_.parameters.size(); i++) check_parameter(i);
    check_output_slots();
    written_.assign(plan_.buffers.size(), false);
    for (size_t r = 0; r < plan_.repetitions.size(); r++) check_repetition(r);
    for (size_t i = 0; i < plan_.steps.size(); i++) {
      enter_repetition(i);
      check_step(i);
    }
    repetition_ = -1;
    check_outputs_written();
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(const std::string& where, fmt::format_string<Args...> text, Args&&... args) const {
    user_error("plan: {} {}", where, fmt::format(text, std::forward<Args>(args)...));
  }

  void check_index(const std::string& where, int64_t index, size_t size) const {
    if (index < 0 || index >= int64_t(size)) fail(where, "is {}; allowed is 0 to {}", index, int64_t(size) - 1);
  }

  void check_parameter(size_t i) const {
    const Parameter& parameter = plan_.parameters[i];
    const std::string where = fmt::format("parameters[{}]", i);
    check_index(where + ".buffer", parameter.buffer, plan_.buffers.size());
    const PlanBuffer& buffer = plan_.buffers[size_t(parameter.buffer)];
    if (buffer.kind != PlanBufferKind::constant) fail(where + ".buffer", "is {}, not a constant", parameter.buffer);
    int64_t bytes = int64_t(size_of(parameter.info.type));
    for (const DimExpr& dim : parameter.info.dims) {
      if (check_expr(where + ".dims", dim)) fail(where + ".dims", "depends on a symbol");
      bytes = checked_mul(bytes, evaluate(dim, {}), "plan: a parameter");
    }
    if (check_expr(where, buffer.bytes) || evaluate(buffer.bytes, {}) != bytes)
      fail(where, "has {} bytes, unlike its buffer", bytes);
  }

  // Well-formed for every binding; values are checked when dimensions are bound. Returns true if it uses a symbol.
  bool check_expr(const std::string& where, const DimExpr& expr) const {
    size_t depth = 0;
    bool symbolic = false;
    for (size_t i = 0; i < expr.code.size(); i++) {
      const int64_t op = expr.code[i];
      if (op < 0 || op > int64_t(DimOp::max)) fail(where, "has the unknown operation {}", op);
      if (op <= int64_t(DimOp::symbol)) {
        if (++i == expr.code.size()) fail(where, "ends before an operand");
        if (op == int64_t(DimOp::symbol)) {
          if (repetition_ < 0 || expr.code[i] != int64_t(plan_.symbols.size()) + repetition_)
            check_index(where + " symbol", expr.code[i], plan_.symbols.size());
          symbolic = true;
        }
        depth++;
      } else if (depth < 2) {
        fail(where, "has an operator that lacks an operand");
      } else {
        depth--;
      }
    }
    if (depth != 1) fail(where, "yields {} values instead of 1", depth);
    return symbolic;
  }

  void check_size(const std::string& where, const DimExpr& expr) const {
    if (check_expr(where, expr)) return;
    if (const int64_t value = evaluate(expr, {}); value < 0) fail(where, "is {}; sizes are at least 0", value);
  }

  void check_tensors(const char* list, const std::vector<TensorInfo>& tensors) const {
    std::set<std::string_view> names;
    for (size_t i = 0; i < tensors.size(); i++) {
      const auto where = fmt::format("{}[{}]", list, i);
      if (!names.insert(tensors[i].name).second) fail(where, "repeats the name '{}'", tensors[i].name);
      if (int(tensors[i].type) >= kDTypeCount) fail(where + ".type", "is {}", int(tensors[i].type));
      if (tensors[i].index_extent < 0) fail(where + ".index_extent", "is {}", tensors[i].index_extent);
      for (size_t d = 0; d < tensors[i].dims.size(); d++)
        check_size(fmt::format("{}.dims[{}]", where, d), tensors[i].dims[d]);
    }
  }

  void check_symbols() const {
    for (size_t i = 0; i < plan_.symbols.size(); i++) {
      const Symbol& symbol = plan_.symbols[i];
      const auto where = fmt::format("symbols[{}]", i);
      check_index(where + ".input", symbol.input, plan_.inputs.size());
      const auto& dims = plan_.inputs[size_t(symbol.input)].dims;
      check_index(where + ".axis", symbol.axis, dims.size());
      if (dims[size_t(symbol.axis)] != DimExpr{{int64_t(DimOp::symbol), int64_t(i)}})
        fail(where, "is bound by an input dimension that is a different expression");
    }
  }

  // A run makes the dimensions of the inputs of states from those of the others and from the length of the state.
  void check_state(size_t i) const {
    const KeptState& state = plan_.states[i];
    const auto where = fmt::format("states[{}]", i);
    check_index(where + ".past", state.past, plan_.inputs.size());
    check_index(where + ".present", state.present, plan_.outputs.size());
    if (state_of_input(plan_, state.past) != &state || state_of_output(plan_, state.present) != &state)
      fail(where, "has the input or the output of another state");
    const TensorInfo &past = plan_.inputs[size_t(state.past)], &present = plan_.outputs[size_t(state.present)];
    if (past.type != present.type || past.dims.size() != present.dims.size()) fail(where, "has two types");
    check_index(where + ".axis", state.axis, past.dims.size());
    if (state.capacity < 1) fail(where + ".capacity", "is {}; it is at least 1", state.capacity);
    for (size_t d = 0; d < past.dims.size(); d++)
      if (int64_t(d) != state.axis && !(past.dims[d] == present.dims[d])) fail(where, "has two sizes on axis {}", d);
    const std::vector<int64_t>& length = past.dims[size_t(state.axis)].code;
    if (length.size() != 2 || length[0] != int64_t(DimOp::symbol)) fail(where, "has a length that is no symbol");
    for (const Symbol& symbol : plan_.symbols)
      if (symbol.input == state.past && symbol.axis != state.axis)
        fail(where, "binds the symbol {}, which is not its length", symbol.name);
  }

  void check_object(size_t i) const {
    const std::string& name = plan_.objects[i];
    if (name.empty() || name == "." || name == ".." || name.find('/') != name.npos || name.find('\0') != name.npos)
      fail(fmt::format("objects[{}]", i), "is '{}'; allowed is the name of a file in the package", name);
  }

  void check_buffer(size_t i) {
    const PlanBuffer& buffer = plan_.buffers[i];
    const auto where = fmt::format("buffers[{}]", i);
    check_size(where + ".bytes", buffer.bytes);
    switch (buffer.kind) {
      case PlanBufferKind::input:
        check_index(where + ".slot", buffer.slot, plan_.inputs.size());
        break;
      case PlanBufferKind::output:
        check_index(where + ".slot", buffer.slot, plan_.outputs.size());
        break;
      case PlanBufferKind::constant:
        check_constant(where, buffer);
        break;
      case PlanBufferKind::temporary:
        check_temporary(where, i);
        break;
      default:
        fail(where + ".kind", "is {}", int(buffer.kind));
    }
    if (buffer.shares != -1 && buffer.kind != PlanBufferKind::temporary)
      fail(where + ".shares", "is {}; only temporary buffers share memory", buffer.shares);
  }

  void check_constant(const std::string& where, const PlanBuffer& buffer) const {
    if (check_expr(where + ".bytes", buffer.bytes))
      fail(where + ".bytes", "is that of a constant, but depends on a symbol");
    if (buffer.offset < 0 || buffer.offset % kConstantAlignment != 0)
      fail(where + ".offset", "is {}; allowed are multiples of {}", buffer.offset, kConstantAlignment);
    const int64_t end = checked_add(buffer.offset, evaluate(buffer.bytes, {}), "plan: constant");
    if (end > plan_.weights_bytes) fail(where, "ends at byte {} of {} bytes of weights", end, plan_.weights_bytes);
  }

  void check_temporary(const std::string& where, size_t i) const {
    const PlanBuffer& buffer = plan_.buffers[i];
    check_index(where + ".first_step", buffer.first_step, plan_.steps.size());
    check_index(where + ".last_step", buffer.last_step, plan_.steps.size());
    if (buffer.first_step > buffer.last_step)
      fail(where, "lives from step {} to the earlier step {}", buffer.first_step, buffer.last_step);
    if (buffer.shares == -1) return;
    // Sharing goes to a buffer listed earlier: so chains end in any file.
    check_index(where + ".shares", buffer.shares, i);
    const auto kind = plan_.buffers[size_t(buffer.shares)].kind;
    if (kind != PlanBufferKind::temporary && kind != PlanBufferKind::output)
      fail(where + ".shares", "is {}, which no step may write", buffer.shares);
  }

  void check_output_slots() const {
    std::vector<int> count(plan_.outputs.size());
    for (const PlanBuffer& buffer : plan_.buffers)
      if (buffer.kind == PlanBufferKind::output) count[size_t(buffer.slot)]++;
    for (size_t i = 0; i < count.size(); i++)
      if (count[i] != 1) fail(fmt::format("outputs[{}]", i), "has {} buffers instead of 1", count[i]);
  }

  void check_repetition(size_t r) const {
    const Repetition& repetition = plan_.repetitions[r];
    const auto where = fmt::format("repetitions[{}]", r);
    check_size(where + ".steps", repetition.steps);
    check_index(where + ".first_step", repetition.first_step, plan_.steps.size());
    check_index(where + ".last_step", repetition.last_step, plan_.steps.size());
    const int32_t before = r == 0 ? -1 : plan_.repetitions[r - 1].last_step;
    if (repetition.first_step <= before || repetition.last_step < repetition.first_step)
      fail(where, "runs from step {} to {}, after one that ends with step {}", repetition.first_step,
           repetition.last_step, before);
    for (const CarriedBuffers& c : repetition.carried) check_carried(where + ".carried", c);
  }

  void check_carried(const std::string& where, const CarriedBuffers& c) const {
    for (int32_t id : {c.initial, c.before, c.after}) check_index(where, id, plan_.buffers.size());
    for (int32_t id : {c.before, c.after})
      if (const PlanBuffer& b = plan_.buffers[size_t(id)]; b.kind != PlanBufferKind::temporary || b.shares != -1)
        fail(where, "names buffer {}, which is not a temporary with memory of its own", id);
    if (c.before == c.after || c.initial == c.before || c.initial == c.after)
      fail(where, "names buffer {} twice", c.initial == c.before ? c.before : c.after);
  }

  // Checks that carried buffers have been written; steps of the repetition may use its iteration number.
  void enter_repetition(size_t step) {
    repetition_ = repetition_of(plan_, step);
    if (repetition_ < 0) return;
    const Repetition& repetition = plan_.repetitions[size_t(repetition_)];
    if (size_t(repetition.first_step) != step) return;
    for (const CarriedBuffers& c : repetition.carried) {
      const PlanBufferKind kind = plan_.buffers[size_t(c.initial)].kind;
      if (kind != PlanBufferKind::input && kind != PlanBufferKind::constant && !written_[size_t(c.initial)])
        fail(fmt::format("repetitions[{}].carried", repetition_), "reads buffer {} before any step wrote it",
             c.initial);
      written_[size_t(c.before)] = true;
    }
  }

  void check_step(size_t i) {
    const Step& step = plan_.steps[i];
    const auto where = fmt::format("steps[{}]", i);
    if (step.kind == StepKind::kernel) {
      if (!is_identifier(step.name)) fail(where + ".name", "is '{}'; allowed are C identifiers", step.name);
      if (!is_identifier(step.symbol())) fail(where + ".shared", "is '{}'; allowed are C identifiers", step.shared);
      check_index(where + ".object", step.object, plan_.objects.size());
      check_size(where + ".range", step.range);
      if (step.product_of != -1) check_index(where + ".product_of", step.product_of, plan_.buffers.size());
    } else if (step.kind != StepKind::library) {
      fail(where + ".kind", "is {}", int(step.kind));
    }
    check_expr_list(where, step);
    if (step.output_count < 0 || step.output_count > int64_t(step.buffers.size()))
      fail(where + ".output_count", "is {}; the step has {} buffers", step.output_count, step.buffers.size());
    check_step_buffers(where, i);
  }

  void check_expr_list(const std::string& where, const Step& step) const {
    for (size_t p = 0; p < step.params.size(); p++) check_expr(fmt::format("{}.params[{}]", where, p), step.params[p]);
    const auto check_optional = [&](const std::string& name, const DimExpr& expr) {
      if (!expr.code.empty()) check_size(where + "." + name, expr);
    };
    check_optional("unit_work", step.unit_work), check_optional("scratch_bytes", step.scratch_bytes);
    check_optional("flops", step.flops), check_optional("bytes", step.bytes);
    each_cost(check_optional, step.costs);
    if (!(step.rate > 0) || !std::isfinite(step.rate)) fail(where + ".rate", "is {}; it must be positive", step.rate);
  }

  // Indices, lifetimes, and the order: what a step reads was written before it.
  void check_step_buffers(const std::string& where, size_t i) {
    const Step& step = plan_.steps[i];
    const size_t first_output = step.buffers.size() - size_t(step.output_count);
    for (size_t b = 0; b < step.buffers.size(); b++) {
      const auto place = fmt::format("{}.buffers[{}]", where, b);
      check_index(place, step.buffers[b], plan_.buffers.size());
      const auto id = size_t(step.buffers[b]);
      const PlanBuffer& buffer = plan_.buffers[id];
      const bool given = buffer.kind == PlanBufferKind::input || buffer.kind == PlanBufferKind::constant;
      if (b >= first_output) {
        if (given) fail(place, "writes buffer {}, which is an input or a constant", id);
        written_[id] = true;
      } else if (!given && !written_[id]) {
        fail(place, "reads buffer {} before any step wrote it", id);
      }
      if (buffer.kind == PlanBufferKind::temporary && (int64_t(i) < buffer.first_step || int64_t(i) > buffer.last_step))
        fail(place, "uses buffer {}, which lives from step {} to {}", id, buffer.first_step, buffer.last_step);
    }
    for (const int32_t b : step.reads_back)
      if (std::find(step.buffers.begin() + ptrdiff_t(first_output), step.buffers.end(), b) == step.buffers.end())
        fail(where + ".reads_back", "holds buffer {}, which is no output of the step", b);
  }

  void check_outputs_written() const {
    for (size_t id = 0; id < plan_.buffers.size(); id++)
      if (plan_.buffers[id].kind == PlanBufferKind::output && !written_[id])
        fail(fmt::format("outputs[{}]", plan_.buffers[id].slot), "is written by no step");
  }

  const Plan& plan_;
  std::vector<bool> written_;
  int32_t repetition_ = -1;  // whose steps are checked
};

}  // namespace

const KeptState* state_of_input(const Plan& plan, int64_t input) {
  for (const KeptState& state : plan.states)
    if (state.past == input) return &state;
  return nullptr;
}

const KeptState* state_of_output(const Plan& plan, int64_t output) {
  for (const KeptState& state : plan.states)
    if (state.present == output) return &state;
  return nullptr;
}

int32_t repetition_of(const Plan& plan, size_t step) {
  for (size_t r = 0; r < plan.repetitions.size(); r++)
    if (int64_t(step) >= plan.repetitions[r].first_step && int64_t(step) <= plan.repetitions[r].last_step)
      return int32_t(r);
  return -1;
}

void validate(const Plan& plan) { PlanValidator(plan).run(); }

}  // namespace cppgen::rt
