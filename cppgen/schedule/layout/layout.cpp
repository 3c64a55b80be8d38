#include "cppgen/schedule/layout/layout.h"

#include <numeric>

#include "cppgen/ir/program/program.h"

namespace cppgen::schedule {

using ir::Buffer;

Layout row_major(size_t rank) {
  Layout l;
  l.order.resize(rank);
  std::iota(l.order.begin(), l.order.end(), 0);
  return l;
}

Layout with_last(size_t rank, int last) {
  Layout l = row_major(rank);
  std::erase(l.order, last);
  l.order.push_back(last);
  return l;
}

std::vector<IndexExpr> strides_of(const Buffer& buffer, const Layout& layout) {
  std::vector<IndexExpr> strides(buffer.shape.size());
  IndexExpr step = 1;
  for (size_t i = layout.order.size(); i-- > 0;) {
    size_t d = size_t(layout.order[i]);
    strides[d] = step;
    step = step * buffer.shape[d];
    if (i + 1 == layout.order.size()) step = step + layout.pad;
  }
  return strides;
}

IndexExpr storage_elements(const Buffer& buffer, const Layout& layout) {
  if (layout.pad == 0) return ir::product(buffer.shape);
  const size_t slowest = size_t(layout.order[0]);
  return buffer.shape[slowest] * strides_of(buffer, layout)[slowest];
}

IndexExpr offset_of(const Buffer& buffer, const Layout& layout, const std::vector<IndexExpr>& indices) {
  auto strides = strides_of(buffer, layout);
  IndexExpr offset = 0;
  for (size_t d = 0; d < indices.size(); d++) offset = offset + indices[d] * strides[d];
  return offset;
}

IndexExpr offset_of(const Program& program, const Layouts& layouts, Expr load) {
  return offset_of(program.buffer(load->buffer), layouts[size_t(load->buffer)], load->indices);
}

}  // namespace cppgen::schedule
