#include "cppgen/forms/loops/writer.h"

#include "cppgen/kernel/view.h"

namespace cppgen::forms {

using ir::Loop;
using schedule::Place;

void LoopsWriter::declare_locals(bool as_arrays) {
  for (size_t i = 0; i < kernel_.locals.size(); i++) {
    const schedule::Local& l = kernel_.locals[i];
    const DType type = view_.type_of(l.buffer);
    if (l.place == Place::value) {
      const Code name = code("v{}", context_.next_value++);
      const Code value = type == DType::boolean ? "vec::M" : code("vec::V<{}>", lane_type(ir::value_type(type)));
      body_.array(value.text(), name, as_arrays ? "U" : "");
      context_.pointers[l.buffer] = as_arrays ? name + "[u]" : name;
    } else {
      const Code name = code("r{}", context_.next_value++);
      const Code place = sum("args->scratch", Code(loops_.scratch_offsets[i]));
      body_.constant(code("{}* const", storage_type(type)).text(), name, "({}*){}", storage_type(type), operand(place));
      context_.pointers[l.buffer] = name;
      note_scratch(fmt::format("{}: {} {}[{}]", name, view_.program().buffer(l.buffer).name, name_of(type),
                               ir::to_string(l.elements)));
    }
  }
}

std::optional<LoopsWriter::Parts> LoopsWriter::parts_of(size_t segment) const {
  const auto& plan = loops_.segments[segment].sum_parts;
  if (!plan) return std::nullopt;
  return Parts{*plan, code("terms{}", segment), {}, {}};
}

void LoopsWriter::open_loops(const std::vector<Loop>& loops, const ValueEmitter& e, size_t level,
                             const std::optional<Parts>& parts) {
  for (size_t i = 0; i < loops.size(); i++) {
    For loop = loop_over(loops[i]);
    if (parts && parts->plan.loop == i) {
      open_parts(loop.end, *parts);
      loop.begin = "part", loop.end = "part_end";
    }
    body_.open(std::move(loop));
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
  body_.open(For{.variable = "part", .end = extent, .step = Code(parts.plan.steps)});
  body_.let("part_end", "vec::imin(part + {}, {})", parts.plan.steps, extent);
}

void LoopsWriter::close_parts(const Parts& parts) {
  const SumParts& plan = parts.plan;
  if (plan.spread > 1)
    body_.line("{} += (part_end - part) / {} + {};", parts.count, plan.spread, plan.more);
  else
    body_.line("{} += {};", parts.count,
               plan.terms == 1 ? "part_end - part" : code("(part_end - part) * {}", plan.terms));
  body_.open_if(code("{} >= {}", parts.count, parts.plan.most_terms));
  body_.add(parts.after);
  body_.add(parts.reset);
  body_.line("{} = 0;", parts.count);
  body_.close();
  body_.close();
}

void LoopsWriter::prefetch(size_t segment) {
  for (const Prefetch& p : loops_.segments[segment].prefetches)
    body_.line("vec::prefetch{}({});", p.written ? "_written" : "",
               sum(context_.pointers.at(p.buffer), index_text(p.offset)));
}

Code LoopsWriter::accumulator_name(size_t segment, size_t reduction) { return code("a{}_{}", segment, reduction); }

Code LoopsWriter::add_to_total(const Code& total, const Code& accumulator) {
  return code("{0} = {0} + vec::convert<double>({1});", total, accumulator);
}

Code LoopsWriter::total_name(size_t segment, size_t reduction) { return code("total{}_{}", segment, reduction); }

}  // namespace cppgen::forms
