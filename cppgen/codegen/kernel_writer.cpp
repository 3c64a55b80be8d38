#include "cppgen/codegen/kernel_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cppgen/kernel/view.h"
#include "cppgen/schedule/layout/layout_report.h"

namespace cppgen::codegen {
namespace {

void collect_symbols(IndexExpr e, std::vector<const ir::IndexNode*>& out) {
  for (const auto* v : ir::variables_of(e))
    if (v->kind == ir::VarKind::symbol && std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
}

Code format_name(rt::TileFormat format) { return Code::name(std::string(rt::info(format).name)); }

// The symbols in the shapes of the kernel's buffers and in its loops.
std::vector<const ir::IndexNode*> symbols_of(const schedule::Schedule& s, const schedule::FusedKernel& k) {
  std::vector<const ir::IndexNode*> symbols;
  std::vector<ir::BufferId> buffers = k.inputs;
  buffers.insert(buffers.end(), k.outputs.begin(), k.outputs.end());
  for (const auto& l : k.locals) buffers.push_back(l.buffer);
  const auto collect = [&](IndexExpr e) { collect_symbols(e, symbols); };
  for (auto b : buffers)
    for (IndexExpr d : s.program.buffer(b).shape) collect(d);
  auto loops = [&](const std::vector<ir::Loop>& list) {
    for (const auto& l : list) collect(l.extent);
  };
  loops(k.outer);
  for (const auto& seg : k.segments) {
    loops(seg.loops), loops(seg.reduced);
    each_value(seg, collect);
  }
  std::vector<Expr> roots = roots_of(k);
  if (k.contraction) roots.push_back(k.contraction->right);
  for (Expr e : ir::postorder(roots)) ir::each_index(e, collect);
  if (k.contraction) {
    const auto& c = *k.contraction;
    loops(c.batch), loops(c.rows), loops(c.taps), loops({c.columns, c.k});
  }
  if (const auto& a = k.attention) loops(a->batch), loops({a->rows, a->keys, a->head_size, a->columns});
  return symbols;
}

}  // namespace

KernelWriter::KernelWriter(const kernel::KernelView& view, const Options& options)
    : view_(view), kernel_(view.kernel), options_(options), context_{view, options, {}, {}, {}, 0, {}} {}

Code KernelWriter::name_loop(const ir::Loop& loop) {
  const Code name = Code::name(fmt::format("i{}", next_loop_++));
  context_.names.set(loop.var.node(), name);
  return name;
}

void KernelWriter::name_position(const ir::Loop& loop) {
  name_loop(loop);
  if (loop.extent.is_constant(1)) context_.names.set_zero(loop.var.node());
}

void KernelWriter::name_scalar_loop(const ir::Loop& loop) {
  if (options_.no_redundant_loops)
    name_position(loop);
  else
    name_loop(loop);
}

Code KernelWriter::named(const Code& name, const Code& value) {
  if (is_simple(value)) return value;
  body_.let(name, "{}", value);
  return name;
}

Code KernelWriter::of_format(const char* table, rt::TileFormat format) {
  formats_.insert(format);
  return code("{}->{}[{}]", kRuntime, table, format_name(format));
}

For KernelWriter::loop_over(const ir::Loop& loop) const {
  return {.variable = context_.names.text(loop.var), .end = index_text(loop.extent)};
}

void KernelWriter::decompose(const Code& number, const std::vector<ir::Loop>& loops) {
  std::vector<ir::Loop> several;
  for (const ir::Loop& loop : loops) {
    if (number.is_number(0) || loop.extent.is_constant(1))
      name_loop(loop), context_.names.set_zero(loop.var.node());
    else
      several.push_back(loop);
  }
  Code rest = number;
  for (size_t i = several.size(); i-- > 1;) {
    const Code extent = factor(several[i].extent);
    body_.let(name_loop(several[i]), "{} % {}", operand(rest), extent);
    const Code quotient = code("{} / {}", operand(rest), extent);
    rest = i == 1 ? quotient : context_.fresh("rest");
    if (i > 1) body_.let(rest, "{}", quotient);
  }
  if (several.empty()) return;
  if (is_simple(rest))
    context_.names.set(several[0].var.node(), rest);
  else
    body_.let(name_loop(several[0]), "{}", rest);
}

Statements KernelWriter::buffer_declarations() {
  StatementList declarations;
  const auto declare = [&](BufferId b, bool written) {
    const size_t argument = text_.buffers.size();
    const std::string type(storage_type(view_.type_of(b))), qualifier(written ? "" : "const ");
    const Code name(fmt::format("b{}", argument));
    context_.pointers[b] = name;
    declarations.constant(qualifier + type + "* const", name, "({}{}*)args->buffers[{}]", qualifier, type, argument);
    text_.buffers.push_back(b);
  };
  for (BufferId b : kernel_.inputs) declare(b, false);
  for (BufferId b : kernel_.outputs) declare(b, true);
  text_.output_count = int(kernel_.outputs.size());
  return declarations.take();
}

// Says how the elements of a tensor of several dimensions are stored: ", row-major (0 1)".
std::string KernelWriter::storage_text(const ir::Buffer& b) const {
  if (b.shape.size() < 2) return "";
  const schedule::Layout& layout = view_.schedule.layouts[size_t(b.id)];
  std::string text = ", " + schedule::order_text(layout.order);
  if (layout.pad != 0) text += fmt::format(" with {} unused elements after each row", layout.pad);
  return text;
}

// The nodes of the model that the kernel computes, its arguments, and its buffers in scratch memory.
std::string KernelWriter::comment() const {
  if (!options_.comment_origin) return "";
  std::vector<std::string> shown;
  for (const auto& o : kernel_.origins)
    if (std::find(shown.begin(), shown.end(), o) == shown.end()) shown.push_back(o);
  TextWriter out;
  out.comment(fmt::format("{}", fmt::join(shown, ", ")));
  for (size_t i = 0; i < text_.buffers.size(); i++) {
    const ir::Buffer& b = view_.program().buffer(text_.buffers[i]);
    std::string shape;
    for (IndexExpr d : b.shape) shape += (shape.empty() ? "" : ", ") + ir::to_string(d);
    out.comment(fmt::format("  b{}: {} {}[{}]{}", i, b.name, name_of(b.type), shape, storage_text(b)));
  }
  for (const std::string& buffer : scratch_) out.comment(fmt::format("  {} (scratch)", buffer));
  return out.take();
}

KernelText KernelWriter::write(const kernel::KernelPlan& plan) {
  const auto symbols = symbols_of(view_.schedule, kernel_);
  for (size_t i = 0; i < symbols.size(); i++) context_.names.set(symbols[i], Code::name(fmt::format("s{}", i)));
  StatementList function;
  function.add(buffer_declarations());
  write_body();
  Statements inner = assertions(plan, symbols);
  for (Statement& s : before_.take()) inner.push_back(std::move(s));
  inner.push_back({For{.variable = "unit", .begin = "begin", .end = "end", .body = body_.take()}});
  for (Statement& s : after_.take()) inner.push_back(std::move(s));
  if (!kernel_.non_temporal.empty()) inner.push_back(plain("vec::fence();"));

  std::set<std::string> used;
  simplify(inner, used, options_.no_redundant_loops);
  for (const auto* symbol : symbols) {
    const Code name = context_.names.text(IndexExpr(symbol));
    if (used.count(name.text()) == 0) continue;
    function.let(name, "args->params[{}]", text_.params.size());
    text_.params.push_back(IndexExpr(symbol));
  }
  if (used.count(kFirstCheck.text()) != 0)
    function.constant("const int", kFirstCheck, "int(args->params[{}])", text_.params.size());
  text_.calls_runtime = used.count(kRuntime.text()) != 0;
  if (text_.calls_runtime) function.constant("const cppgen_runtime* const", kRuntime, "args->rt");
  for (const rt::TileFormat format : formats_)
    if (used.count(format_name(format).text()) != 0)
      function.constant("constexpr int", format_name(format), "{}", int(format));
  function.add(inner);

  text_.name = kernel_.name;
  text_.comment = comment();
  text_.linkage = linkage_;
  TextWriter out;
  out.open_text("(const cppgen_kernel_args* args, long begin, long end)");
  codegen::write(function.take(), out);
  out.close();
  text_.function = out.take();
  text_.calls_functions = text_.function.find(fmt::format("({}, ", kRuntime.text())) != std::string::npos;
  text_.checks = context_.checks;
  text_.by_lane.assign(context_.by_lane.begin(), context_.by_lane.end());
  return std::move(text_);
}

}  // namespace cppgen::codegen
