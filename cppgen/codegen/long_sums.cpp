// A float sum of very many terms, one after the other, loses what is small beside it: with 2^24 ones a sum of ones
// stands still. Where shapes are known, schedules cut such sums (schedule/fusion/reductions.h). Where only a run knows
// how many terms there are, kernels add their accumulators to totals now and then, after numbers of terms that depend
// on shapes alone. Sums of fewer terms are what they would be without.
#include <fmt/format.h>

#include <algorithm>

#include "cppgen/codegen/loops_writer.h"
#include "cppgen/codegen/reduction_text.h"

namespace cppgen::codegen {

using schedule::Segment;

static constexpr int64_t kTermsOfPart = int64_t{1} << 20;

static bool is_float_sum(const ir::Reduction& r) { return r.op == ir::ReduceOp::sum && r.type == DType::f32; }

// The parts are of the innermost loop that, with the loops inside it, may have more points than a part is to have.
std::optional<LoopsWriter::Parts> LoopsWriter::parts_of(const Segment& s) {
  const bool sums = std::any_of(s.reductions.begin(), s.reductions.end(), is_float_sum);
  if (!sums || points(s.reduced).is_constant()) return std::nullopt;
  Parts parts;
  for (parts.loop = s.reduced.size() - 1;; parts.loop--) {
    const int64_t extent = constant_or(s.reduced[parts.loop].extent, kTermsOfPart + 1);
    if (extent > kTermsOfPart / parts.terms) break;
    parts.terms *= std::max<int64_t>(extent, 1);
  }
  parts.steps = kTermsOfPart / parts.terms;
  return parts;
}

bool LoopsWriter::has_total(const Segment& s, size_t reduction) {
  return is_float_sum(s.reductions[reduction]) && parts_of(s);
}

std::string LoopsWriter::total_name(size_t segment, size_t reduction) {
  return fmt::format("total{}_{}", segment, reduction);
}

void LoopsWriter::open_parts(const std::string& extent, const Parts& parts) {
  body_.open("for (vec::i64 part = 0; part < {}; part += {})", extent, parts.steps);
  body_.line("const vec::i64 part_end = vec::imin(part + {}, {});", parts.steps, extent);
}

void LoopsWriter::close_parts(const Parts& parts) {
  body_.line("{} += (part_end - part) * {};", parts.count, parts.terms);
  body_.open("if ({} >= {})", parts.count, kTermsOfPart);
  add_lines(parts.after);
  body_.line("{} = 0;", parts.count);
  body_.close();
  body_.close();
}

std::optional<LoopsWriter::Parts> LoopsWriter::row_parts(const Segment& s, size_t index) {
  auto parts = parts_of(s);
  if (parts) parts->count = fmt::format("terms{}", index);
  for (size_t r = 0; parts && r < s.reductions.size(); r++) {
    if (!has_total(s, r)) continue;
    auto lines = combine_rows(s, index, r);
    const std::string a = accumulator_name(index, r), total = total_name(index, r);
    lines.push_back(fmt::format("{0} = {0} + {1}[0];", total, a));
    lines.push_back(fmt::format("for (int u = 0; u < {}; u++) {}[u] = {};", kRowAccumulators, a,
                                accumulator_start(s.reductions[r])));
    parts->after.insert(parts->after.end(), lines.begin(), lines.end());
  }
  return parts;
}

std::optional<LoopsWriter::Parts> LoopsWriter::column_parts(const Segment& s, size_t index) const {
  auto parts = parts_of(s);
  if (parts) parts->count = fmt::format("terms{}", index);
  for (size_t r = 0; parts && r < s.reductions.size(); r++) {
    if (!has_total(s, r)) continue;
    parts->after.push_back(fmt::format("{0}{2} = {0}{2} + {1}{2}, {1}{2} = {3};", total_name(index, r),
                                       accumulator_name(index, r), unroll_ > 1 ? "[u]" : "",
                                       accumulator_start(s.reductions[r])));
    if (unroll_ > 1) parts->after.back().insert(0, "for (int u = 0; u < U; u++) ");
  }
  return parts;
}

std::string LoopsWriter::column_result(const Segment& s, size_t index, size_t r) const {
  if (!has_total(s, r)) return column_accumulator(index, r);
  return total_name(index, r) + (unroll_ > 1 ? "[u]" : "");
}

}  // namespace cppgen::codegen
