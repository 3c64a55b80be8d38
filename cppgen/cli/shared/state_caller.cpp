#include "cppgen/cli/shared/state_caller.h"

#include <utility>

#include "runtime/base/errors.h"

namespace cppgen {

StateCaller::StateCaller(rt::Session& session, std::span<const rt::TensorView> inputs)
    : session_(session), state_(session.make_state()) {
  const rt::Plan& plan = session.plan();
  if (inputs.size() != plan.inputs.size())
    user_error("{} inputs are given; the model has {}", inputs.size(), plan.inputs.size());
  std::vector<rt::TensorView> contents;
  for (const rt::KeptState& kept : plan.states) contents.push_back(inputs[size_t(kept.past)]);
  state_->write(contents);
  length_ = state_->length();
  for (size_t i = 0; i < inputs.size(); i++)
    if (!rt::state_of_input(plan, int64_t(i))) others_.push_back(inputs[i]);
}

std::vector<rt::Tensor> StateCaller::run() {
  const rt::Plan& plan = session_.plan();
  state_->set_length(length_);
  std::vector<rt::Tensor> others = session_.run(*state_, others_), all;
  for (size_t i = 0, next = 0; i < plan.outputs.size(); i++) {
    const rt::KeptState* kept = rt::state_of_output(plan, int64_t(i));
    all.push_back(kept ? state_->read(size_t(kept - plan.states.data())) : std::move(others[next++]));
  }
  return all;
}

void StateCaller::run(std::span<const rt::OutputView> others) {
  state_->set_length(length_);
  session_.run(*state_, others_, others);
}

}  // namespace cppgen
