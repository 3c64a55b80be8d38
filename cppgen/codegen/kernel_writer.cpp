#include "cppgen/codegen/kernel_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace cppgen::codegen {
namespace {

// Whether `name` occurs in `code` as a whole word.
bool mentions(const std::string& code, const std::string& name) {
  auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1)) {
    bool left = at == 0 || !word(code[at - 1]);
    bool right = at + name.size() >= code.size() || !word(code[at + name.size()]);
    if (left && right) return true;
  }
  return false;
}

void collect_symbols(IndexExpr e, std::vector<const ir::IndexNode*>& out) {
  for (const auto* v : ir::variables_of(e))
    if (v->kind == ir::VarKind::symbol && std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
}

void collect_symbols(const std::vector<ir::Indirect>& indirects, std::vector<const ir::IndexNode*>& out) {
  for (const ir::Indirect& i : indirects) collect_symbols(i.variable->extent, out);
}

// Symbols of the shapes that the kernel touches, and of its loops.
std::vector<const ir::IndexNode*> symbols_of(const schedule::Schedule& s, const schedule::FusedKernel& k) {
  std::vector<const ir::IndexNode*> symbols;
  std::vector<ir::BufferId> buffers = k.inputs;
  buffers.insert(buffers.end(), k.outputs.begin(), k.outputs.end());
  for (const auto& l : k.locals) buffers.push_back(l.buffer);
  for (auto b : buffers)
    for (IndexExpr d : s.program.buffer(b).shape) collect_symbols(d, symbols);
  auto loops = [&](const std::vector<ir::Loop>& list) {
    for (const auto& l : list) collect_symbols(l.extent, symbols);
  };
  loops(k.outer);
  std::vector<Expr> roots;
  for (const auto& seg : k.segments) {
    loops(seg.loops), loops(seg.reduced);
    const auto more = roots_of(seg);
    roots.insert(roots.end(), more.begin(), more.end());
    for (const auto* stores : {&seg.body, &seg.stores})
      for (const auto& st : *stores) {
        for (const auto& i : st.indices) collect_symbols(i, symbols);
        collect_symbols(st.indirects, symbols);
      }
  }
  if (k.contraction) roots.push_back(k.contraction->left), roots.push_back(k.contraction->right);
  if (const auto& a = k.attention) roots.insert(roots.end(), {a->query, a->key, a->value, a->score});
  for (Expr e : ir::postorder(roots)) {
    for (IndexExpr i : e->indices) collect_symbols(i, symbols);
    collect_symbols(e->indirects, symbols);
    for (const auto& g : e->guards)
      collect_symbols(g.index, symbols), collect_symbols(g.lo, symbols), collect_symbols(g.hi, symbols);
  }
  if (k.contraction) {
    const auto& c = *k.contraction;
    loops(c.batch), loops(c.rows), loops(c.taps), loops({c.columns, c.depth});
  }
  if (const auto& a = k.attention) loops(a->batch), loops({a->rows, a->keys, a->depth, a->columns});
  return symbols;
}

}  // namespace

KernelWriter::KernelWriter(const kernel::KernelView& view, const Options& options)
    : view_(view), kernel_(view.kernel), options_(options), context_{view, {}, {}, {}, 0, {}} {}

std::string KernelWriter::name_loop(const ir::Loop& loop) {
  std::string name = fmt::format("i{}", next_loop_++);
  context_.names.set(loop.var.node(), name);
  return name;
}

void KernelWriter::decompose(TextWriter& out, const std::string& number, const std::vector<ir::Loop>& loops) {
  std::string rest = number;
  std::vector<std::string> lines;
  for (size_t i = loops.size(); i-- > 0;) {
    std::string name = name_loop(loops[i]);
    if (i == 0) {
      out.line("const vec::i64 {} = {};", name, rest);
    } else {
      std::string extent = context_.names.text(loops[i].extent);
      out.line("const vec::i64 {} = {} % ({});", name, rest, extent);
      std::string next = context_.fresh("rest");
      out.line("const vec::i64 {} = {} / ({});", next, rest, extent);
      rest = next;
    }
  }
}

void KernelWriter::add_lines(const std::vector<std::string>& lines) {
  for (const auto& l : lines) body_.text_line(l);
}

void KernelWriter::name_buffers(TextWriter& out) {
  auto declare = [&](ir::BufferId b, size_t argument, bool written) {
    std::string name = fmt::format("b{}", argument);
    context_.pointers[b] = name;
    std::string type(storage_type(view_.type_of(b)));
    const char* qualifier = written ? "" : "const ";
    out.line("{}{}* const {} = ({}{}*)args->buffers[{}];", qualifier, type, name, qualifier, type, argument);
  };
  size_t argument = 0;
  for (auto b : kernel_.inputs) declare(b, argument++, false);
  for (auto b : kernel_.outputs) declare(b, argument++, true);
  text_.buffers = kernel_.inputs;
  text_.buffers.insert(text_.buffers.end(), kernel_.outputs.begin(), kernel_.outputs.end());
  text_.output_count = int(kernel_.outputs.size());
}

KernelText KernelWriter::write() {
  text_.name = kernel_.name;
  TextWriter declarations;
  declarations.indent();
  auto symbols = symbols_of(view_.schedule, kernel_);
  std::vector<std::string> symbol_names;
  for (size_t i = 0; i < symbols.size(); i++) {
    symbol_names.push_back(fmt::format("s{}", i));
    context_.names.set(symbols[i], symbol_names.back());
  }
  name_buffers(declarations);
  before_.indent(), after_.indent();
  body_.indent(), body_.indent();
  write_body();
  before_.dedent(), after_.dedent();
  body_.dedent(), body_.dedent();
  declarations.dedent();

  std::string inner =
      before_.take() + "  for (vec::i64 unit = begin; unit < end; unit++) {\n" + body_.take() + "  }\n" + after_.take();
  if (!kernel_.around_caches.empty()) inner += "  vec::fence();\n";
  TextWriter out, comment_writer;
  if (options_.comment_origin) {
    std::vector<std::string> shown;
    for (const auto& o : kernel_.origins)
      if (std::find(shown.begin(), shown.end(), o) == shown.end()) shown.push_back(o);
    std::string list;
    for (const auto& o : shown) list += (list.empty() ? "" : ", ") + o;
    comment_writer.comment(list);
  }
  std::string comment = comment_writer.take();
  const bool has_tiles = kernel_.contraction && kernel_.contraction->in_registers;
  out.line("{} void {}(const cppgen_kernel_args* args, long begin, long end) {{",
           has_tiles ? "CPPGEN_TILE_KERNEL" : "CPPGEN_KERNEL", kernel_.name);
  std::string head;
  for (size_t i = 0; i < symbols.size(); i++) {
    if (!mentions(inner, symbol_names[i])) continue;
    head += fmt::format("  const vec::i64 {} = args->params[{}];\n", symbol_names[i], text_.params.size());
    text_.params.push_back(IndexExpr(symbols[i]));
  }
  if (mentions(inner, "check0"))
    head += fmt::format("  const int check0 = int(args->params[{}]);\n", text_.params.size());
  text_.calls_runtime = mentions(inner, "rt");
  if (text_.calls_runtime) head += "  const cppgen_runtime* const rt = args->rt;\n";
  text_.comment = std::move(comment);
  text_.code = out.take() + declarations.take() + head + inner + "}\n";
  text_.checks = context_.checks;
  text_.by_lane.assign(context_.by_lane.begin(), context_.by_lane.end());
  return std::move(text_);
}

}  // namespace cppgen::codegen
