#include <fmt/format.h>

#include "cppgen/ir/text/exact_text.h"
#include "cppgen/ir/text/print_expr.h"
#include "cppgen/ir/text/program_text.h"

namespace cppgen::ir {

namespace {

constexpr const char* kKinds[] = {"input", "output", "constant", "temporary"};
constexpr const char* kRoles[] = {"none", "batch", "rows", "columns", "k"};
constexpr size_t kShownBytes = 1024;

template <class T, class F>
std::string joined(const std::vector<T>& items, F print) {
  std::string text;
  for (const T& item : items) text += (text.empty() ? "" : ", ") + print(item);
  return text;
}

std::string print_ids(const std::vector<BufferId>& ids) {
  return joined(ids, [](BufferId id) { return fmt::format("b{}", id); });
}

std::string print_origins(const std::vector<std::string>& origins) {
  return origins.empty() ? "" : "  # from " + joined(origins, quoted);
}

void append_lines(std::string& text, ExprPrinter& printer, const std::string& last) {
  for (const std::string& line : printer.take_lines()) text += "  " + line + "\n";
  text += "  " + last + "\n";
}

// `exact`: the parts of program_text; otherwise for messages and names of sites, which remain what they are.
class NestPrinter {
 public:
  NestPrinter(const LoopNest& nest, const std::vector<Expr>& roots, bool exact)
      : nest_(nest), exact_(exact), printer_(roots, exact) {}

  std::string text() {
    std::string text = fmt::format("nest {}{}\n", nest_.name, print_origins(nest_.origins));
    text += loops("for", nest_.loops) + loops("reduce", nest_.reduced);
    for (size_t i = 0; i < nest_.reductions.size(); i++)
      append_lines(text, printer_, fmt::format("acc{} = {}", i, reduction_text(printer_, nest_.reductions[i])));
    for (const Store& s : nest_.stores) append_lines(text, printer_, store(s));
    const auto role = [](AxisRole r) { return std::string(kRoles[static_cast<int>(r)]); };
    return nest_.is_contraction() ? text + "  roles " + joined(nest_.roles, role) + "\n" : text;
  }

 private:
  const LoopNest& nest_;
  bool exact_;
  ExprPrinter printer_;

  std::string store(const Store& s) {
    if (exact_) return store_text(printer_, s);
    const std::string value = printer_.print(s.value);
    return fmt::format("b{}{} = {}", s.buffer, printer_.print(s.indices), value);
  }

