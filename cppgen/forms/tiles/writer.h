#pragma once
#include "cppgen/forms/contraction/writer.h"
#include "cppgen/forms/tiles/plan.h"
#include "cppgen/kernel/view.h"

namespace cppgen::forms {

// Sizes that every tile kernel names.
inline const Code kTiles = Code::name("tiles"), kTileOfBlock = "place.tile_of_block",
                  kTilesTogether = Code::name("tiles_together"), kGroups = Code::name("groups"),
                  kUnitPanels = Code::name("unit_panels"), kColumns = Code::name("columns"),
                  kPanels = Code::name("panels"), kTaps = Code::name("taps"), kK = Code::name("K"),
                  kTileColumns = Code::name("tile_columns"), kEpilogue = Code::name("epilogue");

// Contractions on tiles. A tile is computed either by a function of the runtime, after which the epilogue runs on the
// block in the first-level cache, or in the kernel, where the epilogue runs on the registers.
class TileWriter : public ContractionWriter {
 public:
  TileWriter(const KernelView& view, const TilesPlan& plan, const Options& options)
      : ContractionWriter(view, options), plan_(plan) {}

 private:
  const TilesPlan& plan_;

  const schedule::TileContraction& contraction() const { return *kernel_.contraction; }
  void write_body() override;
  bool has_border() const { return contraction().tiling.left + contraction().tiling.right != 0; }
  // Declares the unit's group of panels and its batch point; returns its number among the `tiles` that share the group.
  Code declare_group(const Code& tiles, IndexExpr count);
  Code declare_batch(const Code& units);
  Code declare_batch_inside();
  Code group_, row0_ = Code::name("row0"), ahead_ = 0, rows_ahead_;
  bool one_group() const { return ir::ceildiv(plan_.panels, plan_.panels_per_unit).is_constant(1); }
  For loop_over_panels() const;
  Code panel_address(const Code& panel) const;
  Code row_text() const;
  void write_tile(const Code& tile);
  void write_tile_place(const Code& tile);
  void write_line_place(const Code& tile);
  // operands.cpp
  void declare_left();
  void write_padding(Expr value);
  // The offset of a row's first element in the buffer of a load of the left operand.
  IndexExpr row_offset(Expr load) const;
  int64_t left_pointers() const;  // of one tile of rows
  void write_left();
  void assert_left_inside();
  void write_first_row();
  void write_pointers();
  void write_moved_pointers();
  int64_t moved_elements() const;
  void write_addresses(const Code& to, IndexExpr offset);
  void write_skipped_taps();
  // computed_rows.cpp
  void declare_computed_rows();
  void write_computed_rows();
  Code needs_rows() const;
  // ahead.cpp
  void prefetch_ahead(const Code& tile);
  void prefetch_floats(const Code& tile);
  Code share_of_group(const Code& tile, int64_t tiles, int64_t distance);
  void prefetch_rows(const Code& panel);
  void prefetch_epilogue();
  // epilogue.cpp
  void write_epilogue();
  bool finishes_columns() const;
  void write_column_epilogue(const Code& column);
  void write_transposed_epilogue();
  void name_row(const std::vector<ir::Loop>& rows);
  void write_row_places(const std::vector<ir::Loop>& rows);
  void write_products(const Code& panel);
  void write_row_counts(size_t first);
  Code even_rows() const;
  void write_register_product(int64_t rows, int64_t width);
  void write_called_product();
  Code row_distance() const;
  int64_t right_distance() const;
  void write_finish(const Code& block);
  void write_columns(const Code& panel);
  // finished.cpp
  void write_finished_product(const Code& panel);
  Code first_of_tile(ir::BufferId buffer, IndexExpr offset) const;
  // blocks.cpp
  void write_k_blocks(const TilesPlan::Blocks&);
  void declare_blocks(const TilesPlan::Blocks&);
  Code prepared_tile() const;
  void open_tiles();
  void open_panels();
  void write_all_pointers();
  void write_all_blocks(const TilesPlan::Blocks&);
  void write_panel_block(const TilesPlan::Blocks&);
  void write_block_pointers(const TilesPlan::Blocks&);
  void write_block_rows(const TilesPlan::Blocks&);
  Code panel_part_ahead(const TilesPlan::Blocks&) const;
};

}  // namespace cppgen::forms
