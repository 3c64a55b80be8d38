// The C API for states, which the caller keeps from run to run.
#include "runtime/session/c_state.h"

#include "runtime/session/c_views.h"

using namespace cppgen;
using namespace cppgen::rt;

size_t cppgen_session_state_count(const cppgen_session* session) {
  return session ? session->session.plan().states.size() : 0;
}

cppgen_status cppgen_session_state(const cppgen_session* session, size_t index, size_t* input, size_t* output,
                                   size_t* axis, int64_t* capacity, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    const std::vector<KeptState>& states = session->session.plan().states;
    if (index >= states.size()) user_error("there is no state {}; the model has {}", index, states.size());
    if (input) *input = size_t(states[index].past);
    if (output) *output = size_t(states[index].present);
    if (axis) *axis = size_t(states[index].axis);
    if (capacity) *capacity = states[index].capacity;
  });
}

cppgen_status cppgen_state_create(cppgen_session* session, cppgen_state** state, cppgen_error* error) {
  if (state) *state = nullptr;
  return guarded(error, [&] {
    require_argument(session, "session");
    require_argument(state, "state");
    *state = new cppgen_state{session->session.make_state()};
  });
}

void cppgen_state_free(cppgen_state* state) { delete state; }

int64_t cppgen_state_length(const cppgen_state* state) { return state ? state->state->length() : 0; }

cppgen_status cppgen_state_set_length(cppgen_state* state, int64_t length, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(state, "state");
    state->state->set_length(length);
  });
}

cppgen_status cppgen_state_write(cppgen_state* state, const cppgen_tensor* tensors, size_t count, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(state, "state");
    state->state->write(Views<TensorView>(tensors, count).get());
  });
}

cppgen_status cppgen_session_run_state(cppgen_session* session, cppgen_state* state, const cppgen_tensor* inputs,
                                       size_t input_count, const cppgen_tensor* outputs, size_t output_count,
                                       const cppgen_run_options* options, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    require_argument(state, "state");
    const Views<TensorView> in(inputs, input_count);
    const Views<OutputView> out(outputs, output_count);
    session->session.run(*state->state, in.get(), out.get(), run_options(options));
  });
}
