#pragma once
#include <map>
#include <optional>

#include "cppgen/codegen/kernel_text.h"
#include "cppgen/codegen/value_emitter.h"
#include "cppgen/support/text_writer.h"

namespace cppgen::codegen {

// What the writers of both kinds of kernels share: the function around the loops.
class KernelWriter {
 public:
  KernelWriter(const schedule::Schedule&, const schedule::FusedKernel&, const schedule::Target&, const Options&);
  virtual ~KernelWriter() = default;
  KernelText write();

 protected:
  const schedule::Schedule& schedule_;
  const schedule::FusedKernel& kernel_;
  const schedule::Target& target_;
  const Options& options_;
  KernelContext context_;
  TextWriter body_;    // inside the loop over units
  TextWriter before_;  // in front of that loop
  TextWriter after_;   // behind it
  KernelText text_;

  virtual void write_body() = 0;
  std::string index_text(IndexExpr e) const { return context_.names.text(e); }
  // Gives a loop variable a name ("i0", "i1" ...) and returns it.
  std::string name_loop(const ir::Loop&);
  // const i64 declarations that take `unit` apart into these loops, the last one fastest.
  void decompose(TextWriter&, const std::string& number, const std::vector<ir::Loop>&);
  void add_lines(const std::vector<std::string>&);

 private:
  int next_loop_ = 0;
  void name_symbols();
  void name_buffers(TextWriter& declarations);
};

class TileWriter : public KernelWriter {
 public:
  using KernelWriter::KernelWriter;

 private:
  struct Counts {
    std::vector<int64_t> usual;
    bool all;  // there are no others
  };

  void write_body() override;
  int64_t panels_per_unit() const;
  IndexExpr tile_count() const;
  void write_tile_place();
  void write_line_place();
  // tile_operands.cpp
  void declare_left();
  void write_padding(Expr value);
  void declare_prepared();
  bool rows_are_even() const;
  IndexExpr left_offset() const;
  void write_left();
  void write_first_row();
  void write_pointers();
  // tile_epilogue.cpp
  void write_epilogue();
  bool turns_results() const;
  void write_turned_epilogue();
  void write_row_places(const std::vector<ir::Loop>& rows);
  Counts row_counts() const;
  std::optional<int64_t> width_of_all_tiles() const;
  void write_products();
  std::string even_rows() const;
  void write_register_product(int64_t rows, int64_t width);
  void write_called_product();
  void write_columns();
  // block_writer.cpp
  rt::DepthBlocks depth_blocks() const;
  int64_t tiles_per_unit(int64_t panels) const;
  void write_depth_blocks(int64_t group);
  void open_tiles();
  void open_panels();
  void write_sums_place(const char* name, int64_t tiles);
  void write_all_pointers();
  void write_block_sums(int64_t tiles, int64_t group);
  void write_block_rows(const rt::DepthBlocks&, int64_t bytes);
  void write_block_epilogues(int64_t tiles);
};

}  // namespace cppgen::codegen
