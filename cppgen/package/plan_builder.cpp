#include "cppgen/package/plan_builder.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "cppgen/package/bounds.h"
#include "cppgen/package/dim_code.h"
#include "cppgen/package/exchanged.h"
#include "cppgen/schedule/uses.h"
#include "runtime/base/errors.h"
#include "runtime/contraction/formats.h"
#include "runtime/contraction/tiles.h"

namespace cppgen::package {
namespace {

using ir::BufferId;
using ir::BufferKind;
using ir::IndexExpr;
using schedule::FusedKernel;
using schedule::LibraryStep;
using schedule::PackedConstant;

// The shape of an input or output for its caller.
std::vector<IndexExpr> tensor_shape(const ir::Program& program, BufferId b, const std::vector<KeptState>& states) {
  std::vector<IndexExpr> shape = program.buffer(b).shape;
  for (const KeptState& state : states) {
    if (b == state.past) shape[state.axis] = state.past_length;
    if (b == state.present) shape[state.axis] = state.present_length;
  }
  return shape;
}

// A symbol is bound by an input that is no state if there is one.
std::vector<rt::Symbol> find_symbols(const ir::Program& program, const std::vector<KeptState>& states) {
  std::vector<rt::Symbol> symbols;
  const auto is_state = [&](size_t i) {
    return std::any_of(states.begin(), states.end(), [&](const auto& s) { return s.past == program.inputs[i]; });
  };
  std::vector<size_t> order(program.inputs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_partition(order.begin(), order.end(), [&](size_t i) { return !is_state(i); });
  for (const size_t i : order) {
    const auto shape = tensor_shape(program, program.inputs[i], states);
    for (size_t axis = 0; axis < shape.size(); axis++) {
      const auto* n = shape[axis].node();
      if (!n || n->op != ir::IndexOp::variable) continue;
      bool known = std::any_of(symbols.begin(), symbols.end(), [&](const auto& s) { return s.name == n->name; });
      if (!known) symbols.push_back({n->name, int32_t(i), int32_t(axis)});
    }
  }
  return symbols;
}

std::map<std::string, int64_t> numbered(const std::vector<rt::Symbol>& symbols) {
  std::map<std::string, int64_t> numbers;
  for (size_t i = 0; i < symbols.size(); i++) numbers[symbols[i].name] = int64_t(i);
  return numbers;
}

// The steps of repetitions are numbered behind the symbols of dimensions.
std::map<std::string, int64_t> numbered(const std::vector<rt::Symbol>& symbols, const schedule::Schedule& schedule) {
  auto numbers = numbered(symbols);
  for (const auto& step : schedule.steps)
    if (const auto* repeated = std::get_if<schedule::RepeatedSteps>(&step))
      numbers.emplace(repeated->step.node()->name, int64_t(numbers.size()));
  return numbers;
}

bool same_weights(const std::optional<ir::NBitWeights>& a, const std::optional<ir::NBitWeights>& b) {
  if (!a || !b) return !a && !b;
  const auto key = [](const ir::NBitWeights& w) {
    return std::tuple(w.values, w.scales, w.zeros, w.columns, w.k, w.bits, w.block);
  };
  return key(*a) == key(*b);
}

// Returns whether two products read the same panels of the same constant.
bool same_panels(const PackedConstant& a, const PackedConstant& b) {
  const auto key = [](const PackedConstant& p) {
    return std::tie(p.source, p.format, p.width, p.column_stride, p.k_stride, p.batch_offsets, p.tap_offsets,
                    p.winograd.side, p.winograd.taps, p.winograd.flat, p.winograd.stride);
  };
  return key(a) == key(b) && a.columns == b.columns && a.k == b.k && same_weights(a.n_bits, b.n_bits);
}

// Adds an empty slice behind an odd number of them, so that tiles of 16, 32 and 48 columns, and thus the versions of a
// package for several instruction sets, share the constant (runtime/contraction/formats.h). Slices of several batches
// follow each other, so they stay as they are.
int64_t bytes_of_even_slices(const PackedConstant& packed, const ir::Buffer& buffer, int64_t bytes) {
  const bool sliced = rt::slice_columns(packed.format, packed.width) == rt::kSliceColumns;
  if (!sliced || packed.batch_offsets.size() != 1) return bytes;
  const int64_t slices = buffer.shape[1].constant();
  return slices % 2 == 0 ? bytes : bytes / slices * (slices + 1);
}

class Builder {
 public:
  explicit Builder(const PlanSource& source)
      : source_(source),
        program_(source.schedule.program),
        symbols_(find_symbols(program_, source.states)),
        coder_(numbered(symbols_, source.schedule)),
        exchanged_(program_, source.costs),
        id_of_(program_.buffers.size(), -1),
        packed_(program_.buffers.size(), nullptr) {
    for (const PackedConstant& p : source.schedule.packed) packed_[size_t(p.packed)] = &p;
  }

  PlanAndWeights run() {
    rt::Plan& plan = result_.plan;
    plan.model = source_.model, plan.isa = source_.isa, plan.symbols = symbols_, plan.objects = source_.objects;
    plan.bounds = bounds_of(*program_.index, symbols_, source_.size_bounds);
    describe_tensors();
    for (const auto& step : source_.schedule.steps) std::visit([&](const auto& s) { add(s); }, step);
    if (source_.keep_originals)
      for (const PackedConstant& p : source_.schedule.packed) plan_buffer(p.source);
    plan.weights_bytes = weights_bytes_;
    set_in_place();
    set_exchanged();
    rt::validate(plan);
    return std::move(result_);
  }

 private:
  const PlanSource& source_;
  const ir::Program& program_;
  std::vector<rt::Symbol> symbols_;
  DimCoder coder_;
  PlanAndWeights result_;
  ExchangedBytes exchanged_;
  std::vector<int32_t> id_of_;  // plan buffer of each program buffer, -1: none yet
  size_t next_kernel_ = 0;
  int64_t weights_bytes_ = 0;
  std::vector<const PackedConstant*> packed_;                                             // by buffer
  std::map<BufferId, std::vector<std::pair<const PackedConstant*, int64_t>>> panels_of_;  // by source, with offsets

  rt::TensorInfo describe(BufferId b, const std::string& name) const {
    rt::TensorInfo info;
    info.name = name, info.type = program_.buffer(b).type;
    for (IndexExpr d : tensor_shape(program_, b, source_.states)) info.dims.push_back(coder_.code(d));
    return info;
  }

  void describe_tensors() {
    for (size_t i = 0; i < program_.inputs.size(); i++) {
      auto info = describe(program_.inputs[i], source_.input_names[i]);
      if (is_parameter(program_.inputs[i])) {
        result_.plan.parameters.push_back({std::move(info), plan_buffer(program_.inputs[i])});
        continue;
      }
      if (!source_.index_extents.empty()) info.index_extent = source_.index_extents[i];
      result_.plan.inputs.push_back(std::move(info));
    }
    for (const KeptState& s : source_.states)
      result_.plan.states.push_back({slot_of(program_.inputs, s.past), slot_of(program_.outputs, s.present),
                                     int32_t(s.axis), program_.buffer(s.past).shape[s.axis].constant()});
    for (size_t i = 0; i < program_.outputs.size(); i++)
      result_.plan.outputs.push_back(describe(program_.outputs[i], source_.output_names[i]));
  }

  // Parameters are the last inputs of the program.
  bool is_parameter(BufferId b) const {
    return program_.buffer(b).kind == BufferKind::input && program_.buffer(b).data.bytes != nullptr;
  }

  int32_t slot_of(const std::vector<BufferId>& list, BufferId b) const {
    return int32_t(std::find(list.begin(), list.end(), b) - list.begin());
  }

  // Its position in the weights. Panels that several products read from one constant are packed once.
  int64_t place_constant(BufferId b, int64_t bytes) {
    const PackedConstant* packed = packed_[size_t(b)];
    if (packed)
      for (const auto& [other, offset] : panels_of_[packed->source])
        if (same_panels(*other, *packed)) return offset;
    if (packed) bytes = bytes_of_even_slices(*packed, program_.buffer(b), bytes);
    const int64_t offset = weights_bytes_;
    if (packed) panels_of_[packed->source].emplace_back(packed, offset);
    result_.weights.push_back({b, offset, bytes});
    weights_bytes_ += (bytes + rt::kConstantAlignment - 1) / rt::kConstantAlignment * rt::kConstantAlignment;
    return offset;
  }

  int32_t plan_buffer(BufferId b) {
    int32_t& id = id_of_[size_t(b)];
    if (id >= 0) return id;
    id = int32_t(result_.plan.buffers.size());
    const auto& buffer = program_.buffer(b);
    rt::PlanBuffer p;
    IndexExpr bytes =
        schedule::storage_elements(buffer, source_.schedule.layouts[size_t(b)]) * int64_t(size_of(buffer.type));
    p.bytes = coder_.code(bytes), p.type = buffer.type, p.name = buffer.name;
    switch (buffer.kind) {
      case BufferKind::input:
        if (is_parameter(b)) {
          p.kind = rt::PlanBufferKind::constant, p.offset = place_constant(b, bytes.constant());
        } else {
          p.kind = rt::PlanBufferKind::input, p.slot = slot_of(program_.inputs, b);
        }
        break;
      case BufferKind::output:
        p.kind = rt::PlanBufferKind::output, p.slot = slot_of(program_.outputs, b);
        break;
      case BufferKind::temporary:
        p.first_step = int32_t(result_.plan.steps.size());
        break;
      case BufferKind::constant:
        p.kind = rt::PlanBufferKind::constant, p.offset = place_constant(b, bytes.constant());
        break;
    }
    result_.plan.buffers.push_back(std::move(p));
    return id;
  }

  void use(rt::Step& step, BufferId b) {
    int32_t id = plan_buffer(b);
    step.buffers.push_back(id);
    auto& p = result_.plan.buffers[size_t(id)];
    if (p.kind == rt::PlanBufferKind::temporary) p.last_step = int32_t(result_.plan.steps.size());
  }

  IndexExpr bytes_touched(const std::vector<BufferId>& buffers) const {
    IndexExpr n = 0;
    for (BufferId b : buffers)
      n = n + ir::product(program_.buffer(b).shape) * int64_t(size_of(program_.buffer(b).type));
    return n;
  }

  bool multiplies_with_constants(const FusedKernel& k) const {
    return k.contraction && program_.buffer(k.contraction->packed).kind == ir::BufferKind::constant;
  }

  void add(const FusedKernel& kernel) {
    const codegen::KernelText& text = source_.kernels[next_kernel_];
    rt::Step step;
    step.name = text.name, step.shared = text.shared;
    step.object = source_.object_of_kernel[next_kernel_];
    next_kernel_++;
    for (BufferId b : text.buffers) use(step, b);
    step.output_count = text.output_count;
    for (BufferId b : kernel.reads_back) step.reads_back.push_back(id_of_[size_t(b)]);
    for (IndexExpr p : text.params) step.params.push_back(coder_.code(p));
    step.range = coder_.code(text.plan.units), step.unit_work = coder_.code(text.plan.unit_work);
    step.scratch_bytes = coder_.code(text.plan.scratch_bytes);
    step.engine = schedule::engine_of(kernel);
    if (multiplies_with_constants(kernel)) step.product_of = id_of_[size_t(kernel.contraction->left->buffer)];
    step.origins = kernel.origins;
    const kernel::KernelWork& work = text.plan.work;
    step.flops = coder_.code(work.flops), step.rate = work.rate, step.bytes = coder_.code(work.bytes);
    step.costs = {.products = coder_.code(work.products),
                  .multi_instruction = coder_.code(work.multi_instruction),
                  .functions = coder_.code(work.functions),
                  .instructions = coder_.code(work.instructions),
                  .exchanged = {}};
    const auto outputs = text.buffers.end() - text.output_count;
    exchanged_.add({{text.buffers.begin(), outputs},
                    {outputs, text.buffers.end()},
                    text.plan.read_by_all,
                    text.plan.reads_parts_of_rows});
    // A kernel numbers its checks from 0; its last parameter is where they start in the plan's table.
    if (!text.checks.empty()) step.params.push_back(rt::DimExpr::of(int64_t(result_.plan.checks.size())));
    for (const auto& c : text.checks) result_.plan.checks.push_back(c);
    result_.plan.steps.push_back(std::move(step));
  }

  void add(const LibraryStep& call) {
    rt::Step step;
    step.kind = rt::StepKind::library;
    step.name = call.function;
    for (BufferId b : call.inputs) use(step, b);
    for (BufferId b : call.outputs) use(step, b);
    step.output_count = int32_t(call.outputs.size());
    for (IndexExpr p : call.params) step.params.push_back(coder_.code(p));
    step.numbers = call.numbers;
    step.range = step.unit_work = rt::DimExpr::of(1);
    step.scratch_bytes = rt::DimExpr::of(0);
    step.flops = coder_.code(call.flops), step.costs.products = coder_.code(call.products);
    std::vector<BufferId> all = call.inputs;
    all.insert(all.end(), call.outputs.begin(), call.outputs.end());
    step.bytes = coder_.code(bytes_touched(all));
    exchanged_.add({call.inputs, call.outputs});
    step.engine = call.engine, step.origins = call.origins;
    result_.plan.steps.push_back(std::move(step));
  }

  void add(const schedule::RepeatedSteps& repeated) {
    rt::Repetition repetition;
    repetition.steps = coder_.code(repeated.steps);
    repetition.first_step = int32_t(result_.plan.steps.size());
    for (const auto& step : repeated.body) std::visit([&](const auto& s) { add(s); }, step);
    repetition.last_step = int32_t(result_.plan.steps.size()) - 1;
    auto state = [&](BufferId b) {
      const int32_t id = plan_buffer(b);
      int32_t& first = result_.plan.buffers[size_t(id)].first_step;
      first = std::min(first, repetition.last_step);
      return id;
    };
    for (const ir::Carried& c : repeated.carried)
      repetition.carried.push_back({state(c.initial), state(c.before), state(c.after)});
    result_.plan.repetitions.push_back(std::move(repetition));
  }

  void set_exchanged() {
    result_.plan.has_costs = true;
    const std::vector<IndexExpr> bytes = exchanged_.of_steps();
    for (size_t i = 0; i < bytes.size(); i++) result_.plan.steps[i].costs.exchanged = coder_.code(bytes[i]);
  }

  void set_in_place() {
    for (const auto& p : source_.schedule.in_place)
      result_.plan.buffers[size_t(id_of_[size_t(p.output)])].shares = id_of_[size_t(p.input)];
  }
};

}  // namespace

PlanAndWeights build_plan(const PlanSource& source) { return Builder(source).run(); }

}  // namespace cppgen::package
