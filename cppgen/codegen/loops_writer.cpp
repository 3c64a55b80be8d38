#include "cppgen/codegen/loops_writer.h"

namespace cppgen::codegen {

using ir::Loop;
using schedule::Place;

void LoopsWriter::declare_locals(bool as_arrays) {
  for (size_t i = 0; i < kernel_.locals.size(); i++) {
    const schedule::Local& l = kernel_.locals[i];
    const DType type = view_.type_of(l.buffer);
    if (l.place == Place::value) {
      const Code name = code("v{}", context_.next_value++);
      const Code value = type == DType::boolean ? "vec::M" : code("vec::V<{}>", lane_type(ir::value_type(type)));
      body_.line("{} {}{};", value, name, as_arrays ? "[U]" : "");
      context_.pointers[l.buffer] = as_arrays ? name + "[u]" : name;
    } else {
      const Code name = code("r{}", context_.next_value++);
      body_.line("{0}* const {1} = ({0}*)(args->scratch + {2});", storage_type(type), name, loops_.scratch_offsets[i]);
      context_.pointers[l.buffer] = name;
    }
  }
}

std::optional<LoopsWriter::Parts> LoopsWriter::parts_of(size_t segment) const {
  const auto& plan = loops_.segments[segment].sum_parts;
  if (!plan) return std::nullopt;
  return Parts{*plan, code("terms{}", segment), {}};
}

void LoopsWriter::open_loops(const std::vector<Loop>& loops, const ValueEmitter& e, size_t level,
                             const std::optional<Parts>& parts) {
  for (size_t i = 0; i < loops.size(); i++) {
    const Code name = index_text(loops[i].var), extent = index_text(loops[i].extent);
    const bool in_parts = parts && parts->plan.loop == i;
    if (in_parts) open_parts(extent, *parts);
    body_.open("for (vec::i64 {0} = {1}; {0} < {2}; {0}++)", name, in_parts ? "part" : "0",
               in_parts ? "part_end" : extent);
    body_.add(e.lines[level++]);
  }
}

void LoopsWriter::close_loops(size_t count, const std::optional<Parts>& parts) {
  while (count-- > 0) {
    body_.close();
    if (parts && parts->plan.loop == count) close_parts(*parts);
  }
}

void LoopsWriter::open_parts(const Code& extent, const Parts& parts) {
  body_.open("for (vec::i64 part = 0; part < {}; part += {})", extent, parts.plan.steps);
  body_.line("const vec::i64 part_end = vec::imin(part + {}, {});", parts.plan.steps, extent);
}

void LoopsWriter::close_parts(const Parts& parts) {
  body_.line("{} += (part_end - part) * {};", parts.count, parts.plan.terms);
  body_.open("if ({} >= {})", parts.count, view_.tuning().sum_part);
  body_.add(parts.after);
  body_.line("{} = 0;", parts.count);
  body_.close();
  body_.close();
}

void LoopsWriter::prefetch(size_t segment) {
  for (const kernel::Prefetch& p : loops_.segments[segment].prefetches)
    body_.line("vec::prefetch({});", at(context_.pointers.at(p.buffer), index_text(p.offset)));
}

Code LoopsWriter::accumulator_name(size_t segment, size_t reduction) { return code("a{}_{}", segment, reduction); }

Code LoopsWriter::total_name(size_t segment, size_t reduction) { return code("total{}_{}", segment, reduction); }

}  // namespace cppgen::codegen
