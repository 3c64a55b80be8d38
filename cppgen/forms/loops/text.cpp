#include "cppgen/forms/loops/plan.h"
#include "cppgen/schedule_text/field_printer.h"

namespace cppgen::forms {

template <class V>
void fields(V& v, Prefetch& prefetch) {
  auto& [buffer, offset, written] = prefetch;
  v.buffer("buffer", buffer);
  v("offset", offset);
  v("written", written, false);
}

template <class V>
void fields(V& v, SumParts& parts) {
  auto& [loop, steps, most_terms, terms, spread, more] = parts;
  v("loop", loop);
  v("steps", steps);
  v("most_terms", most_terms);
  v("terms", terms, 1);
  v("spread", spread, 1);
  v("more", more, 0);
}

template <class V>
void fields(V& v, SegmentPlan& segment) {
  auto& [sum_parts, has_total, prefetches] = segment;
  v.maybe("sum_parts", sum_parts);
  v("has_total", std::vector<int>(has_total.begin(), has_total.end()), {});
  v.records("prefetch", prefetches);
}

void LoopsPlan::print(FieldPrinter& v) {
  v("scratch_offsets", scratch_offsets, {});
  v.records("segment", segments);
}

}  // namespace cppgen::forms
