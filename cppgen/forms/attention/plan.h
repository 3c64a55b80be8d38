#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cppgen/forms/attention/keys_seen.h"
#include "cppgen/forms/form.h"

namespace cppgen::forms {

// An operand of an attention, as tiles read it: element (row, step) is at row * ld + step, or at row + step * ld.
struct OperandMatrix {
  IndexExpr base, row_stride, step_stride;
  bool rows_contiguous;
  IndexExpr ld() const { return rows_contiguous ? step_stride : row_stride; }
};

struct AttentionPlan : FormPlan {
  // A load of the scores whose lanes are not contiguous but whose keys are: it is transposed one block at a time.
  struct TransposedLoad {
    Expr load;
    IndexExpr start, ld;  // the position of the first key of the first row, and the distance between rows
    std::string scratch;
  };
  struct Scratch {
    std::string name;
    std::string shape;  // for people: "[panel][head_size][width]"
    IndexExpr start;    // in vectors of a panel's width
    DType type;
  };
  int64_t key_block = 1;  // keys of a block
  // After so many keys, the sums so far are set aside (rt::kGroupBlocks); 0 if there are never more.
  int64_t group_keys = 0;
  int64_t few_rows = 0;  // up to this many rows, a unit computes rows one at a time, with keys or features as lanes
  bool may_be_few = false, may_be_many = false;
  IndexExpr panels_at_once = 1;  // panels of queries of one unit
  int64_t most_panels_at_once = 1;
  OperandMatrix query{}, keys{}, values{};
  std::optional<KeysSeen> hidden;
  std::vector<TransposedLoad> transposed;
  std::vector<Scratch> scratch;

  std::string describe() const override;
  void print(FieldPrinter&) override;
  std::string fault(const KernelView&) const override;
  KernelWork work(const KernelView&) const override;
  KernelText write(const KernelView&, const KernelPlan&, const Options&) const override;
};

}  // namespace cppgen::forms
