#include "cppgen/codegen/loops_writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace cppgen::codegen {

using ir::Loop;
using schedule::Place;
using schedule::Segment;

void LoopsWriter::write_body() {
  has_inner_ = std::any_of(kernel_.segments.begin(), kernel_.segments.end(),
                           [](const Segment& s) { return !s.loops.empty() || !s.reduced.empty(); });
  if (kernel_.transpose_loop >= 0 && kernel_.segments.size() == 1 && target_.lanes > 1) return write_transposed();
  if (kernel_.vector_outer) return slides() ? write_windows() : write_columns();
  write_rows();
}

void LoopsWriter::declare_locals() {
  int64_t scratch = 0;
  for (const auto& l : kernel_.locals) {
    DType type = schedule_.program.buffer(l.buffer).type;
    if (l.place == Place::value) {
      std::string name = fmt::format("v{}", context_.next_value++);
      std::string value =
          type == DType::boolean ? "vec::M" : fmt::format("vec::V<{}>", lane_type(ir::value_type(type)));
      bool array = kernel_.vector_outer && unroll_ > 1;
      body_.line("{} {}{};", value, name, array ? "[U]" : "");
      context_.pointers[l.buffer] = array ? name + "[u]" : name;
    } else {
      std::string name = fmt::format("r{}", context_.next_value++);
      body_.line("{0}* const {1} = ({0}*)(args->scratch + {2});", storage_type(type), name, scratch);
      context_.pointers[l.buffer] = name;
      scratch += (l.elements.constant() * int64_t(size_of(type)) + 63) / 64 * 64;
    }
  }
  text_.scratch_bytes = scratch;
}

void LoopsWriter::open_loops(const std::vector<Loop>& loops, const ValueEmitter& e, size_t level,
                             const std::optional<Parts>& parts) {
  for (size_t i = 0; i < loops.size(); i++) {
    const std::string name = index_text(loops[i].var), extent = index_text(loops[i].extent);
    const bool in_parts = parts && parts->loop == i;
    if (in_parts) open_parts(extent, *parts);
    body_.open("for (vec::i64 {0} = {1}; {0} < {2}; {0}++)", name, in_parts ? "part" : "0",
               in_parts ? "part_end" : extent);
    add_lines(e.lines[level++]);
  }
}

void LoopsWriter::close_loops(size_t count, const std::optional<Parts>& parts) {
  while (count-- > 0) {
    body_.close();
    if (parts && parts->loop == count) close_parts(*parts);
  }
}

std::string LoopsWriter::accumulator_name(size_t segment, size_t reduction) {
  return fmt::format("a{}_{}", segment, reduction);
}

}  // namespace cppgen::codegen
