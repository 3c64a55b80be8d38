#include "runtime/session/session_state.h"

#include <cstring>
#include <utility>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"
#include "runtime/base/usable_memory.h"

namespace cppgen::rt {
namespace {

std::unique_lock<std::mutex> locked(std::mutex& mutex) {
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  if (!lock) user_error("the state is in use by another run");
  return lock;
}

std::vector<int64_t> values_of(const std::vector<DimExpr>& dims, std::span<const int64_t> symbols) {
  std::vector<int64_t> values;
  for (const DimExpr& dim : dims) values.push_back(evaluate(dim, symbols));
  return values;
}

// States how the elements of a tensor of these dimensions lie in the memory of a state: `count` blocks of `bytes`, each
// in room for the capacity.
struct Blocks {
  int64_t count = 1, bytes = 0, room = 0;

  Blocks(DType type, std::span<const int64_t> dims, const KeptState& state) {
    const auto axis = size_t(state.axis);
    const int64_t position = byte_size(type, dims.subspan(axis + 1));
    count = element_count(dims.first(axis)), bytes = dims[axis] * position, room = state.capacity * position;
  }
};

void copy_blocks(const Blocks& blocks, const char* from, int64_t from_stride, char* to, int64_t to_stride) {
  for (int64_t i = 0; i < blocks.count && blocks.bytes > 0; i++)
    std::memcpy(to + i * to_stride, from + i * from_stride, size_t(blocks.bytes));
}

void check_content(const Plan& plan, const KeptState& state, const TensorView& tensor) {
  const TensorInfo& info = plan.inputs[size_t(state.past)];
  if (tensor.type != info.type || tensor.dims.size() != info.dims.size())
    user_error("'{}' is a tensor of {} with {} dimensions; given is one of {} with shape {}", info.name,
               name_of(info.type), info.dims.size(), name_of(tensor.type), shape_text(tensor.dims));
  if (tensor.dims[size_t(state.axis)] > state.capacity)
    user_error("'{}' has {} positions along axis {}; the state was compiled for up to {}", info.name,
               tensor.dims[size_t(state.axis)], state.axis, state.capacity);
  if (byte_size(tensor.type, tensor.dims) > 0 && !tensor.data) user_error("'{}' has no data", info.name);
}

}  // namespace

SessionState::SessionState(std::shared_ptr<const Executable> executable, int64_t max_memory)
    : executable_(std::move(executable)), max_memory_(max_memory) {}

void SessionState::set_length(int64_t length) {
  const auto lock = locked(in_use_);
  if (length < 0 || length > length_)
    user_error("the length of a state can be set to 0 up to its present length {}, not to {}", length_.load(), length);
  length_ = length;
}

std::vector<int64_t> SessionState::dims_of(size_t state, int64_t length) const {
  std::vector<int64_t> dims = dims_[state];
  dims[size_t(plan().states[state].axis)] = length;
  return dims;
}

void SessionState::reserve(std::vector<std::vector<int64_t>> dims) {
  if (dims == dims_) return;
  dims_.clear(), memory_.clear();
  std::vector<int64_t> sizes;
  int64_t bytes = 0;
  for (size_t i = 0; i < dims.size(); i++) {
    sizes.push_back(byte_size(plan().inputs[size_t(plan().states[i].past)].type, dims[i]));
    bytes = checked_add(bytes, sizes.back(), "memory of a state");
  }
  require_memory(bytes, max_memory_, "a state");
  for (const int64_t size : sizes) memory_.emplace_back(size);
  dims_ = std::move(dims);
}

void SessionState::write(std::span<const TensorView> tensors) {
  const auto lock = locked(in_use_);
  const std::vector<KeptState>& states = plan().states;
  if (tensors.size() != states.size()) user_error("{} tensors are given for {} states", tensors.size(), states.size());
  std::vector<std::vector<int64_t>> dims;
  for (size_t i = 0; i < states.size(); i++) {
    check_content(plan(), states[i], tensors[i]);
    dims.emplace_back(tensors[i].dims.begin(), tensors[i].dims.end());
    if (dims[i][size_t(states[i].axis)] != tensors[0].dims[size_t(states[0].axis)])
      user_error("the states that are given have different lengths");
    dims[i][size_t(states[i].axis)] = states[i].capacity;
  }
  length_ = 0;
  reserve(std::move(dims));
  for (size_t i = 0; i < states.size(); i++) {
    const Blocks blocks(tensors[i].type, tensors[i].dims, states[i]);
    copy_blocks(blocks, static_cast<const char*>(tensors[i].data), blocks.bytes, memory_[i].data(), blocks.room);
  }
  length_ = tensors[0].dims[size_t(states[0].axis)];
}

Tensor SessionState::read(size_t state) {
  const auto lock = locked(in_use_);
  if (state >= plan().states.size()) user_error("there is no state {}; there are {}", state, plan().states.size());
  if (dims_.empty()) user_error("the state has no contents yet");
  const KeptState& kept = plan().states[state];
  Tensor content(plan().inputs[size_t(kept.past)].type, dims_of(state, length_));
  const Blocks blocks(content.type(), content.dims(), kept);
  copy_blocks(blocks, memory_[state].data(), blocks.room, content.as<char>(), blocks.bytes);
  return content;
}

StateRun::StateRun(SessionState& state, const Executable& executable, std::span<const TensorView> inputs,
                   const BoundaryChecks& checks)
    : state_(state), plan_(executable.plan()), lock_(locked(state.in_use_)) {
  if (state.executable_.get() != &executable) user_error("the state belongs to another session");
  take_inputs(inputs);
  find_dims(checks);
  reserve();
}

void StateRun::take_inputs(std::span<const TensorView> others) {
  const size_t expected = plan_.inputs.size() - plan_.states.size();
  if (others.size() != expected)
    user_error("{} inputs are given; the model has {} besides those of states", others.size(), expected);
  for (size_t i = 0, next = 0; i < plan_.inputs.size(); i++)
    inputs_.push_back(state_of_input(plan_, int64_t(i)) ? TensorView{plan_.inputs[i].type, {}, nullptr}
                                                        : others[next++]);
}

// All symbols that are no lengths of states are bound by other inputs (see validate).
void StateRun::find_dims(const BoundaryChecks& checks) {
  for (const Symbol& symbol : plan_.symbols) {
    const auto dims = inputs_[size_t(symbol.input)].dims;
    const bool known = size_t(symbol.axis) < dims.size();  // otherwise bind_inputs says that the rank is wrong
    symbols_.push_back(state_of_input(plan_, symbol.input) ? state_.length() : known ? dims[size_t(symbol.axis)] : 0);
  }
  for (const KeptState& state : plan_.states)
    past_.push_back(values_of(plan_.inputs[size_t(state.past)].dims, symbols_));
  for (size_t i = 0; i < past_.size(); i++) inputs_[size_t(plan_.states[i].past)].dims = past_[i];
  check_input_forms(plan_, inputs_);
  for (const KeptState& state : plan_.states)
    present_.push_back(values_of(plan_.outputs[size_t(state.present)].dims, symbols_));
  require_capacity();
  bind_inputs(plan_, inputs_, symbols_, checks);
}

void StateRun::require_capacity() const {
  for (size_t i = 0; i < present_.size(); i++) {
    const KeptState& state = plan_.states[i];
    const int64_t length = present_[i][size_t(state.axis)];
    if (length > state.capacity)
      user_error("'{}' would have {} positions along axis {}; the state was compiled for up to {}",
                 plan_.outputs[size_t(state.present)].name, length, state.axis, state.capacity);
  }
}

void StateRun::reserve() {
  std::vector<std::vector<int64_t>> dims = present_;
  for (size_t i = 0; i < dims.size(); i++) dims[i][size_t(plan_.states[i].axis)] = plan_.states[i].capacity;
  next_length_ = present_[0][size_t(plan_.states[0].axis)];
  for (size_t i = 0; i < dims.size() && state_.length() > 0; i++)
    if (dims[i] != state_.dims_[i])
      user_error("'{}' would have the shape {}, but the state continues one of shape {}: set its length to 0 first",
                 plan_.outputs[size_t(plan_.states[i].present)].name, shape_text(present_[i]),
                 shape_text(state_.dims_of(i, state_.length())));
  state_.reserve(std::move(dims));
  for (size_t i = 0; i < past_.size(); i++) inputs_[size_t(plan_.states[i].past)].data = state_.memory_[i].data();
}

std::vector<OutputView> StateRun::with_states(std::span<const OutputView> others) const {
  const size_t expected = plan_.outputs.size() - plan_.states.size();
  if (others.size() != expected)
    user_error("memory for {} outputs is given; the model has {} besides those of states", others.size(), expected);
  std::vector<OutputView> all;
  for (size_t i = 0, next = 0; i < plan_.outputs.size(); i++) {
    const KeptState* state = state_of_output(plan_, int64_t(i));
    const size_t position = state ? size_t(state - plan_.states.data()) : 0;
    all.push_back(state ? OutputView{plan_.outputs[i].type, present_[position], state_.memory_[position].data()}
                        : others[next++]);
  }
  return all;
}

}  // namespace cppgen::rt
