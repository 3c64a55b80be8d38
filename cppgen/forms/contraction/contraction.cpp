#include "cppgen/forms/contraction/contraction.h"

#include "cppgen/kernel/accessed.h"

namespace cppgen::forms {

using schedule::TileContraction;

bool is_contraction(const KernelView& view, std::string_view form) {
  return view.kernel.contraction && view.kernel.contraction->form == form;
}

bool panels_stay_in_cache(const KernelView& view, IndexExpr panels) {
  const TileContraction& c = *view.kernel.contraction;
  const IndexExpr elements = panels * c.panel_elements;
  return elements.is_constant() && elements.constant() * int64_t(size_of(info(c.format).panel)) <=
                                       view.target.l2_bytes / view.tuning().panel_cache_share;
}

IndexExpr bytes_of_contraction(const KernelView& view, IndexExpr panel_elements) {
  const TileContraction& c = *view.kernel.contraction;
  Accessed accessed(view);
  for (const Expr load : loads_of(c)) accessed.add_all(load->buffer);
  accessed.add(c.packed, panel_elements);
  std::vector<ir::Loop> outer = c.batch;
  outer.push_back(c.columns);
  accessed.add_segments(outer);
  return accessed.bytes();
}

}  // namespace cppgen::forms
