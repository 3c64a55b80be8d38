#include "cppgen/cli/shared/ready_run.h"

#include <optional>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/model_inputs.h"

namespace cppgen {

ReadyRun open_run(const InputOptions& options, const Settings& settings, const CancelToken& cancel,
                  const rt::ChunkListener& on_chunks) {
  for (const std::string& text : options.inputs) check_input_file(text);
  std::optional<std::vector<rt::Value>> inputs;
  double making_s = 0;
  const auto make = [&](const rt::Plan& plan, const std::map<std::string, int64_t>& bound) {
    const double begin = seconds_now();
    inputs = make_values(plan, options.inputs, bound, options.seed, settings.max_memory);
    check_inputs(plan, bound, *inputs);
    making_s += seconds_now() - begin;
  };
  ReadyModel model = open_model(options, settings, cancel, make, on_chunks);
  model.open_s -= making_s;
  if (!inputs) make(model.plan(), model.bound);
  throw_if_cancelled(cancel);
  if (model.session) model.chosen = &model.session->version_for(*inputs);
  std::vector<std::string> random = random_integers(model.plan(), options.inputs);
  return {std::move(model), std::move(*inputs), std::move(random)};
}

void rethrow_of_run(const ReadyRun& run, const UserError& error) {
  if (run.random_integers.empty()) throw error;
  user_error("{}\nIntegers were drawn at random for {}: give --input NAME=FILE.npy if the model needs others.",
             error.what(), printable_list(run.random_integers));
}

}  // namespace cppgen
