#include <fmt/format.h>

#include "cppgen/ir/print_expr.h"
#include "cppgen/ir/program.h"

namespace cppgen::ir {

namespace {

constexpr const char* kKinds[] = {"input", "output", "constant", "temporary"};
constexpr const char* kRoles[] = {"none", "batch", "rows", "columns", "depth"};

template <class T, class F>
std::string joined(const std::vector<T>& items, F print) {
  std::string text;
  for (const T& item : items) text += (text.empty() ? "" : ", ") + print(item);
  return text;
}

std::string print_ids(const std::vector<BufferId>& ids) {
  return joined(ids, [](BufferId id) { return fmt::format("b{}", id); });
}

std::string print_loops(const char* word, const std::vector<Loop>& loops) {
  if (loops.empty()) return {};
  return fmt::format("  {} {}\n", word,
                     joined(loops, [](const Loop& l) { return to_string(l.var) + " < " + to_string(l.extent); }));
}

std::string print_origins(const std::vector<std::string>& origins) {
  return origins.empty() ? "" : "  # from " + joined(origins, quoted);
}

std::string print_reduction(const Reduction& r, ExprPrinter& printer) {
  std::string text = fmt::format("{} {}({}", name_of(r.op), name_of(r.type), printer.print(r.value));
  if (gives_position(r.op)) text += ", at " + to_string(r.position);
  return text + (r.select_last ? ", last)" : ")");
}

void append_lines(std::string& text, ExprPrinter& printer, const std::string& last) {
  for (const std::string& line : printer.take_lines()) text += "  " + line + "\n";
  text += "  " + last + "\n";
}

std::string print_call(const LibraryCall& call) {
  std::string text = fmt::format("call {}{}\n", call.function, print_origins(call.origins));
  text += fmt::format("  inputs {}\n  outputs {}\n", print_ids(call.inputs), print_ids(call.outputs));
  if (!call.params.empty()) text += "  params " + joined(call.params, [](IndexExpr e) { return to_string(e); }) + "\n";
  if (!call.numbers.empty())
    text += "  numbers " + joined(call.numbers, [](double v) { return fmt::format("{}", v); }) + "\n";
  return text;
}

std::string print_statements(const std::vector<Statement>&, const Program&);

std::string print_repetition(const Repetition& r, const Program& program) {
  std::string text = fmt::format("repeat {} < {}{}\n", to_string(r.step), to_string(r.steps), print_origins(r.origins));
  for (const Carried& c : r.carried) text += fmt::format("  carry b{} = b{}, then b{}\n", c.before, c.initial, c.after);
  return text + print_statements(r.body, program) + "end\n";
}

std::string print_statements(const std::vector<Statement>& statements, const Program& program) {
  std::string text;
  for (const Statement& s : statements) {
    if (const auto* nest = std::get_if<LoopNest>(&s)) text += to_string(*nest, program);
    if (const auto* call = std::get_if<LibraryCall>(&s)) text += print_call(*call);
    if (const auto* repetition = std::get_if<Repetition>(&s)) text += print_repetition(*repetition, program);
  }
  return text;
}

}  // namespace

std::string to_string(const LoopNest& nest, const Program&) {
  const std::vector<Expr> roots = roots_of(nest);
  ExprPrinter printer(roots);
  std::string text = fmt::format("nest {}{}\n", nest.name, print_origins(nest.origins));
  text += print_loops("for", nest.loops) + print_loops("reduce", nest.reduced);
  for (size_t i = 0; i < nest.reductions.size(); i++)
    append_lines(text, printer, fmt::format("acc{} = {}", i, print_reduction(nest.reductions[i], printer)));
  for (const Store& s : nest.stores) {
    const std::string value = printer.print(s.value);
    const std::string where = print_indirects(s.indirects, printer);
    append_lines(text, printer, fmt::format("b{}{} = {}{}", s.buffer, print_indices(s.indices), value, where));
  }
  if (nest.is_contraction())
    text += "  roles " + joined(nest.roles, [](AxisRole r) { return std::string(kRoles[static_cast<int>(r)]); }) + "\n";
  return text;
}

std::string to_string(const Program& program) {
  std::string text;
  for (const Buffer& b : program.buffers)
    text += fmt::format("b{} {} {} {}{}\n", b.id, kKinds[static_cast<int>(b.kind)], name_of(b.type),
                        print_indices(b.shape), b.name.empty() ? "" : " " + quoted(b.name));
  text += print_statements(program.statements, program);
  return text + fmt::format("inputs {}\noutputs {}\n", print_ids(program.inputs), print_ids(program.outputs));
}

}  // namespace cppgen::ir
