#include "runtime/session/saved_args.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/values/npy.h"
#include "runtime/values/tensor.h"

namespace cppgen::rt {
namespace {

std::string created(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) user_error("SAVE_ARGS: cannot create '{}': {}", folder, error.message());
  return folder;
}

std::vector<int64_t> shape_of(const StepInRun& it, size_t argument) {
  const PlanBuffer& info = it.info(argument);
  if (info.kind == PlanBufferKind::output) return it.bound.output_dims[size_t(info.slot)];
  if (info.kind != PlanBufferKind::input) return {it.bytes(argument) / int64_t(size_of(info.type))};
  std::vector<int64_t> dims;
  for (const DimExpr& dim : it.plan.inputs[size_t(info.slot)].dims) dims.push_back(evaluate(dim, it.bound.symbols));
  return dims;
}

}  // namespace

SavedArgs::SavedArgs(const std::string& folder)
    : folder_(created(folder)), index_(folder + "/index.json", "SAVE_ARGS") {}

void SavedArgs::before(const StepInRun& it) { save(it, 0, it.first_output(), "in"); }
void SavedArgs::after(const StepInRun& it) {
  save(it, it.first_output(), it.buffers.size(), "out");
  log_written("SAVE_ARGS", folder_);
}

void SavedArgs::save(const StepInRun& it, size_t begin, size_t end, const char* role) {
  for (size_t i = begin; i < end; i++) {
    const std::string file = fmt::format("run{}_step{}_{}{}.npy", it.run, it.position, role, i - begin);
    const std::vector<int64_t> shape = shape_of(it, i);
    write_npy(folder_ + "/" + file, {it.info(i).type, shape, it.buffers[i]});
    const std::lock_guard lock(mutex_);
    index_.add({{"file", file},
                {"run", it.run},
                {"step", it.position},
                {"kernel", it.step().name},
                {"nodes", it.step().origins},
                {"role", role},
                {"buffer", it.step().buffers[i]},
                {"name", it.info(i).name},
                {"type", name_of(it.info(i).type)},
                {"shape", shape}});
    index_.flush();
  }
}

}  // namespace cppgen::rt
