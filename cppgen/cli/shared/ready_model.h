#pragma once
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/reference/reference_model.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/plan/plan.h"
#include "runtime/session/session.h"

namespace cppgen {

// A model that is ready to run: compiled from an .onnx file, loaded from a package, or on the reference interpreter.
struct ReadyModel {
  std::string path;                           // as given on the command line
  bool package = false;                       // `path` is a package
  CompiledModel compiled;                     // of an .onnx file
  std::unique_ptr<rt::Session> session;       // null: reference
  const rt::Session* chosen = nullptr;        // that of the version for the command's inputs, or `session`
  std::unique_ptr<ReferenceModel> reference;  // null: session
  rt::Plan reference_plan;                    // tensors, symbols and steps of the reference
  std::function<void()> before_step;          // throws Cancelled, for runs of the reference
  rt::ChunkListener on_chunks;                // of the session, or empty
  std::map<std::string, int64_t> bound;       // --dim NAME=N that a package's inputs must match
  double load_begin_s = 0;                    // of the steady clock
  double load_s = 0;                          // time from the package to a ready session, without the compilation
  double open_s = 0;                          // total time

  // The plan of the version for the command's inputs.
  const rt::Plan& plan() const { return reference ? reference_plan : chosen->plan(); }
  std::string version() const { return reference ? "" : chosen->executable().version(); }  // empty: there is only one
  std::string isa() const { return reference ? "interpreter" : plan().isa; }
  int threads() const { return reference ? 1 : session->stats().threads; }

  bool has_states() const { return !reference && !plan().states.empty(); }

  // Inputs and outputs in the order of the model, also those of states, which begin with the inputs' contents.
  // UserError if they do not match.
  std::vector<rt::Tensor> run(std::span<const rt::TensorView> inputs) const;
  std::vector<rt::Value> run_values(std::vector<rt::Value> inputs) const;
};

// Returns whether MODEL is a package (a directory). UserError if there is no such file or directory.
bool is_package(const std::string& model);

// UserError unless MODEL is an .onnx file, which `what` requires ("compile", "--reference").
void require_onnx(const std::string& model, std::string_view what);

// The compilation request of `explain`, `compile` and the other commands. UserError for a bad --dim.
CompileRequest compile_request(const ModelOptions&, const Settings&, const CancelToken&);

// Sizes of symbols that the same command makes (--dim x.0=N --dim N=8), or for some sizes of which it makes versions,
// and all sizes of a model with states, whose lengths change, bind the run, not the code: one compilation serves every
// size. Sizes of the model's other symbols are compiled in.
std::map<std::string, int64_t> take_sizes_of_new_symbols(CompileRequest&);

// compile_model with a progress line; throws Cancelled even if the token was set too late for compile_model.
CompiledModel compile_with_progress(CompileRequest);

// Checks the inputs of a model and the sizes that --dim binds before any kernel is compiled, so that errors (inputs
// that do not match) cost no compilation. It is not called for a package.
using BeforeKernels = std::function<void(const rt::Plan&, const std::map<std::string, int64_t>& bound)>;

// Thrown if inputs do not match and some of their dimensions, `ones`, are 1 where the model was compiled for a size
// that other inputs share. If it is compiled for these ones, operators broadcast them.
struct DimensionsOfOne : UserError {
  DimensionsOfOne(const UserError& error, std::vector<DimOption> ones) : UserError(error), ones(std::move(ones)) {}
  std::vector<DimOption> ones;
};

// UserError for inputs that do not match the model or --dim; DimensionsOfOne if that may be the reason.
void check_inputs(const rt::Plan&, const std::map<std::string, int64_t>& bound, std::span<const rt::Value> inputs);

// Opens the model, which the token must outlive: on the interpreter with --reference or FORCE_NATIVE_RUNTIME, and
// compiled for dimensions of 1 if BeforeKernels finds any. UserError if a package is given for something that requires
// the compiler.
ReadyModel open_model(const ModelOptions&, const Settings&, const CancelToken&, const BeforeKernels& = {},
                      const rt::ChunkListener& = {});

// The way in which a step runs.
enum class StepWay { compiled, library, host, interpreted };
std::string_view name_of(StepWay);
StepWay way_of(const rt::Step&);

struct StepCounts {
  int64_t total = 0, compiled = 0, library = 0, host = 0, interpreted = 0;
};
StepCounts count_steps(const rt::Plan&);
std::string step_text(const StepCounts&);  // "12 steps: 10 compiled, 2 library, 0 interpreted, 0 on the host"

void write_step_counts(Json&, const rt::Plan&);  // "step_counts": {...}

// "isa", "threads", and if there are several, "version".
void write_target(Json&, const ReadyModel&);
std::string target_text(const ReadyModel&);  // "avx2, version batch=8"

// "step_counts": {...} and "steps": [{name, engine, kind, origins}]; with a profile, also its numbers per step.
void write_steps(Json&, const ReadyModel&);
void write_steps(Json&, const rt::Plan&, std::span<const rt::StepProfile> profile = {},
                 std::span<const std::string> labels = {});

}  // namespace cppgen
