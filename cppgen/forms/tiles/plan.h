#pragma once
#include <optional>
#include <vector>

#include "cppgen/forms/form.h"
#include "runtime/contraction/formats.h"

namespace cppgen::forms {

// Contractions on tiles: rows x columns blocks over packed panels of the right operand.
struct TilesPlan : FormPlan {
  // Several tiles of rows share each panel, and K may be multiplied in blocks, whose sums are kept in scratch memory:
  // on matrix tiles, or because weights of few bits are unpacked there, once for all tiles of a unit.
  struct Blocks {
    rt::KBlocks k_blocks;
    int64_t tiles;             // of rows in one unit
    int64_t prepared_bytes;    // of one tile of rows
    int64_t weight_bytes = 0;  // unpacked weights of one panel
    int64_t least_tiles = 0;   // of all rows, for which weights are unpacked; with fewer, tiles read them as they are
  };
  // An element that the epilogue of the next tile accesses.
  struct Ahead {
    ir::BufferId buffer;
    IndexExpr offset;
    bool written;
  };
  // A tile that also does what follows its sums (vec/generic/tile_ends.h); null where it reads nothing.
  struct End {
    int number = 0;                                          // finished_number()
    Expr terms = nullptr, values = nullptr;                  // loads
    IndexExpr values_distance = 0, to_distance = 0;          // between rows
    Expr scale = nullptr, offset = nullptr, most = nullptr;  // constants
  };
  IndexExpr tiles, panels;  // of all rows, of all columns
  int64_t panels_per_unit = 1;
  std::optional<Blocks> blocks;
  bool batch_inside = false;   // neighbouring units are different batches of the same rows
  bool rows_outside = false;   // neighbouring units are different panels of the same rows
  int64_t tiles_together = 1;  // where they are: so many tiles of rows follow each other with each group of panels
  bool fetches_ahead = false;  // tiles prefetch the panels of the next units
  bool even_rows = false;      // rows of every tile have a constant distance, the same for each tap
  // If the left operand is a value, a tile's rows are computed into scratch memory, so many elements apart; otherwise
  // 0.
  int64_t computed_row = 0;
  // With `batch_inside`, this is the distance between the rows of neighbouring batch points, if it is the same for all
  // rows, so that pointers to them move from one batch point to the next; otherwise 0.
  int64_t batch_distance = 0;
  bool transposed = false;  // rows are contiguous in the result: it is channels-first
  int64_t transposed_side = 1;
  // The rows of a block in memory, for tiles of up to `mr`: vectors of rows are transposed whole.
  int64_t block_rows(int64_t mr) const { return transposed ? transposed_side : mr; }
  std::vector<int64_t> row_counts;  // of tiles in registers
  bool row_counts_are_all = false;
  int64_t rows_ahead = 0;             // bytes of the next tile's rows that each step of K prefetches
  std::vector<Ahead> epilogue_ahead;  // is prefetched for each vector of sums; one of each buffer
  std::optional<int64_t> width;       // columns of every tile, if all have the same number
  std::optional<End> end;             // tiles finish the results

  std::string describe() const override;
  void print(FieldPrinter&) override;
  std::string fault(const KernelView&) const override;
  KernelWork work(const KernelView&) const override;
  KernelText write(const KernelView&, const KernelPlan&, const Options&) const override;
};

// See TilesPlan; nothing where rows follow each other in another order, or caches hold the tensors (ahead.cpp).
int64_t rows_ahead(const KernelView&, const TilesPlan&);
std::vector<TilesPlan::Ahead> epilogue_ahead(const KernelView&, const TilesPlan&);

// See TilesPlan::end; nothing where no tile ends so (finished.cpp).
std::optional<TilesPlan::End> end_of_tiles(const KernelView&, const TilesPlan&);

}  // namespace cppgen::forms
