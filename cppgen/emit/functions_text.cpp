#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "cppgen/emit/memory_text.h"
#include "cppgen/emit/model_text.h"
#include "cppgen/emit/size_text.h"
#include "cppgen/emit/steps_text.h"
#include "cppgen/report/model_names.h"
#include "isa/vec_isa.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"
#include "runtime/plan/module.h"

namespace cppgen::emit {
namespace {

using rt::Step;

// Offsets of constants in code for usual programs have 31 bits, with something left for the program itself.
constexpr int64_t kMostWeights = int64_t{1900} << 20;

// "{sizes->a, sizes->b}", or "{nullptr}", because C++ has no arrays without elements.
std::string members_text(const std::string& of, const std::vector<std::string>& members) {
  std::vector<std::string> texts;
  for (const std::string& member : members) texts.push_back(of + "->" + member);
  return texts.empty() ? "{nullptr}" : fmt::format("{{{}}}", fmt::join(texts, ", "));
}

class FunctionsWriter {
 public:
  FunctionsWriter(const ModelNames& names, const rt::Plan& plan, const ModelOptions& options, const TileUses& tiles)
      : names_(names),
        plan_(plan),
        options_(options),
        tiles_(tiles),
        isa_(*find_isa(options.isa)),
        sizes_(plan),
        memory_(place_buffers(plan, sizes_)),
        steps_(names, plan, options, sizes_, memory_),
        bounds_(bounds()) {}

  std::string run() const {
    return declarations() + model_struct() + "namespace {\n\n" + bind_function() + steps_.text() +
           "}  // namespace\n\n" + dims_function() + run_tensors_function() + "extern \"C\" {\n\n" +
           message_function() + create_functions() + run_function() + dims_of_functions() + "}\n";
  }

 private:
  const ModelNames& names_;
  const rt::Plan& plan_;
  const ModelOptions& options_;
  const TileUses& tiles_;
  const VecISA& isa_;
  SizeTable sizes_;
  const MemoryText memory_;
  const StepsWriter steps_;
  const std::string bounds_;

  bool has_sizes() const { return !plan_.symbols.empty(); }

  std::string bounds() {
    std::string text;
    for (size_t i = 0; i < plan_.bounds.size(); i++)
      text += fmt::format("  if ({} > {}) return kFirstMessage + {};\n", sizes_.use(plan_.bounds[i].least).text,
                          sizes_.use(plan_.bounds[i].most).text, i);
    return text;
  }

  std::string declarations() const {
    std::string text = fmt::format(
        "#pragma GCC visibility push(default)\n#include \"{}.h\"\n#pragma GCC visibility pop\n\n#include "
        "<stdlib.h>\n\n#include \"runtime/linked/model.h\"\n\n"
        "using namespace cppgen::linked;\n\nextern \"C\" {{\n",
        names_.model);
    if (plan_.weights_bytes > 0) text += fmt::format("extern const char {}_weights[];\n", names_.model);
    std::set<std::string> kernels;
    for (const Step& step : plan_.steps)
      if (step.kind == rt::StepKind::kernel) kernels.insert(names_.kernel(step.symbol()));
    for (const std::string& kernel : kernels)
      text += fmt::format("void {}(const cppgen_kernel_args*, long begin, long end);\n", kernel);
    return text + "}\n\n";
  }

  std::string model_struct() const {
    std::string text = fmt::format(
        "struct {}_model {{\n  Runner runner;\n  const void* const* inputs;\n  void* const* outputs;\n", names_.model);
    if (has_sizes())
      text +=
          fmt::format("  bool bound;        // to the sizes of the last run\n  int64_t s[{}];\n", plan_.symbols.size());
    if (sizes_.count()) text += fmt::format("  int64_t v[{}];  // what is computed from them\n", sizes_.count());
    if (!steps_.failures().empty()) text += fmt::format("  LibraryStep library[{}];\n", steps_.failures().size());
    return text + "};\n\n";
  }

