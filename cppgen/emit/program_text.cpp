#include <fmt/format.h>

#include "cppgen/emit/model_text.h"
#include "cppgen/report/model_names.h"
#include "runtime/base/printable.h"

namespace cppgen::emit {
namespace {

// The description of the type in NumPy's files.
std::string npy_type(DType type) {
  const std::string code(dtype_row(type).npy);
  return (code.back() == '1' ? "|" : "<") + code;
}

std::string tensor_rows(const std::vector<rt::TensorInfo>& infos, const std::vector<std::string>& names,
                        const rt::Plan& plan) {
  std::string text;
  for (size_t i = 0; i < infos.size(); i++) {
    const rt::TensorInfo& info = infos[i];
    text += fmt::format("    {{{}, {}, \"{}\", {}, {}, {}}},\n", report::c_literal(info.name),
                        report::c_literal(names[i]), npy_type(info.type), size_of(info.type), info.dims.size(),
                        report::c_literal(fmt::format("{}[{}]", name_of(info.type), dims_text(info, plan))));
  }
  return text;
}

}  // namespace

std::string program_text(const ModelNames& names, const rt::Plan& plan) {
  std::string sizes;
  for (const rt::Symbol& symbol : plan.symbols)
    sizes += fmt::format("    {{{}, {}, {}}},\n", report::c_literal(one_line(symbol.name)), symbol.input, symbol.axis);
  return fmt::format(
      R"source(#include "{0}.h"
#include "runtime/linked/program.h"

int {0}_tensor_dims(const int64_t* sizes, int tensor, int64_t* dims);
int {0}_run_tensors(void* model, const int64_t* sizes, const void* const* inputs, void* const* outputs);

int main(int argc, char** argv) {{
  using namespace cppgen::linked;
  static const TensorRow tensors[] = {{
{1}{2}  }};
  static const SizeRow sizes[] = {{
{3}    {{nullptr, 0, 0}},
  }};
  const Program program{{
      "{0}", tensors, {4}, {5}, sizes, {6},
      [](void** model, int threads) {{ return {0}_create(reinterpret_cast<{0}_model**>(model), threads); }},
      [](void* model) {{ {0}_destroy(static_cast<{0}_model*>(model)); }},
      {0}_tensor_dims, {0}_run_tensors, {0}_message}};
  return run_program(program, argc, argv);
}}
)source",
      names.model, tensor_rows(plan.inputs, names.inputs, plan), tensor_rows(plan.outputs, names.outputs, plan), sizes,
      plan.inputs.size(), plan.outputs.size(), plan.symbols.size());
}

}  // namespace cppgen::emit
