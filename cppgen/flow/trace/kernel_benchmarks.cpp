#include "cppgen/flow/trace/kernel_benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cppgen/compile/compile_flags.h"
#include "cppgen/compile/toolchain.h"
#include "cppgen/compile/vec_headers.h"
#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/flow/package/standalone.h"
#include "cppgen/flow/trace/kernel_benchmark_driver.h"
#include "cppgen/package/index_extents.h"
#include "cppgen/support/file_io.h"
#include "isa/vec_isa.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/printable.h"
#include "runtime/base/version.h"
#include "runtime/package/package.h"
#include "runtime/plan/sample_sizes.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

void write_benchmark_file(const std::string& path, const std::string& content) {
  int error = make_directories(parent_directory(path));
  if (!error) error = write_file(path, content);
  if (error) user_error("BENCHMARK_KERNEL: '{}' cannot be written: {}", path, error_text(error));
}

std::string_view fill_of(DType type) {
  if (dtype_row(type).number != DTypeClass::floating) return "integer";
  switch (type) {
    case DType::f32:
      return "float32";
    case DType::f64:
      return "float64";
    case DType::f16:
      return "float16";
    case DType::bf16:
      return "bfloat16";
    case DType::f4e2m1:
      return "float4";
    default:
      return "float8";
  }
}

constexpr const char* kMain = R"main(// {0}
#include "../driver.h"

extern "C" void {1}(const cppgen_kernel_args*, long begin, long end);
{2}
int main(int argc, char** argv) {{
  const Benchmark benchmark{{
      .name = "{1}",
      .kernel = {1},
      .arguments = {{
{3}      }},
      .params = {{{4}}},
      .units = {5},
      .scratch_bytes = {6},
      .flops = {7},
      .bytes = {8},
      .constants = "{9}",
      .runtime = {10},
  }};
  return time_kernel(benchmark, argc, argv);
}}
)main";

// The declaration of a function of the runtime library.
constexpr const char* kRuntime = R"main(
extern "C" const cppgen_runtime* cppgen_runtime_of_isa(const char* isa);
)main";

// Sizes of the plan's symbols with which its kernels are tried out; behind them, the first step of each repetition.
std::vector<int64_t> sizes_for(const rt::Plan& plan) {
  constexpr int64_t kSizes[] = {64, 32, 16, 8, 4, 2, 1, 128, 224, 256, 512};
  const rt::Plan* const plans[] = {&plan};
  const rt::SampleSizes sample = rt::sample_sizes(plans, {}, kSizes);
  std::vector<int64_t> sizes;
  for (const rt::Symbol& symbol : plan.symbols) sizes.push_back(sample.sizes.at(symbol.name));
  sizes.resize(plan.symbols.size() + plan.repetitions.size());
  return sizes;
}

// The programs of one plan.
class Programs {
 public:
  Programs(const ModelPart& part, std::string weights, const VecISA& isa)
      : part_(part),
        plan_(part.plan.plan),
        weights_(std::move(weights)),
        isa_(isa),
        sizes_(sizes_for(plan_)),
        extents_(package::extents_of_index_buffers(part.schedule.program)) {}

  std::string main_of(const codegen::KernelText& kernel) const {
    const auto step = std::find_if(plan_.steps.begin(), plan_.steps.end(), [&](const rt::Step& s) {
      return s.kind == rt::StepKind::kernel && s.name == kernel.name;
    });
    check(step != plan_.steps.end(), "BENCHMARK_KERNEL: a kernel without a step");
    std::string arguments, params;
    for (size_t i = 0; i < step->buffers.size(); i++) arguments += argument(step->buffers[i], kernel.buffers.at(i));
    for (const rt::DimExpr& param : step->params) params += fmt::format("{}, ", value(param));
    return fmt::format(kMain, comment_on_sizes(), kernel.name, kernel.calls_runtime ? kRuntime : "", arguments, params,
                       value(step->range), value(step->scratch_bytes), value(step->flops), value(step->bytes), weights_,
                       kernel.calls_runtime ? fmt::format("cppgen_runtime_of_isa(\"{}\")", isa_.name) : "nullptr");
  }

 private:
  const ModelPart& part_;
  const rt::Plan& plan_;
  const std::string weights_;
  const VecISA& isa_;
  const std::vector<int64_t> sizes_;
  const std::map<ir::BufferId, int64_t> extents_;

  int64_t value(const rt::DimExpr& expr) const { return expr.code.empty() ? 0 : rt::evaluate(expr, sizes_); }

