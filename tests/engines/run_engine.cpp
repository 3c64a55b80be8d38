#include "tests/engines/run_engine.h"

#include <filesystem>

#include "cppgen/compile/kernel_builder.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/package/plan_builder.h"
#include "cppgen/package/weights.h"
#include "cppgen/schedule/costs.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"
#include "runtime/contraction/tile.h"
#include "runtime/package/package.h"
#include "runtime/session/session.h"

namespace cppgen::engines {
namespace {

Machine machine_of(const VecISA& isa) {
  Machine m{std::string(isa.name), &isa, target_of(isa, MachineDescription{}), nullptr};
  m.target.bf16_dot_speed = 2;
  return m;
}

// This machine, with emulated tiles of those formats of an instruction set that it is to have.
template <class IsEmulated>
Machine emulated(const std::string& isa, double bf16_dot_speed, IsEmulated is_emulated) {
  Machine m = this_machine();
  m.name = "emulated " + isa;
  m.target.bf16_dot_speed = bf16_dot_speed;
  for (size_t f = 0; f < rt::kTileFormatCount; f++)
    if (is_emulated(rt::TileFormat(f))) m.target.tiles[f] = rt::tile_shape(isa, rt::TileFormat(f));
  m.services = rt::emulated_amx_table(m.isa->name);
  return m;
}

struct Build {
  schedule::Schedule schedule;
  std::vector<codegen::KernelText> kernels;
  std::vector<std::string> input_names, output_names;
};

Build emit(const Machine& machine, Graph& graph, const schedule::Options& options) {
  Build b;
  for (ValueId v : graph.inputs) b.input_names.push_back(graph.value(v).name);
  for (ValueId v : graph.outputs) b.output_names.push_back(graph.value(v).name);
  b.schedule = schedule::make_schedule(ops::lower(graph), options, machine.target);
  b.kernels = emit_kernels(b.schedule, machine.target, Settings());
  codegen::share_functions(b.kernels);
  return b;
}

CompiledObject compile(const Machine& machine, const Build& b) {
  std::vector<const codegen::KernelText*> texts;
  CompileJob job;
  for (const auto& k : b.kernels) {
    texts.push_back(&k);
    if (k.has_function()) job.expected_symbols.push_back(k.name);
  }
  job.name = "engines", job.isa_name = std::string(machine.isa->name);
  job.isa_flags = {machine.isa->compiler_flags.begin(), machine.isa->compiler_flags.end()};
  job.source = codegen::translation_unit(texts, std::string(machine.isa->folder));
  CompileOptions options;
  options.compiler_opt = "-O1", options.abi_version = CPPGEN_ABI_VERSION;
  options.compile_threads = 1, options.force_disable_caches = true;
  return build_kernels({job}, options).at(0);
}

std::shared_ptr<const rt::Executable> load(const Machine& machine, const Build& b, const std::string& dir) {
  const CompiledObject object = compile(machine, b);
  auto plan = package::build_plan({b.schedule,
                                   b.kernels,
                                   std::vector<int>(b.kernels.size(), 0),
                                   {"kernels_0.so"},
                                   b.input_names,
                                   b.output_names,
                                   "engines",
                                   std::string(machine.isa->name)});
  check(write_file(dir + "/kernels_0.so", read_object(object)) == 0, "cannot write a test package");
  check(write_file(dir + "/" + std::string(rt::kPlanFile), rt::to_json(plan.plan)) == 0, "cannot write a test package");
  package::write_weights(dir + "/" + std::string(rt::kWeightsFile), b.schedule, plan.weights, plan.plan.weights_bytes,
                         1);
  rt::write_manifest(dir, std::string(machine.isa->name));
  rt::LoadOptions options;
  options.services = machine.services;
  return rt::Executable::load(dir, options);
}

std::vector<rt::Tensor> tensors_of(const std::vector<ir::HostTensor>& inputs) {
  std::vector<rt::Tensor> copies;
  for (const auto& t : inputs) {
    copies.emplace_back(t.type, t.dims);
    if (!t.bytes.empty()) std::memcpy(copies.back().data(), t.bytes.data(), t.bytes.size());
  }
  return copies;
}

ir::HostTensor host(const rt::Tensor& t) {
  ir::HostTensor h{t.type(), t.dims(), std::vector<std::byte>(t.bytes())};
  if (t.bytes()) std::memcpy(h.bytes.data(), t.data(), t.bytes());
  return h;
}

}  // namespace

std::optional<Machine> machine(const std::string& isa) {
  const VecISA* row = find_isa(isa);
  check(row, "no such instruction set");
  if (!detect_cpu_features().has_all(row->required)) return std::nullopt;
  return machine_of(*row);
}

Machine this_machine() {
  CpuFeatures cpu = detect_cpu_features();
  return machine_of(best_isa(cpu.without({CpuFeature::amx_tile})));
}

Machine emulated_amx() {
  Machine m = emulated("amx", 0.5, [](rt::TileFormat f) { return rt::info(f).form == rt::LeftForm::block; });
  m.target.costs = std::make_shared<schedule::Costs>(
      schedule::costs_with("split_products=0.04,split_rows=0.1,split_start=1,split_weights=1.25"));
  return m;
}

Machine machine_with_bf16_pairs() {
  if (auto m = machine("avx512_bf16")) return *m;
  return emulated("avx512_bf16", 2,
                  [](rt::TileFormat f) { return f == rt::TileFormat::bf16 || f == rt::TileFormat::bf16_of_f32; });
}

Result run_on(const Machine& machine, Graph& graph, const schedule::Options& options,
              const std::vector<ir::HostTensor>& inputs, int threads) {
  TempDirectory folder(system_temp_directory(), "cppgen-engines.");
  const Build b = emit(machine, graph, options);
  rt::SessionOptions session_options;
  session_options.threads = threads;
  rt::Session session(load(machine, b, folder.path()), session_options);
  Result result;
  for (const auto& step : b.schedule.steps)
    if (const auto* k = std::get_if<schedule::FusedKernel>(&step); k && k->contraction)
      result.engines.push_back(k->contraction->engine);
  const std::vector<rt::Tensor> copies = tensors_of(inputs);
  std::vector<rt::TensorView> views;
  for (const auto& t : copies) views.push_back(t.view());
  for (const rt::Tensor& t : session.run(views)) result.outputs.push_back(host(t));
  return result;
}

}  // namespace cppgen::engines