  std::string loops(const char* word, const std::vector<Loop>& loops) const {
    if (loops.empty()) return {};
    const auto loop = [&](const Loop& l) { return printer_.print(l.var) + " < " + printer_.print(l.extent); };
    return fmt::format("  {} {}\n", word, joined(loops, loop));
  }
};

std::string nest_text(const LoopNest& nest, bool exact) {
  const std::vector<Expr> roots = roots_of(nest);
  return NestPrinter(nest, roots, exact).text();
}

std::string print_call(const LibraryCall& call) {
  std::string text = fmt::format("call {}{}\n", exact_name(call.function), print_origins(call.origins));
  text += fmt::format("  inputs {}\n  outputs {}\n", print_ids(call.inputs), print_ids(call.outputs));
  if (!call.params.empty()) text += "  params " + joined(call.params, [](IndexExpr e) { return exact_text(e); }) + "\n";
  if (!call.numbers.empty())
    text += "  numbers " + joined(call.numbers, [](double v) { return exact_number(v); }) + "\n";
  return text;
}

std::string print_statements(const std::vector<Statement>&);

std::string print_repetition(const Repetition& r) {
  std::string text =
      fmt::format("repeat {} < {}{}\n", exact_text(r.step), exact_text(r.steps), print_origins(r.origins));
  for (const Carried& c : r.carried) text += fmt::format("  carry b{} = b{}, then b{}\n", c.before, c.initial, c.after);
  return text + print_statements(r.body) + "end\n";
}

std::string print_statements(const std::vector<Statement>& statements) {
  std::string text;
  for (const Statement& s : statements) {
    if (const auto* nest = std::get_if<LoopNest>(&s)) text += nest_text(*nest, true);
    if (const auto* call = std::get_if<LibraryCall>(&s)) text += print_call(*call);
    if (const auto* repetition = std::get_if<Repetition>(&s)) text += print_repetition(*repetition);
  }
  return text;
}

std::string print_buffer(const Buffer& b, size_t most_bytes) {
  std::string text = fmt::format("b{} {} {} [{}]", b.id, kKinds[static_cast<int>(b.kind)], name_of(b.type),
                                 joined(b.shape, [](IndexExpr e) { return exact_text(e); }));
  if (!b.name.empty()) text += " " + quoted(b.name);
  if (b.kind != BufferKind::constant) return text + "\n";
  IndexExpr bytes = int64_t(size_of(b.type));
  for (IndexExpr extent : b.shape) bytes = bytes * extent;
  // Constants that the schedule packs when weights are written have no data yet.
  if (!bytes.is_constant(int64_t(b.data.size))) return text + " = packed\n";
  return text + " = " + data_text(b.type, b.data, int64_t(b.data.size / size_of(b.type)), most_bytes) + "\n";
}

void see_nest(SymbolLines& symbols, const LoopNest& nest) {
  const auto see = [&](IndexExpr e) { symbols.see(e); };
  for (const auto* loops : {&nest.loops, &nest.reduced})
    for (const Loop& l : *loops) see(l.extent);
  for (Expr e : values_of(nest)) each_index(e, see);
  each_value(nest, see);
}

void see_statements(SymbolLines& symbols, const std::vector<Statement>& statements) {
  for (const Statement& s : statements) {
    if (const auto* nest = std::get_if<LoopNest>(&s)) see_nest(symbols, *nest);
    if (const auto* call = std::get_if<LibraryCall>(&s)) symbols.see(call->params);
    const auto* repetition = std::get_if<Repetition>(&s);
    if (!repetition) continue;
    symbols.see(repetition->steps), symbols.see(repetition->step);
    see_statements(symbols, repetition->body);
  }
}

}  // namespace

void SymbolLines::see(IndexExpr e) {
  if (e.is_constant()) return;
  for (const IndexNode* v : variables_of(e)) {
    if (v->kind != VarKind::symbol || !seen_.insert(v->name).second) continue;
    const bool bounded = v->range.lo != 0 || v->range.hi != kUnbounded;
    if (!bounded && !v->fresh) continue;
    text_ += "  symbol " + exact_name(v->name);
    if (bounded) text_ += fmt::format(" in {}..", v->range.lo);
    if (bounded && v->range.hi != kUnbounded) text_ += fmt::format("{}", v->range.hi);
    text_ += v->fresh ? " fresh\n" : "\n";
  }
}

std::string SymbolLines::lines(const IndexArena& arena) {
  for (const IndexBound& bound : arena.assumptions()) see(bound.least), see(bound.most);
  std::string text = text_;
  for (const IndexBound& bound : arena.assumptions())
    text += fmt::format("  assume {} <= {}\n", exact_text(bound.least), exact_text(bound.most));
  return text;
}

std::string loop_text(const Loop& loop) { return exact_text(loop.var) + " < " + exact_text(loop.extent); }

std::string reduction_text(ExprPrinter& printer, const Reduction& r) {
  std::string text = fmt::format("{} {}({}", name_of(r.op), name_of(r.type), printer.print(r.value));
  if (gives_position(r.op)) text += ", at " + printer.print(r.position);
  return text + (r.select_last ? ", last)" : ")");
}

std::string store_text(ExprPrinter& printer, const Store& s) {
  const std::string value = printer.print(s.value);
  return fmt::format("b{}{} = {}", s.buffer, printer.print(s.indices), value);
}

std::string to_string(const LoopNest& nest, const Program&) { return nest_text(nest, false); }

std::string program_text(const Program& program, size_t most_bytes) {
  SymbolLines symbols;
  for (const Buffer& b : program.buffers) symbols.see(b.shape);
  see_statements(symbols, program.statements);
  std::string text = "program\n" + symbols.lines(*program.index);
  for (const Buffer& b : program.buffers) text += print_buffer(b, most_bytes);
  text += print_statements(program.statements);
  return text + fmt::format("inputs {}\noutputs {}\n", print_ids(program.inputs), print_ids(program.outputs));
}

std::string to_string(const Program& program) { return program_text(program, kShownBytes); }

}  // namespace cppgen::ir
