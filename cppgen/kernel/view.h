#pragma once
#include <vector>

#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"
#include "cppgen/schedule/schedule.h"

namespace cppgen::kernel {

using ir::BufferId;
using ir::Expr;
using ir::IndexExpr;
using schedule::pieces;

// A scheduled kernel with everything that its plan depends on.
struct KernelView {
  const schedule::Schedule& schedule;
  const schedule::FusedKernel& kernel;
  const schedule::Target& target;

  const schedule::Tuning& tuning() const {
    return kernel.tuning ? *kernel.tuning : schedule::tuning_of(schedule, target);
  }
  const ir::Program& program() const { return schedule.program; }
  DType type_of(BufferId b) const { return program().buffer(b).type; }
  const schedule::Local* local(BufferId) const;  // null if it is in memory
  // The linear offset of an element; for a buffer in scratch memory, within the row of one point of the outer loops.
  IndexExpr offset(BufferId, const std::vector<IndexExpr>& indices) const;
  IndexExpr offset(Expr load) const { return offset(load->buffer, load->indices); }
  IndexExpr offset(const ir::Store& store) const { return offset(store.buffer, store.indices); }
};

inline int64_t constant_or(IndexExpr e, int64_t otherwise) { return e.is_constant() ? e.constant() : otherwise; }

}  // namespace cppgen::kernel
