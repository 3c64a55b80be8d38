#include "cppgen/schedule/verify_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cppgen::schedule {
namespace {

using Buffers = std::set<BufferId>;

// The buffers that a kernel accesses according to its segments and operands.
struct Touched {
  Buffers loads, stores;

  explicit Touched(const FusedKernel& kernel) {
    for (Expr load : loads_of(kernel)) loads.insert(load->buffer);
    each_store(kernel, [&](const ir::Store& store) { stores.insert(store.buffer); });
    if (kernel.contraction) loads.insert(kernel.contraction->packed);
    if (kernel.contraction && kernel.contraction->transformed >= 0) loads.insert(kernel.contraction->transformed);
  }
};

std::string fault_of_arguments(const Program& program, const FusedKernel& kernel) {
  Touched touched(kernel);
  for (const Local& local : kernel.locals) {
    const BufferId b = local.buffer;
    if (b < 0 || size_t(b) >= program.buffers.size()) return fmt::format("there is no buffer {}", b);
    if (program.buffer(b).kind != ir::BufferKind::temporary)
      return fmt::format("b{} is kept but is not a temporary", b);
    if (local.place == Place::memory) return fmt::format("b{} is kept in memory", b);
    if (local.place == Place::row && local.elements.range().lo < 0)
      return fmt::format("b{} is a row without a size", b);
    if (!touched.stores.count(b)) return fmt::format("it reads b{}, which it keeps and never stores", b);
    touched.loads.erase(b), touched.stores.erase(b);
  }
  Buffers reads_back;
  for (BufferId b : touched.stores)
    if (touched.loads.erase(b)) reads_back.insert(b);
  if (Buffers(kernel.reads_back.begin(), kernel.reads_back.end()) != reads_back)
    return "the outputs that it reads back are others";
  if (Buffers(kernel.outputs.begin(), kernel.outputs.end()) != touched.stores)
    return "its outputs are not what it stores";
  if (Buffers(kernel.inputs.begin(), kernel.inputs.end()) != touched.loads) return "its inputs are not what it reads";
  for (BufferId b : kernel.non_temporal)
    if (!touched.stores.count(b)) return fmt::format("b{} bypasses the caches but is not stored", b);
  return "";
}

// Returns whether a load exists and reads something of this type.
bool is_load_of(const Program& program, Expr e, DType type) {
  return e && e->kind == ir::ExprKind::load && program.buffer(e->buffer).type == type;
}

std::string fault_of_left_value(const TileContraction& c) {
  if (!c.left_value) return "";
  if (c.left_value->type != DType::f32 || !rt::is_float32(c.format) || c.form != kTilesForm)
    return "its left operand is computed, but not as float32 for tiles that read such rows";
  if (!points(c.taps).is_constant(1) || !c.k.extent.is_constant() || !c.left->guards.empty())
    return "its left operand is computed for several taps, an unknown K or padding";
  return "";
}

std::string fault_of_contraction(const Program& program, const FusedKernel& kernel) {
  const TileContraction& c = *kernel.contraction;
  if (c.engine.empty()) return "no engine runs it";
  if (size_t(c.format) >= rt::kTileFormatCount || c.shape.mr <= 0 || c.shape.nr <= 0)
    return fmt::format("tiles of {} x {} in format {}", c.shape.mr, c.shape.nr, int(c.format));
  const rt::TileFormatInfo& format = info(c.format);
  const bool computed = c.left_value && c.left && c.left->kind == ir::ExprKind::load;
  if (!computed && !is_load_of(program, c.left, format.left))
    return fmt::format("its left operand is not {}", name_of(format.left));
  if (c.left_scales && !is_load_of(program, c.left_scales, DType::f32)) return "the scales of its rows are not float32";
  if (c.packed < 0 || size_t(c.packed) >= program.buffers.size())
    return fmt::format("there are no panels {}", c.packed);
  if (program.buffer(c.packed).type != format.panel) return fmt::format("its panels are not {}", name_of(format.panel));
  if (c.right_in_place && (!is_load_of(program, c.right, DType::f32) || c.packed != c.right->buffer))
    return "its right operand in place is not what it reads";
  if (std::string fault = fault_of_left_value(c); !fault.empty()) return fault;
  const RowTiling& t = c.tiling;
  if (t.height < 0 || t.width < 0 || t.left < 0 || t.right < 0 || t.left + t.right > t.width)
    return fmt::format("rows are tiled by {} lines of {} + {} + {}", t.height, t.left, t.width, t.right);
  if (t.height > 0 && c.rows.size() < 2) return "rows are tiled by the lines of an image but are a single loop";
  if (t.height > 0 &&
      (!c.rows[c.rows.size() - 2].extent.is_constant(t.height) || !c.rows.back().extent.is_constant(t.width)))
    return "rows are tiled by the lines of another image";
  if (kernel.segments.size() != 1 || !kernel.segments[0].reduced.empty() || !kernel.outer.empty())
    return "its epilogue is not one segment over its rows";
  return "";
}

std::string fault_of_attention(const Attention& a) {
  for (Expr operand : {a.query, a.key, a.value})
    if (!operand || operand->kind != ir::ExprKind::load) return "an operand is not a load";
  return a.score ? "" : "it has no score";
}

std::string fault_of_loops(const FusedKernel& kernel) {
  if (kernel.segments.empty()) return "it has no segments";
  if (kernel.transpose_loop < -1 || kernel.transpose_loop >= int(kernel.outer.size()))
    return fmt::format("the loop {} of {} is transposed", kernel.transpose_loop, kernel.outer.size());
  for (const Segment& s : kernel.segments) {
    if (s.reduced.empty() && !s.body.empty()) return "a body without reduced loops";
    for (const auto* loops : {&kernel.outer, &s.loops, &s.reduced})
      for (const ir::Loop& l : *loops)
        for (const auto* v : ir::variables_of(l.extent))
          if (v->kind != ir::VarKind::symbol) return fmt::format("a loop's extent depends on {}", v->name);
  }
  return "";
}

}  // namespace

std::string fault_of(const Program& program, const FusedKernel& kernel) {
  if (kernel.contraction && kernel.attention) return "it is a contraction and an attention";
  std::string fault = fault_of_loops(kernel);
  if (fault.empty() && kernel.contraction) fault = fault_of_contraction(program, kernel);
  if (fault.empty() && kernel.attention) fault = fault_of_attention(*kernel.attention);
  return fault.empty() ? fault_of_arguments(program, kernel) : fault;
}

}  // namespace cppgen::schedule
