#include "cppgen/schedule/engines/external_kernel.h"

#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {

using ir::Loop;

BufferId split_epilogue(Program& program, Layouts& layouts, const std::vector<Loop>& order, Prepared& prepared) {
  LoopNest& nest = prepared.nest;
  std::vector<IndexExpr> shape, indices;
  for (const Loop& l : order) shape.push_back(l.extent), indices.push_back(l.var);
  const size_t rank = shape.size();
  BufferId raw = program.add_buffer(nest.name + ".raw", DType::f32, std::move(shape), ir::BufferKind::temporary);
  layouts.push_back(row_major(rank));

  LoopNest epilogue = nest;
  epilogue.name = nest.name + "_epilogue";
  epilogue.reduced.clear(), epilogue.reductions.clear(), epilogue.roles.clear();
  ir::Rewrite rewrite;
  for (size_t i = 0; i < nest.loops.size(); i++) {
    IndexExpr var = program.index->loop("i", nest.loops[i].extent);
    rewrite.indices[nest.loops[i].var.node()] = var;
    epilogue.loops[i].var = var;
  }
  std::vector<IndexExpr> read;
  for (IndexExpr i : indices) read.push_back(ir::substitute(i, rewrite.indices));
  rewrite.replace_accumulator = [&](Expr) { return program.exprs->load(raw, DType::f32, read); };
  ir::rewrite(*program.exprs, epilogue, rewrite);
  prepared.epilogue = std::move(epilogue);

  nest.stores = {{raw, indices, program.exprs->accumulator(0, DType::f32)}};
  return raw;
}

std::optional<IndexExpr> joint_stride(IndexExpr offset, const std::vector<Loop>& loops) {
  std::optional<IndexExpr> inner;
  IndexExpr extent = 1;
  for (size_t i = loops.size(); i-- > 0;) {
    if (loops[i].extent.is_constant(1)) continue;
    auto s = ir::stride_of(offset, loops[i].var.node());
    if (!s) return std::nullopt;
    if (inner && !ir::prove_equal(*s, *inner * extent)) return std::nullopt;
    if (!inner) inner = *s;
    extent = extent * loops[i].extent;
  }
  return inner ? *inner : IndexExpr(int64_t{0});
}

IndexExpr start_of(IndexExpr offset) {
  ir::IndexMap zero;
  for (const auto* v : ir::variables_of(offset))
    if (v->kind == ir::VarKind::loop) zero[v] = 0;
  return ir::substitute(offset, zero);
}

}  // namespace cppgen::schedule