  // Sizes and memory for the sizes of a run.
  std::string bind_function() const {
    std::string scratch = "0", text;
    for (const std::string& bytes : steps_.scratch())
      scratch = scratch == "0" ? bytes : fmt::format("SizeMath::max({}, {})", scratch, bytes);
    if (has_sizes())
      text = fmt::format(
          "  bool same = m.bound;\n  for (int i = 0; i < {0}; i++) same = same && m.s[i] == s[i];\n"
          "  if (same) return kDone;\n  m.bound = false;\n  SizeMath math;\n"
          "  for (int i = 0; i < {0}; i++) m.s[i] = math.size(s[i]);\n{1}  if (math.failed) return kBadSizes;\n{2}",
          plan_.symbols.size(), sizes_.statements(), bounds_);
    text += fmt::format("  {}int64_t scratch = {};\n{}  const int status = reserve(m.runner, {}, scratch);\n",
                        steps_.bind().empty() ? "const " : "", scratch, steps_.bind(), memory_.arena_bytes);
    if (has_sizes()) text += "  m.bound = status == kDone;\n";
    return fmt::format("int bind({}_model& m, [[maybe_unused]] const int64_t* s) {{\n{}  return status;\n}}\n\n",
                       names_.model, text);
  }

  // The dimensions of a tensor: an input, or an output behind them.
  std::string dims_function() const {
    std::string text;
    int number = 0;
    for (const auto* list : {&plan_.inputs, &plan_.outputs})
      for (const rt::TensorInfo& info : *list) {
        text += fmt::format("    case {}:\n", number++);
        for (size_t i = 0; i < info.dims.size(); i++)
          text += fmt::format("      dims[{}] = math.size({});\n", i,
                              formula_text(info.dims[i], "s", plan_.symbols.size()));
        text += "      break;\n";
      }
    return fmt::format(
        "int {}_tensor_dims([[maybe_unused]] const int64_t* s, int tensor, [[maybe_unused]] int64_t* dims) {{\n"
        "  SizeMath math;\n  switch (tensor) {{\n{}  }}\n  return math.failed ? kBadSizes : kDone;\n}}\n\n",
        names_.model, text);
  }

  std::string run_tensors_function() const {
    return fmt::format(
        "int {0}_run_tensors(void* model, [[maybe_unused]] const int64_t* s, const void* const* inputs,\n"
        "    void* const* outputs) {{\n"
        "  {0}_model& m = *static_cast<{0}_model*>(model);\n"
        "  const FloatControl control({1});\n{2}"
        "  m.inputs = inputs, m.outputs = outputs, m.runner.error = 0;\n"
        "  return run_steps(m);\n}}\n\n",
        names_.model, options_.flush_denormals,
        has_sizes() ? "  if (const int status = bind(m, s)) return status;\n" : "");
  }

  // The messages are in the order of linked::Status.
  std::string message_function() const {
    std::vector<std::string> messages{
        "done", "there is not enough memory",
        fmt::format("this CPU or its operating system lacks some of what the model was compiled for: {}",
                    to_string(isa_.required)),
        "a size is negative, or the sizes are too large"};
    for (const rt::Bound& bound : plan_.bounds)
      messages.push_back(fmt::format("the sizes of this run do not satisfy {}", bound.text));
    for (const auto* more : {&plan_.checks, &steps_.failures()})
      messages.insert(messages.end(), more->begin(), more->end());
    std::string lines;
    for (const std::string& message : messages)
      lines += fmt::format("      {},\n", report::c_literal(one_line(message)));
    return fmt::format(
        "const char* {}_message(int status) {{\n  static const char* const messages[] = {{\n{}  }};\n"
        "  return status >= 0 && status < {} ? messages[status] : \"unknown status\";\n}}\n\n",
        names_.model, lines, messages.size());
  }

  std::string add_tiles_text() const {
    std::string text;
    for (const TileUse& use : tiles_.formats)
      text += fmt::format("  add_tiles(m->runner.services, {}, cppgen::rt::{}::tiles_{});\n", use.number, use.isa,
                          use.format);
    if (!tiles_.strided_isa.empty())
      text += fmt::format(
          "  add_strided(m->runner.services, cppgen::rt::{0}::strided_f32, cppgen::rt::{0}::winograd_forms);\n",
          tiles_.strided_isa);
    return text;
  }

