#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cppgen/emit/model_text.h"
#include "cppgen/emit/size_text.h"
#include "cppgen/report/model_names.h"
#include "runtime/base/printable.h"
#include "runtime/base/version.h"

namespace cppgen::emit {
namespace {

std::string struct_text(const std::string& name, const std::vector<std::string>& members,
                        const std::vector<rt::TensorInfo>& infos, const rt::Plan& plan, const char* constant) {
  std::string text = "typedef struct {\n";
  for (size_t i = 0; i < infos.size(); i++)
    text += fmt::format("  {}{}* {};  // {}: {}[{}]\n", constant, report::c_type(infos[i].type), members[i],
                        in_comment(infos[i].name), name_of(infos[i].type), in_comment(dims_text(infos[i], plan)));
  if (infos.empty()) text += "  char none;\n";
  return text + fmt::format("}} {};\n\n", name);
}

// The number of elements, or a function that computes the dimensions.
std::string shapes_text(const ModelNames& names, const std::string& member, const rt::TensorInfo& info) {
  const bool known = std::none_of(info.dims.begin(), info.dims.end(), depends_on_symbols);
  if (!known)
    return fmt::format("int {0}_dims_of_{1}(const {0}_sizes* sizes, int64_t dims[{2}]);\n", names.model, member,
                       info.dims.size());
  int64_t elements = 1;
  for (const rt::DimExpr& dim : info.dims) elements *= rt::evaluate(dim, {});
  return fmt::format("#define {}_{}_elements {}\n", names.model, member, elements);
}

std::string sizes_text(const ModelNames& names, const rt::Plan& plan) {
  if (plan.symbols.empty()) return "";
  std::string text = "// The sizes of a run that the model leaves open.\ntypedef struct {\n";
  for (size_t i = 0; i < names.sizes.size(); i++)
    text += fmt::format("  int64_t {};  // {}: dimension {} of {}\n", names.sizes[i], in_comment(plan.symbols[i].name),
                        plan.symbols[i].axis, in_comment(plan.inputs[size_t(plan.symbols[i].input)].name));
  return text + fmt::format("}} {}_sizes;\n\n", names.model);
}

constexpr const char* kFunctions =
    R"c(// A model with its threads and its memory. One run at a time uses it; several models of one process share nothing but
// their weights.
typedef struct {0}_model {0}_model;

// The functions below return 0, or a number that this one explains.
const char* {0}_message(int status);

// `threads`: of a run; 0: as many as this process may use CPUs. The system may refuse some of them.
int {0}_create({0}_model** model, int threads);
// Writes the results to the memory of `outputs`. No output may share memory with an input or another output.
int {0}_run({0}_model* model, {1}const {0}_inputs* inputs, const {0}_outputs* outputs);
void {0}_destroy({0}_model* model);
)c";

}  // namespace

std::string in_comment(std::string_view name) {
  std::string line = one_line(name);
  for (size_t at = line.find("*/"); at != line.npos; at = line.find("*/", at)) line.replace(at, 2, "* /");
  for (size_t at = line.find("/*"); at != line.npos; at = line.find("/*", at)) line.replace(at, 2, "/ *");
  return line.ends_with('\\') ? line + "." : line;
}

std::string header_text(const ModelNames& names, const rt::Plan& plan, const ModelOptions& options) {
  const std::string guard = names.model + "_cppgen_model_h";
  std::string text = fmt::format(
      "// The model {}, compiled by cppgen {} for CPUs with {}: this file changes with it. Link lib{}.a with -lm\n"
      "// and -pthread.\n#ifndef {}\n#define {}\n#include <stdbool.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\n"
      "extern \"C\" {{\n#endif\n\n",
      names.model, rt::kVersion, options.isa, names.model, guard, guard);
  text += sizes_text(names, plan);
  text += struct_text(names.model + "_inputs", names.inputs, plan.inputs, plan, "const ");
  text += struct_text(names.model + "_outputs", names.outputs, plan.outputs, plan, "");
  for (size_t i = 0; i < plan.inputs.size(); i++) text += shapes_text(names, names.inputs[i], plan.inputs[i]);
  for (size_t i = 0; i < plan.outputs.size(); i++) text += shapes_text(names, names.outputs[i], plan.outputs[i]);
  const std::string sizes = plan.symbols.empty() ? "" : fmt::format("const {}_sizes* sizes, ", names.model);
  text += "\n" + fmt::format(fmt::runtime(kFunctions), names.model, sizes);
  return text + "\n#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

}  // namespace cppgen::emit
