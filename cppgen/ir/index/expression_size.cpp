#include "cppgen/ir/index/expression_size.h"

#include <unordered_map>

namespace cppgen::ir {
namespace {

// The number of nodes of a tree, which stops growing beyond the limit.
class TreeSize {
 public:
  uint32_t of(IndexExpr e) {
    if (e.is_constant()) return 1;
    if (const auto known = sizes_.find(e.node()); known != sizes_.end()) return known->second;
    uint32_t size = 1;
    for (const IndexTerm& t : e.node()->terms) add(size, IndexExpr(t.node));
    for (IndexExpr arg : e.node()->args) add(size, arg);
    sizes_.emplace(e.node(), size);
    return size;
  }

 private:
  std::unordered_map<const IndexNode*, uint32_t> sizes_;

  void add(uint32_t& size, IndexExpr part) {
    if (size <= kLargestExpression) size += of(part);
  }
};

}  // namespace

bool is_small(IndexExpr e) { return TreeSize().of(e) <= kLargestExpression; }

}  // namespace cppgen::ir
