#pragma once
#include <map>
#include <vector>

#include "cppgen/kernel/view.h"

namespace cppgen::kernel {

// The elements of each buffer in memory that a kernel accesses, each counted once, estimated.
class Accessed {
 public:
  explicit Accessed(const KernelView& view) : view_(view) {}

  void add(const schedule::Segment&, std::vector<ir::Loop> outer);
  // The segments of the kernel.
  void add_segments(const std::vector<ir::Loop>& outer);
  void add_load(Expr, const std::vector<ir::Loop>&);
  void add_all(BufferId);
  void add(BufferId, IndexExpr elements);

  IndexExpr bytes() const;

 private:
  const KernelView& view_;
  std::map<BufferId, IndexExpr> elements_;
};

}  // namespace cppgen::kernel
