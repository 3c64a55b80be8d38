#include "cppgen/forms/winograd/writer.h"

#include <algorithm>

#include "runtime/contraction/winograd.h"

namespace cppgen::forms {
namespace {

using ir::Loop;

const Code kPatch = Code::name("patch"), kPanel = Code::name("panel"), kBlock = Code::name("patch_block"),
           kGroup = Code::name("group"), kInputs = Code::name("inputs"), kSums = Code::name("sums"),
           kFindPoints = Code::name("find_points"), kInputRow = Code::name("input_row"),
           kInputPlane = Code::name("input_plane"), kSumsPlane = Code::name("sums_plane"),
           kFirstLine = Code::name("first_line"), kFirstPosition = Code::name("first_position"),
           kFirstBatch = Code::name("first_batch"), kBatchEnd = Code::name("batch_end");

Loop make_loop(const ir::Program& program, const char* name, IndexExpr extent) {
  return {program.index->loop(name, extent), extent};
}

}  // namespace

WinogradWriter::WinogradWriter(const KernelView& view, const WinogradPlan& plan, const Options& options)
    : WinogradWriter(view, plan, options,
                     {make_loop(view.program(), "down", plan.down), make_loop(view.program(), "across", plan.across),
                      make_loop(view.program(), "first_batch", points(view.kernel.contraction->batch))}) {}

WinogradWriter::WinogradWriter(const KernelView& view, const WinogradPlan& plan, const Options& options,
                               const Loops& loops)
    : PatchWriter(view, options, inputs_of(view, plan, loops)),
      plan_(plan),
      contraction_(*view.kernel.contraction),
      form_(contraction_.winograd),
      loops_(loops) {}

// The results of a patch are those of the contraction's loops over rows from its first one on, and a tap is a point.
PatchInputs WinogradWriter::inputs_of(const KernelView& view, const WinogradPlan& plan, const Loops& loops) {
  const schedule::TileContraction& c = *view.kernel.contraction;
  const auto points_along = [&](const char* name, int64_t side) {
    return make_loop(view.program(), name, side == 1 ? 1 : int64_t(rt::winograd::window(c.winograd)));
  };
  PatchInputs inputs{.form = c.winograd,
                     .patches = {c.rows.begin(), c.rows.end() - long(c.taps.size())},
                     .dy = points_along("dy", plan.side_down),
                     .dx = points_along("dx", plan.side_across),
                     .load = c.left,
                     .at_point = {{c.k.var.node(), 0}}};
  if (!c.batch.empty()) inputs.at_point[c.batch[0].var.node()] = loops.first_batch.var;
  if (c.taps.size() == 2) {
    inputs.patches.push_back(loops.down);
    inputs.at_point[c.rows[c.rows.size() - 2].var.node()] = loops.down.var * plan.side_down;
    inputs.at_point[c.taps[0].var.node()] = inputs.dy.var;
  }
  inputs.patches.push_back(loops.across);
  inputs.at_point[c.rows.back().var.node()] = loops.across.var * plan.side_across;
  inputs.at_point[c.taps.back().var.node()] = inputs.dx.var;
  return inputs;
}

// The loop over the lines of an image; null for a sequence.
const Loop* WinogradWriter::lines() const {
  return contraction_.taps.size() == 2 ? &contraction_.rows[contraction_.rows.size() - 2] : nullptr;
}

void WinogradWriter::write_body() {
  declare_scratch();
  declare_unit();
  body_.constant("const vec::Piece", "piece", "vec::even_piece({}, {}, {})", index_text(plan_.patches),
                 index_text(plan_.blocks), kBlock);
  write_find_points();
  if (are_transformed()) {
    body_.constant("const float* const", kInputs, "{} + piece.begin * {}",
                   context_.pointers.at(contraction_.transformed), kInputRow);
  } else {
    body_.comment("Transforms the inputs of each patch of the unit's block.");
    write_inputs();
  }
  if (in_groups()) {
    body_.open(For{.variable = name_loop(contraction_.batch[0]), .begin = kFirstBatch, .end = kBatchEnd});
    write_panels(0, plan_.panels.constant());
    body_.close();
  } else {
    const int64_t size = plan_.panels_per_unit;
    body_.let("unit_panel", "{} * {}", kGroup, size);
    body_.let("unit_end", "vec::imin({}, unit_panel + {})", index_text(plan_.panels), size);
    write_panels("unit_panel", "unit_end");
  }
}

// The results of these panels: as many at once as the plan says.
void WinogradWriter::write_panels(const Code& first, const Code& end) {
  const int64_t at_once = plan_.panels_at_once;
  body_.open(For{.variable = "panel0", .begin = first, .end = end, .step = Code(at_once)});
  body_.let("panel1", "vec::imin({}, panel0 + {})", end, at_once);
  body_.comment(
      "Products of the transformed inputs and weights, each of which is a matrix product of patches and columns.");
  write_products();
  body_.comment("Transforms the sums of each patch back, and stores its results.");
  write_results();
  body_.close();
}

// The sums of a panel.
Code WinogradWriter::panel_sums() {
  return plan_.panels_at_once == 1 ? kSums : code("{} + ({} - panel0) * panel_sums", kSums, kPanel);
}

void WinogradWriter::open_panels() { body_.open(For{.variable = kPanel, .begin = "panel0", .end = "panel1"}); }

void WinogradWriter::declare_scratch() {
  const int64_t products = rt::winograd::products(form_);
  if (are_transformed()) {
    before_.constant("float* const", kSums, "(float*)args->scratch");
  } else {
    before_.constant("float* const", kInputs, "(float*)args->scratch");
    before_.constant("float* const", kSums, "{} + {}", kInputs, products * plan_.input_plane);
    note_scratch("inputs: [product][patch][K], transformed");
  }
  declare_transforms(contraction_.k.extent.constant() * plan_.batch_per_unit);
  // They have the type of their values: int, or that of parameters in functions that several kernels share.
  const auto distance = [&](const Code& name, int64_t value) { before_.constant("const auto", name, "{}", value); };
  distance(kInputRow, plan_.input_row), distance(kInputPlane, plan_.input_plane);
  distance(kSumsPlane, plan_.sums_plane);
  if (plan_.panels_at_once > 1) distance("panel_sums", products * plan_.sums_plane);
  note_scratch("sums: [panel][product][patch][column]");
}

// Declares the block of patches and the group of panels of the unit, in either order with the same text, so that
// convolutions share it.
void WinogradWriter::declare_unit() {
  const IndexExpr groups = plan_.groups, one = 1;
  const auto let = [&](const Code& name, IndexExpr inner, IndexExpr extent) {
    body_.let(name, "unit / {} % {}", factor(inner), factor(extent));
  };
  let(kBlock, plan_.rows_outside ? groups : one, plan_.blocks);
  let(kGroup, plan_.rows_outside ? one : plan_.blocks, groups);
  if (!in_groups()) return;
  body_.let(kFirstBatch, "{} * {}", kGroup, plan_.batch_per_unit);
  context_.names.set(loops_.first_batch.var.node(), kFirstBatch);
  body_.let(kBatchEnd, "vec::imin({}, {} + {})", index_text(points(contraction_.batch)), kFirstBatch,
            plan_.batch_per_unit);
}

// Returns whether an earlier step transforms the inputs.
bool WinogradWriter::are_transformed() const { return contraction_.transformed >= 0; }

bool WinogradWriter::in_groups() const { return !contraction_.batch.empty(); }

// The distance between the channels of the group that is computed and those of the first group of the unit.
Code WinogradWriter::group_offset() {
  return code("({} - {}) * {}", factor(contraction_.batch[0].var), kFirstBatch, contraction_.k.extent.constant());
}

// The panels of the group of channels that is computed.
Code WinogradWriter::panels_of_group() {
  const Code all = context_.pointers.at(contraction_.packed);
  if (!in_groups()) return all;
  const int64_t of_panel = rt::winograd::products(form_) + rt::winograd::direct_taps(form_);
  return code("{} + {} * {}", all, factor(contraction_.packed_batch),
              plan_.panels.constant() * of_panel * contraction_.k.extent.constant() * contraction_.shape.nr);
}

// The number of the patch `patch` of the block among those of all images.
Code WinogradWriter::patch_number() {
  body_.let("number", "piece.begin + {}", kPatch);
  return Code::name("number");
}

// find_points(patch, points): the points of the inputs of a patch. It is called from two places, and long.
void WinogradWriter::write_find_points() {
  body_.open(Lambda{kFindPoints, fmt::format("const int {}, const float** points", kPatch.text()), true});
  decompose_patch(patch_number());
  write_points();
  body_.close();
}

void WinogradWriter::write_inputs() {
  body_.open(For{.type = "int", .variable = kPatch, .end = "piece.size"});
  declare_points();
  body_.line("{}({}, points);", kFindPoints, kPatch);
  const Code K = index_text(contraction_.k.extent);
  const Code channels = in_groups() ? code("({} - {}) * {}", kBatchEnd, kFirstBatch, K) : K;
  write_transform(channels, code("{} + {} * {}", kInputs, kPatch, kInputRow), kInputPlane);
  body_.close();
}

// The products of all patches of the block with some panels.
void WinogradWriter::write_products() {
  const auto& c = contraction_;
  const int64_t products = rt::winograd::products(form_), panel = c.k.extent.constant() * c.shape.nr;
  before_.comment("Sums of so many channels are computed by themselves.");
  before_.constant("const auto", "terms", "{}",
                   std::min(c.summed_channels, std::max<int64_t>(c.k.extent.constant(), 1)));
  const Code product = Code::name("product");
  body_.open(For{.type = "int", .variable = product, .end = Code(products)});
  open_panels();
  body_.constant("const float* const", "right", "{} + ({} * {} + {}) * {}", panels_of_group(), kPanel, products,
                 product, panel);
  const Code inputs = in_groups() ? code("{} + {}", kInputs, group_offset()) : kInputs;
  body_.line("{}({} + {} * {}, {}, piece.size, terms, {}, right, {} + {} * {});",
             of_format("winograd_products", c.format), inputs, product, kInputPlane, kInputRow, index_text(c.k.extent),
             panel_sums(), product, kSumsPlane);
  body_.close();
  body_.close();
}

void WinogradWriter::write_results() {
  const auto& c = contraction_;
  const int64_t nr = c.shape.nr;
  const int64_t across = plan_.side_across;
  open_panels();
  body_.let("column0", "{} * {}", kPanel, nr);
  body_.let("tile_columns", "vec::imin({} - column0, {})", index_text(c.columns.extent), nr);
  body_.open(For{.type = "int", .variable = kPatch, .end = "piece.size"});
  decompose_patch(patch_number());
  if (lines()) body_.let(kFirstLine, "{} * {}", factor(loops_.down.var), plan_.side_down);
  body_.let(kFirstPosition, "{} * {}", factor(loops_.across.var), plan_.side_across);
  body_.array("alignas(64) float", "block", Code(rt::winograd::kMostResults * nr));
  body_.constant("const bool", "finite", "!{}->winograd_output[{}]({} + {} * {}, {}, {}, block)", kRuntime,
                 transforms(), panel_sums(), kPatch, nr, kSumsPlane, nr);
  write_direct();
  if (lines())
    body_.let("line_end", "vec::imin({}, {} - {})", plan_.side_down, index_text(lines()->extent), kFirstLine);
  body_.let("row_size", "vec::imin({}, {} - {})", across, index_text(c.rows.back().extent), kFirstPosition);
  const Code dy = Code::name("dy");
  body_.open(For{.variable = dy, .end = lines() ? Code("line_end") : Code(1)});
  write_epilogue();
  body_.line("vec::finish_block(block + {} * {}, {}, row_size, column0, tile_columns, epilogue);", dy, across * nr, nr);
  body_.close();
  body_.close();
  body_.close();
}

// The panels of the original taps follow those of the transformed ones.
void WinogradWriter::write_direct() {
  const auto& c = contraction_;
  const int64_t step = c.k.extent.constant() * c.shape.nr, transformed = rt::winograd::products(form_) * step;
  body_.comment("Infinities and NaN spread to other results in the transforms: such a patch is summed directly.");
  body_.open_if("!finite");
  declare_points();
  body_.line("{}({}, points);", kFindPoints, kPatch);
  if (in_groups())
    body_.each({.type = "int", .variable = "point", .end = Code(rt::winograd::products(form_))},
               code("points[point] += {};", group_offset()));
  before_.constant("const int", "side", "{}", form_.side);
  body_.line("{}->winograd_direct[{}](points, {}, {}[side], {} + {} + {} * {}, {}, block);", kRuntime, transforms(),
             index_text(c.k.extent), of_format("tiles", c.format), panels_of_group(),
             plan_.panels.constant() * transformed, kPanel, rt::winograd::direct_taps(form_) * step, c.shape.nr);
  body_.close();
}

// epilogue(r)(column, lanes, sum): the stores of one vector of a result of the line `dy` of the patch.
void WinogradWriter::write_epilogue() {
  const auto& c = contraction_;
  const std::vector<Loop>& rows = kernel_.segments[0].loops;
  const Loop& positions = c.rows.back();
  const Code line = lines() ? name_loop(*lines()) : Code(), position = name_loop(positions),
             column = name_loop(c.columns);
  const bool merged = rows.size() < c.rows.size();
  const Code row = merged ? name_loop(rows[0]) : Code();
  if (lines()) body_.let(line, "{} + dy", kFirstLine);
  const ValueEmitter e = contraction_epilogue(EpilogueOrder::rows);
  body_.add(e.lines[0]);
  body_.open(Lambda{"epilogue", "const vec::i64 r"});
  body_.let(position, "{} + r", kFirstPosition);
  if (merged) {
    IndexExpr number = 0;
    for (const Loop& l : c.rows) number = number * l.extent + l.var;
    body_.let(row, "{}", index_text(number));
  }
  for (size_t i = 1; i < e.lines.size() - 1; i++) body_.add(e.lines[i]);
  body_.open(Lambda{{}, fmt::format("const vec::i64 {}, auto n, const vec::V<float> sum", column.text())});
  body_.add(e.lines.back());
  body_.close();
  body_.close();
}

KernelText WinogradPlan::write(const KernelView& view, const KernelPlan& plan, const Options& options) const {
  return WinogradWriter(view, *this, options).write(plan);
}

}  // namespace cppgen::forms
