// The assertions of kernels with NDEBUG=0 and DEBUG_INDEX_ASSERTS=1. A failed assertion is a failed check: the kernel
// notes its id and returns, and the session ends the run.
#include <algorithm>
#include <limits>

#include "cppgen/codegen/kernel_writer.h"
#include "cppgen/kernel/view.h"
#include "runtime/plan/plan.h"

namespace cppgen::codegen {
namespace {

std::string joined(const std::vector<IndexExpr>& list) {
  std::string text;
  for (IndexExpr e : list) text += (text.empty() ? "" : ", ") + ir::to_string(e);
  return text;
}

bool is_certain(IndexExpr index, IndexExpr extent) {
  return index.is_constant() && extent.is_constant() && index.constant() >= 0 && index.constant() < extent.constant();
}

}  // namespace

Code KernelContext::new_check(std::string message) {
  const size_t id = checks.size();
  checks.push_back(std::move(message));
  return id == 0 ? kFirstCheck : code("{} + {}", kFirstCheck, id);
}

Code KernelContext::new_assertion(const std::string& what) {
  return new_check(fmt::format("{}the kernel {} {}", rt::kAssertionFailed, view.kernel.name, what));
}

Code KernelContext::new_index_assertion(const char* verb, BufferId buffer, const std::vector<IndexExpr>& indices) {
  const ir::Buffer& b = view.program().buffer(buffer);
  return new_assertion(
      fmt::format("{} '{}' at [{}], outside of its shape [{}]", verb, b.name, joined(indices), joined(b.shape)));
}

Code KernelContext::inside(const IndexNames& in, BufferId buffer, const std::vector<IndexExpr>& indices) const {
  const std::vector<IndexExpr>& shape = view.program().buffer(buffer).shape;
  std::vector<Code> conditions;
  for (size_t d = 0; d < indices.size(); d++) {
    if (is_certain(indices[d], shape[d])) continue;
    conditions.push_back(in.at_least(indices[d], 0));
    conditions.push_back(in.less(indices[d], shape[d]));
  }
  return all_of(conditions);
}

Code ValueEmitter::indices_hold(const char* verb, BufferId buffer, const std::vector<IndexExpr>& indices,
                                const std::vector<ir::Guard>& guards, const std::vector<ir::Indirect>& indirects,
                                int& level) {
  if (!context_.options.debug_index_asserts) return "";
  const Code inside = context_.inside(lane_names_, buffer, indices);
  if (inside.empty()) return "";
  const Code assertion = context_.new_index_assertion(verb, buffer, indices), when = lane_condition(guards, indirects);
  for (IndexExpr index : indices) level = std::max(level, level_of(index));
  const bool by_lane =
      !when.empty() || std::any_of(indices.begin(), indices.end(), [&](IndexExpr i) { return varies(i); });
  if (!by_lane) return code("vec::holds({}, args->error, {})", context_.inside(names_, buffer, indices), assertion);
  if (level_of_variable_.count(vector_)) level = std::max(level, level_of_variable_.at(vector_));
  return code("vec::all_hold({}, args->error, {}, {})", lanes_, assertion,
              function("int i", when.empty() ? inside : code("!({}) || ({})", when, inside)));
}

void KernelWriter::require(StatementList& to, const Code& condition, const Code& assertion) {
  to.when(code("!vec::holds({}, args->error, {})", condition, assertion), "return;");
}

Statements KernelWriter::assertions(const kernel::KernelPlan& plan, const std::vector<const ir::IndexNode*>& symbols) {
  StatementList list;
  if (options_.ndebug) return list.take();
  require(list, code("begin >= 0 && begin <= end && end <= {}", index_text(plan.units)),
          context_.new_assertion(fmt::format("is called for units outside of 0 to {}", ir::to_string(plan.units))));
  for (const ir::IndexNode* symbol : symbols) {
    const ir::IndexRange range = IndexExpr(symbol).range();
    Code condition = context_.names.at_least(IndexExpr(symbol), range.lo);
    if (range.hi < std::numeric_limits<int64_t>::max())
      condition = code("{} && {} <= {}", condition, index_text(IndexExpr(symbol)), range.hi);
    require(list, condition,
            context_.new_assertion(fmt::format("relies on {} <= {} <= {}", range.lo, symbol->name, range.hi)));
  }
  for (size_t i = 0; i < text_.buffers.size(); i++) {
    const ir::Buffer& b = view_.program().buffer(text_.buffers[i]);
    require(list, code("(vec::u64)args->buffers[{}] % {} == 0", i, size_of(b.type)),
            context_.new_assertion(fmt::format("relies on '{}' being aligned to {} bytes", b.name, size_of(b.type))));
  }
  if (!plan.scratch_bytes.is_constant(0))
    require(list, "args->scratch && (vec::u64)args->scratch % 64 == 0",
            context_.new_assertion("relies on scratch memory that is aligned to 64 bytes"));
  return list.take();
}

void KernelWriter::assert_inside(Expr load, const std::vector<ir::Loop>& loops) {
  if (!options_.debug_index_asserts) return;
  std::vector<Code> conditions;
  for (const bool last : {false, true}) {
    ir::IndexMap position;
    for (const ir::Loop& l : loops) position[l.var.node()] = last ? l.extent - 1 : IndexExpr(int64_t{0});
    const auto at = [&](IndexExpr e) { return ir::substitute(e, position); };
    std::vector<IndexExpr> indices;
    for (IndexExpr index : load->indices) indices.push_back(at(index));
    Code inside = context_.inside(context_.names, load->buffer, indices);
    std::vector<Code> exists;
    for (const ir::Guard& g : load->guards) {
      exists.push_back(context_.names.at_least(at(g.index), at(g.lo)));
      exists.push_back(context_.names.less(at(g.index), at(g.hi)));
    }
    if (inside.empty()) continue;
    conditions.push_back(exists.empty() ? inside : code("(!({}) || ({}))", all_of(exists), inside));
  }
  if (conditions.empty()) return;
  std::vector<Code> empty;
  for (const ir::Loop& l : loops)
    if (l.extent.range().lo < 1) empty.push_back(code("{} < 1", index_text(l.extent)));
  Code all = all_of(conditions);
  for (const Code& e : empty) all = code("{} || ({})", e, all);
  require(body_, all, context_.new_index_assertion("reads", load->buffer, load->indices));
}

}  // namespace cppgen::codegen