  std::string create_functions() const {
    return fmt::format(
        "int {0}_create({0}_model** model, int threads) {{\n"
        "  *model = nullptr;\n"
        "  auto* m = static_cast<{0}_model*>(calloc(1, sizeof({0}_model)));\n"
        "  if (!m) return kNoMemory;\n"
        "  int status = start(m->runner, threads, {1}u, {2});\n{3}{5}{4}"
        "  if (status == kDone) return *model = m, kDone;\n"
        "  {0}_destroy(m);\n"
        "  return status;\n}}\n\n"
        "void {0}_destroy({0}_model* model) {{\n"
        "  if (!model) return;\n{6}"
        "  end(model->runner);\n"
        "  free(model);\n}}\n\n",
        names_.model, isa_.required.bits, options_.flush_denormals, add_tiles_text(),
        has_sizes() ? "" : "  if (status == kDone) status = bind(*m, nullptr);\n", steps_.create(), steps_.destroy());
  }

  std::string run_function() const {
    return fmt::format(
        "int {0}_run({0}_model* model, {1}[[maybe_unused]] const {0}_inputs* inputs,\n"
        "    [[maybe_unused]] const {0}_outputs* outputs) {{\n{2}"
        "  const void* const in[] = {3};\n  void* const out[] = {4};\n"
        "  return {0}_run_tensors(model, {5}, in, out);\n}}\n\n",
        names_.model, has_sizes() ? fmt::format("const {}_sizes* sizes, ", names_.model) : "",
        has_sizes() ? fmt::format("  const int64_t s[] = {};\n", members_text("sizes", names_.sizes)) : "",
        members_text("inputs", names_.inputs), members_text("outputs", names_.outputs), has_sizes() ? "s" : "nullptr");
  }

  // Writes functions for tensors whose dimensions only a run knows.
  std::string dims_of_functions() const {
    std::vector<std::string> members = names_.inputs;
    members.insert(members.end(), names_.outputs.begin(), names_.outputs.end());
    std::string text;
    size_t number = 0;
    for (const auto* list : {&plan_.inputs, &plan_.outputs})
      for (const rt::TensorInfo& info : *list) {
        const size_t tensor = number++;
        if (std::none_of(info.dims.begin(), info.dims.end(), depends_on_symbols)) continue;
        text += fmt::format(
            "int {0}_dims_of_{1}(const {0}_sizes* sizes, int64_t* dims) {{\n  const int64_t s[] = {2};\n"
            "  return {0}_tensor_dims(s, {3}, dims);\n}}\n\n",
            names_.model, members[tensor], members_text("sizes", names_.sizes), tensor);
      }
    return text;
  }
};

}  // namespace

ModelNames::ModelNames(std::string name, const rt::Plan& plan) : model(std::move(name)) {
  std::vector<std::string> tensors, symbols;
  for (const auto* list : {&plan.inputs, &plan.outputs})
    for (const rt::TensorInfo& info : *list) tensors.push_back(info.name);
  for (const rt::Symbol& symbol : plan.symbols) symbols.push_back(symbol.name);
  tensors = report::unique_identifiers(tensors), sizes = report::unique_identifiers(symbols);
  inputs.assign(tensors.begin(), tensors.begin() + ptrdiff_t(plan.inputs.size()));
  outputs.assign(tensors.begin() + ptrdiff_t(plan.inputs.size()), tensors.end());
}

std::string dims_text(const rt::TensorInfo& info, const rt::Plan& plan) {
  std::vector<std::string> dims;
  for (const rt::DimExpr& dim : info.dims) dims.push_back(one_line(rt::dim_text(dim, plan.symbols)));
  return fmt::format("{}", fmt::join(dims, ", "));
}

void require_emittable(const rt::Plan& plan) {
  if (!plan.states.empty()) user_error("--emit does not write models with states: compile a package instead");
  if (plan.weights_bytes > kMostWeights)
    user_error("the model has {} bytes of packed weights, and --emit writes at most {}: compile a package",
               plan.weights_bytes, kMostWeights);
  for (const Step& step : plan.steps) {
    if (step.kind == rt::StepKind::kernel || is_linked_function(step.name)) continue;
    const std::string node = step.origins.empty() ? step.name : fmt::format("{}", fmt::join(step.origins, "', '"));
    user_error("node '{}' {}, which --emit does not write: compile a package instead", node,
               step.engine == rt::kHostEngine ? "runs on the host, between compiled parts"
                                              : fmt::format("calls the function '{}' of the runtime", step.name));
  }
}

std::string functions_text(const ModelNames& names, const rt::Plan& plan, const ModelOptions& options,
                           const TileUses& tiles) {
  return FunctionsWriter(names, plan, options, tiles).run();
}

}  // namespace cppgen::emit
