#pragma once
#include <memory>
#include <vector>

#include "cppgen/cli/bench/bench_runs.h"
#include "cppgen/cli/shared/ready_run.h"

namespace cppgen {

// A model that several callers run at the same time on one session, each as soon as its previous run has ended. They
// share the inputs; each has memory of its own for the outputs.
class TimedClients : public TimedModel {
 public:
  // There is at least one client. UserError for a model on the interpreter.
  TimedClients(const ReadyModel&, const std::vector<rt::Value>& inputs, int64_t clients);

  int64_t clients() const override { return int64_t(callers_.size()); }
  // The wall time is that from the start of all clients to the end of the last run. An exception of one client ends the
  // others and is thrown here.
  void run_until(const RunLimit&, RunTimes&, const CancelToken&) override;

 private:
  std::vector<std::unique_ptr<Caller>> callers_;
};

// A model with so many clients; one caller needs no thread of its own.
std::unique_ptr<TimedModel> timed_model(const ReadyRun& run, int64_t clients);

}  // namespace cppgen