  std::string comment_on_sizes() const {
    if (plan_.symbols.empty()) return "All sizes are those of the model.";
    std::string sizes;
    for (size_t s = 0; s < plan_.symbols.size(); s++)
      sizes += fmt::format("{}{} = {}", s ? ", " : "", one_line(plan_.symbols[s].name), sizes_[s]);
    return fmt::format("Dimensions that the model leaves open, unless --dim NAME=N gives them other sizes: {}.", sizes);
  }

  std::string argument(int32_t id, ir::BufferId of_program) const {
    const rt::PlanBuffer& buffer = plan_.buffers[size_t(id)];
    if (buffer.kind == rt::PlanBufferKind::constant)
      return fmt::format("          {{Fill::constant, 1, {}, 0, {}}},\n", value(buffer.bytes), buffer.offset);
    const auto extent = extents_.find(of_program);
    return fmt::format("          {{Fill::{}, {}, {}, {}, 0}},\n", fill_of(buffer.type), size_of(buffer.type),
                       value(buffer.bytes), extent == extents_.end() ? 2 : extent->second);
  }
};

// A script that compiles kernel.cpp as cppgen does, and links it with main.cpp.
std::string build_script(const KernelBuilder::Command& command, const std::string& runtime) {
  std::vector<std::string> compile = command.compiler, link = command.compiler;
  for (const std::string& flag : without_linker_flags(command.flags)) {
    compile.push_back(flag);
    if (is_instrumented({flag})) link.push_back(flag);
  }
  const std::string tiles =
      VecHeaders::tiles_in(command.include_dir) ? fmt::format(" ../include/{}", kTilesArchive) : "";
  std::string text =
      "#!/bin/sh\n# Builds ./benchmark, which times the kernel: ./benchmark [RUNS]\nset -eu\ncd \"$(dirname "
      "\"$0\")\"\n";
  text += join_command(compile) + " -I../include -c kernel.cpp -o kernel.o\n";
  const std::string build =
      fmt::format("{} -std=gnu++20 -O2 -I../include main.cpp kernel.o{}", join_command(link), tiles);
  if (runtime.empty()) return text + build + " -o benchmark\n";
  text += "# The kernel calls functions of the runtime library.\n";
  text += fmt::format("library=${{CPPGEN_RUNTIME_LIBRARY:-{}}}\n", join_command({runtime}));
  return text + build + " \"$library\" -Wl,-rpath,\"$(dirname \"$library\")\" -o benchmark\n";
}

// Next to cppgen, or where people say it is.
std::string runtime_library() {
  const std::string name = fmt::format("libcppgen_runtime.so.{}", rt::kVersion.substr(0, rt::kVersion.rfind('.')));
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* relative : {"../lib", "../" CPPGEN_LIBRARY_FOLDER})
    if (const fs::path path = folder / relative / name; fs::exists(path, error))
      return path.lexically_normal().string();
  return name;
}

}  // namespace

void write_kernel_benchmarks(const CompileRequest& request, const std::vector<ModelPart>& parts, bool module,
                             const VecISA& isa, const KernelBuilder::Command& command) {
  const std::string folder = request.settings.trace_dir + "/" + fs::path(request.model).stem().string() + "/kernels";
  remove_tree(folder);
  write_benchmark_file(folder + "/driver.h", kKernelBenchmarkDriver);
  std::error_code error;
  for (const char* headers : {"/vec", "/runtime/abi"}) {
    fs::create_directories(folder + "/include" + headers, error);
    if (!error)
      fs::copy(command.include_dir + headers, folder + "/include" + headers, fs::copy_options::recursive, error);
    if (error) user_error("BENCHMARK_KERNEL: cannot copy headers to '{}/include': {}", folder, error.message());
  }
  write_weights(folder, parts, module, 1);
  const std::string library = runtime_library();
  for (size_t i = 0; i < parts.size(); i++) {
    const Programs programs(parts[i], module ? rt::weights_file_name(int32_t(i)) : std::string(rt::kWeightsFile), isa);
    for (const codegen::KernelText& kernel : parts[i].kernels) {
      if (!kernel.has_function()) continue;
      const std::string own = folder + "/" + kernel.name;
      write_benchmark_file(own + "/kernel.cpp", codegen::translation_unit({&kernel}, std::string(isa.folder)));
      write_benchmark_file(own + "/main.cpp", programs.main_of(kernel));
      write_benchmark_file(own + "/build.sh", build_script(command, kernel.calls_runtime ? library : ""));
      fs::permissions(own + "/build.sh", fs::perms::owner_exec, fs::perm_options::add, error);
    }
  }
  log_written("BENCHMARK_KERNEL", folder);
}

}  // namespace cppgen
