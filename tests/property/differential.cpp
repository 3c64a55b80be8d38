#include "tests/property/differential.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "cppgen/compile/kernel_builder.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/ops/op.h"
#include "cppgen/package/plan_builder.h"
#include "cppgen/package/weights.h"
#include "cppgen/passes/pipeline.h"
#include "cppgen/schedule/schedule.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/abi/abi.h"
#include "runtime/base/errors.h"
#include "runtime/package/package.h"
#include "tests/property/run_case.h"

namespace cppgen::property {
namespace {

Graph graph_of(const Case& c) {
  Graph graph = c.random.graph;
  if (c.run_passes) passes::run_passes(graph);
  return graph;
}

// Caches so small that what large tensors would see occurs with small ones: stores past them, rows with gaps.
schedule::Target fuzzing_target(const Case& c, const VecISA& isa) {
  MachineDescription machine;
  machine.l3_bytes = 1 << 10;
  schedule::Target target = target_of(isa, machine);
  target.l1_set_period = 64;
  target.tuning = tuning_of(c, target.tuning);
  return target;
}

// A case on its way through one instruction set.
struct Build {
  size_t index;  // of the case
  schedule::Schedule schedule;
  std::vector<codegen::KernelText> kernels;
  std::vector<std::string> input_names, output_names;
};

Build emit(const Case& c, size_t index, const VecISA& isa, bool library) {
  Build b{index, {}, {}, {}, {}};
  Graph graph = graph_of(c);
  for (ValueId v : graph.inputs) b.input_names.push_back(graph.value(v).name);
  for (ValueId v : graph.outputs) b.output_names.push_back(graph.value(v).name);
  const schedule::Target target = fuzzing_target(c, isa);
  b.schedule = schedule::make_schedule(ops::lower(graph, {.library = library}), c.options, target);
  schedule::each_kernel(b.schedule.steps,
                        [&](auto& kernel) { kernel.name = fmt::format("g{}_{}", index, kernel.name); });
  Settings settings;
#define CPPGEN_SETTING(...)
#define CPPGEN_CODEGEN_SETTING(kind, field, ...) settings.field = c.text.field;
#include "runtime/base/settings.def"
  b.kernels = emit_kernels(b.schedule, target, settings);
  codegen::share_functions(b.kernels);
  return b;
}

CompileJob job_of(const std::vector<const Build*>& builds, const VecISA& isa, const DifferentialOptions& options) {
  std::vector<const codegen::KernelText*> texts;
  CompileJob job;
  for (const Build* b : builds)
    for (const auto& k : b->kernels) {
      texts.push_back(&k);
      if (k.has_function()) job.expected_symbols.push_back(k.name);
    }
  job.name = "random";
  job.isa_name = std::string(isa.name);
  job.isa_flags = {isa.compiler_flags.begin(), isa.compiler_flags.end()};
  job.source = codegen::translation_unit(texts, std::string(isa.folder));
  if (options.corrupt) options.corrupt(job.source);
  return job;
}

std::shared_ptr<const rt::Executable> load(const Build& b, const CompiledObject& object, const VecISA& isa,
                                           const std::string& dir) {
  std::filesystem::create_directory(dir);
  bool any = !b.kernels.empty();
  std::vector<std::string> libraries;
  if (any) libraries.push_back("kernels_0.so");
  auto plan = package::build_plan({b.schedule, b.kernels, std::vector<int>(b.kernels.size(), 0), libraries,
                                   b.input_names, b.output_names, "random", std::string(isa.name)});
  if (any) check(write_file(dir + "/kernels_0.so", read_object(object)) == 0, "cannot write a test package");
  check(write_file(dir + "/" + std::string(rt::kPlanFile), rt::to_json(plan.plan)) == 0, "cannot write a test package");
  package::write_weights(dir + "/" + std::string(rt::kWeightsFile), b.schedule, plan.weights, plan.plan.weights_bytes,
                         1);
  rt::write_manifest(dir, std::string(isa.name));
  return rt::Executable::load(dir);
}

template <class F>
std::string error_of(F&& work) {
  try {
    return work();
  } catch (const std::exception& e) {
    return e.what();
  }
}

// One translation unit of some cases.
class UnitCheck {
 public:
  UnitCheck(const std::vector<Case>& cases, const VecISA& isa, const DifferentialOptions& options,
            std::vector<Failure>& failures)
      : cases_(cases), isa_(isa), options_(options), failures_(failures) {}

