#include "cppgen/flow/compile/states.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "runtime/base/errors.h"
#include "runtime/base/printable.h"
#include "runtime/base/setting_values.h"

namespace cppgen {
namespace {

using ir::BufferId;
using ir::IndexExpr;
using package::KeptState;

constexpr int64_t kMostPositions = int64_t{1} << 31;

size_t position_of(const char* kind, const std::string& name, const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<std::string> names;
  for (const ValueId id : values) names.push_back(graph.value(id).name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return size_t(found - names.begin());
  const auto meant = setting_values::likely_meant(name, names);
  user_error("--state: the model has no {} '{}'{}", kind, one_line(name),
             meant ? fmt::format("; did you mean '{}'?", one_line(*meant)) : "");
}

std::string shape_text(const std::vector<IndexExpr>& shape) {
  std::string text;
  for (const IndexExpr dim : shape) text += (text.empty() ? "" : ", ") + ir::to_string(dim);
  return "[" + text + "]";
}

// Makes one pair after the other a state of the program.
class StateKeeper {
 public:
  StateKeeper(ir::Program& program, const std::vector<KeptOutput>& states) : program_(program) {
    for (const KeptOutput& state : states) {
      const BufferId past = program.inputs.at(state.input), present = program.outputs.at(state.output);
      options_.push_back({program.buffer(present).name, program.buffer(past).name, state.capacity});
      for (const KeptState& other : states_)
        if (other.past == past || other.present == present) fail(options_.back(), "a tensor is part of two states");
      states_.push_back({past, present, 0, {}, {}});
    }
  }

  std::vector<KeptState> run() {
    for (size_t i = 0; i < states_.size(); i++) {
      find_axis(options_[i], states_[i]);
      check_sizes(options_[i], states_[i]);
    }
    for (size_t i = 0; i < states_.size(); i++) {
      require_loops(program_.statements, options_[i], states_[i]);
      drop_copies(options_[i], states_[i]);
    }
    for (size_t i = 0; i < states_.size(); i++) grow(options_[i], states_[i]);
    return std::move(states_);
  }

 private:
  ir::Program& program_;
  std::vector<StateOption> options_;
  std::vector<KeptState> states_;

  template <class... Args>
  [[noreturn]] static void fail(const StateOption& option, fmt::format_string<Args...> text, Args&&... args) {
    user_error("--state {}: {}", one_line(to_string(option)), fmt::format(text, std::forward<Args>(args)...));
  }

  const std::vector<IndexExpr>& shape(BufferId b) const { return program_.buffer(b).shape; }

  void find_axis(const StateOption& option, KeptState& state) const {
    const ir::Buffer &past = program_.buffer(state.past), &present = program_.buffer(state.present);
    if (past.type != present.type)
      fail(option, "the input is {}, the output {}", name_of(past.type), name_of(present.type));
    std::vector<size_t> axes;
    for (size_t d = 0; d < past.shape.size() && past.shape.size() == present.shape.size(); d++)
      if (!ir::prove_equal(past.shape[d], present.shape[d])) axes.push_back(d);
    if (axes.size() != 1)
      fail(option, "the shapes {} of the input and {} of the output must differ in one dimension",
           shape_text(past.shape), shape_text(present.shape));
    state.axis = axes[0];
    state.past_length = past.shape[state.axis], state.present_length = present.shape[state.axis];
    const auto* length = state.past_length.node();
    if (state.past_length.is_constant() || !length || length->op != ir::IndexOp::variable)
      fail(option, "axis {} of the input must be symbolic, not {}; --dim INPUT.AXIS=NAME makes it so", state.axis,
           ir::to_string(state.past_length));
    if (!ir::prove_less_equal(state.past_length, state.present_length))
      fail(option, "the length {} of the output is not certain to be at least {}", ir::to_string(state.present_length),
           ir::to_string(state.past_length));
  }

  void check_sizes(const StateOption& option, const KeptState& state) const {
    if (option.capacity < 1 || option.capacity > kMostPositions)
      fail(option, "the capacity is {}; allowed are 1 to {}", option.capacity, kMostPositions);
    const KeptState& first = states_[0];
    const auto growth = [](const KeptState& s) { return s.present_length - s.past_length; };
    if (!ir::prove_equal(growth(state), growth(first)))
      fail(option, "a run adds {} positions, but {} to '{}'", ir::to_string(growth(state)),
           ir::to_string(growth(first)), one_line(options_[0].present));
    for (size_t d = 0; d < shape(state.past).size(); d++)
      for (const auto* symbol : ir::variables_of(shape(state.past)[d]))
        if (d != state.axis && !is_size_of_other_input(symbol))
          fail(option,
               "no input but those of states has the dimension {}, so runs would not know it: --dim {}=N fixes it",
               symbol->name, symbol->name);
  }

  bool is_size_of_other_input(const ir::IndexNode* symbol) const {
    return std::any_of(program_.inputs.begin(), program_.inputs.end(), [&](BufferId b) {
      const auto is_past = [&](const KeptState& s) { return s.past == b; };
      const auto is_it = [&](IndexExpr dim) { return dim.node() == symbol; };
      return std::none_of(states_.begin(), states_.end(), is_past) &&
             std::any_of(shape(b).begin(), shape(b).end(), is_it);
    });
  }

  // Functions of the library expect tensors without gaps, and repetitions exchange whole ones.
  static void require_loops(const std::vector<ir::Statement>& statements, const StateOption& option,
                            const KeptState& state, bool repeated = false) {
    const auto refuse = [&](const std::vector<BufferId>& buffers, const std::vector<std::string>& origins) {
      for (const BufferId b : buffers)
        if (b == state.past || b == state.present)
          fail(option, "node '{}' needs the {} in memory without gaps",
               one_line(fmt::to_string(fmt::join(origins, "', '"))), b == state.past ? "input" : "output");
    };
    for (const ir::Statement& statement : statements) {
      if (const auto* call = std::get_if<ir::LibraryCall>(&statement)) {
        refuse(call->inputs, call->origins), refuse(call->outputs, call->origins);
      } else if (const auto* repetition = std::get_if<ir::Repetition>(&statement)) {
        for (const ir::Carried& c : repetition->carried) refuse({c.initial, c.before, c.after}, repetition->origins);
        require_loops(repetition->body, option, state, true);
      } else if (const auto& nest = std::get<ir::LoopNest>(statement); repeated) {
        for (const ir::Store& store : nest.stores)
          if (store.buffer == state.present) refuse({store.buffer}, nest.origins);
      }
    }
  }

  static bool is_copy(const ir::Store& store, const KeptState& state) {
    const ir::Expr x = store.value;
    return x->kind == ir::ExprKind::load && x->buffer == state.past && x->indices == store.indices &&
           x->guards.empty() && x->indirects.empty();
  }

  void drop_copies(const StateOption& option, const KeptState& state) {
    std::erase_if(program_.statements, [&](ir::Statement& statement) {
      auto* nest = std::get_if<ir::LoopNest>(&statement);
      if (!nest) return false;
      const size_t dropped = std::erase_if(
          nest->stores, [&](const ir::Store& store) { return store.buffer == state.present && is_copy(store, state); });
      for (const ir::Store& store : nest->stores)
        if (store.buffer == state.present && !ir::prove_less_equal(state.past_length, store.indices[state.axis]))
          fail(option, "node '{}' does not copy the input to the same positions of the output and add others behind",
               one_line(fmt::to_string(fmt::join(nest->origins, "', '"))));
      return dropped > 0 && nest->stores.empty();
    });
  }

  void grow(const StateOption& option, const KeptState& state) {
    for (const BufferId b : {state.past, state.present})
      program_.buffers[size_t(b)].shape[state.axis] = IndexExpr(option.capacity);
    program_.index->assume({state.present_length, IndexExpr(option.capacity)});
  }
};

}  // namespace

static void append_to_states(Graph& graph) {
  constexpr size_t kPastKey = 3, kPresentKey = 1;  // the caches of the values follow
  const auto is_state = [&](const Node& node, size_t cache) {
    if (node.inputs.size() <= kPastKey + cache || node.outputs.size() <= kPresentKey + cache) return false;
    const ValueId past = node.inputs[kPastKey + cache], present = node.outputs[kPresentKey + cache];
    return std::any_of(graph.states.begin(), graph.states.end(), [&](const KeptOutput& state) {
      return past == graph.inputs[state.input] && present == graph.outputs[state.output];
    });
  };
  for (Node& node : graph.nodes)
    if (node.op == "GroupQueryAttention" && (is_state(node, 0) || is_state(node, 1))) node.facts.appends = true;
}

void note_states(Graph& graph, std::span<const StateOption> options) {
  for (const StateOption& option : options) {
    const size_t past = position_of("input", option.past, graph, graph.inputs);
    graph.states.push_back({position_of("output", option.present, graph, graph.outputs), past, option.capacity});
  }
  append_to_states(graph);
}

StateOption option_of(const Graph& graph, const KeptOutput& state) {
  const auto name = [&](ValueId id) { return graph.value(id).name; };
  return {name(graph.outputs[state.output]), name(graph.inputs[state.input]), state.capacity};
}

std::vector<KeptState> keep_states(ir::Program& program, const std::vector<KeptOutput>& states) {
  return StateKeeper(program, states).run();
}

}  // namespace cppgen