  void emit_all(size_t first, size_t last) {
    for (size_t i = first; i < last; i++) {
      std::string error = error_of([&] {
        builds_.push_back(emit(cases_[i], i, isa_, options_.library));
        return std::string();
      });
      if (!error.empty()) fail(i, "not emitted: " + error);
    }
  }

  CompileJob job() const {
    std::vector<const Build*> list;
    for (const Build& b : builds_) list.push_back(&b);
    return job_of(list, isa_, options_);
  }

  void run(const CompiledObject& object) {
    TempDirectory temp(system_temp_directory(), "cppgen-random.");
    for (const Build& b : builds_) {
      std::string dir = fmt::format("{}/g{}", temp.path(), b.index);
      std::string error = error_of([&] { return run_case(cases_[b.index], options_, load(b, object, isa_, dir)); });
      if (!error.empty()) fail(b.index, error);
    }
  }

  void fail(size_t index, std::string what) { failures_.push_back({index, std::string(isa_.name), std::move(what)}); }
  void fail_all(const std::string& what) {
    for (const Build& b : builds_) fail(b.index, what);
  }

 private:
  const std::vector<Case>& cases_;
  const VecISA& isa_;
  const DifferentialOptions& options_;
  std::vector<Failure>& failures_;
  std::vector<Build> builds_;
};

CompileOptions builder_options(const DifferentialOptions& options) {
  CompileOptions o;
  o.compiler_opt = options.opt_level;
  o.abi_version = CPPGEN_ABI_VERSION;
  o.compile_threads = options.compile_threads;
  o.force_disable_caches = true;
  return o;
}

}  // namespace

schedule::Schedule schedule_of(const Case& c, const VecISA& isa) {
  Graph graph = graph_of(c);
  return schedule::make_schedule(ops::lower(graph), c.options, fuzzing_target(c, isa));
}

// Cases of which one does not compile: the instruction sets, then both halves, apart.
static std::vector<Failure> check_parts(const std::vector<Case>& cases, const DifferentialOptions& options) {
  std::vector<Failure> failures;
  for (const VecISA* isa : options.isas) {
    DifferentialOptions one = options;
    one.isas = {isa};
    if (cases.size() == 1) {
      for (const Failure& f : check_cases(cases, one)) failures.push_back(f);
      continue;
    }
    const size_t middle = cases.size() / 2;
    for (auto [first, last] : {std::pair{size_t(0), middle}, {middle, cases.size()}})
      for (Failure f : check_cases({cases.begin() + long(first), cases.begin() + long(last)}, one))
        f.index += first, failures.push_back(f);
  }
  return failures;
}

std::vector<Failure> check_cases(const std::vector<Case>& cases, const DifferentialOptions& options) {
  std::vector<Failure> failures;
  std::vector<UnitCheck> units;
  for (const VecISA* isa : options.isas)
    for (size_t first = 0; first < cases.size(); first += options.cases_per_unit) {
      units.emplace_back(cases, *isa, options, failures);
      units.back().emit_all(first, std::min(cases.size(), first + options.cases_per_unit));
    }
  std::vector<CompileJob> jobs;
  for (const auto& u : units) jobs.push_back(u.job());
  try {
    auto objects = build_kernels(jobs, builder_options(options));
    for (size_t i = 0; i < units.size(); i++) units[i].run(objects[i]);
  } catch (const RefusedSource& e) {
    if (units.size() == 1 && cases.size() == 1)
      units[0].fail_all(e.what());
    else
      failures = check_parts(cases, options);
  }
  return failures;
}

}  // namespace cppgen::property
