#pragma once
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cppgen/codegen/names.h"
#include "cppgen/codegen/options.h"
#include "cppgen/codegen/rounded_in_range.h"
#include "cppgen/codegen/statements.h"

namespace cppgen::kernel {
struct KernelView;
}
namespace cppgen::schedule {
struct FusedKernel;
struct Local;
}  // namespace cppgen::schedule

namespace cppgen::codegen {

// The state that the emitters of one kernel share.
struct KernelContext {
  const kernel::KernelView& view;
  const Options& options;
  IndexNames names;                             // symbols and outer loops
  std::unordered_map<BufferId, Code> pointers;  // arguments and rows
  std::vector<std::string> checks;
  int next_value = 0;
  std::set<std::string> by_lane;  // of KernelText

  bool non_temporal(BufferId) const;
  // The number of a new check with this message.
  Code new_check(std::string message);
  // Does the same for what is true unless cppgen has a bug: `what` follows the name of the kernel.
  Code new_assertion(const std::string& what);
  Code new_index_assertion(const char* verb, BufferId, const std::vector<IndexExpr>& indices);
  // The condition that indices are in range; empty if it certainly holds.
  Code inside(const IndexNames&, BufferId, const std::vector<IndexExpr>& indices) const;
  Code fresh(const char* prefix) { return Code::name(prefix + std::to_string(next_value++)); }
};

// Emits values as C++ statements with single assignment, each as far outside of a nest of loops as its operands allow.
//
// Level 0 is outside of `loops`, level i inside loops[i - 1]. The vector variable, if any, is one of the loops; its
// points are lanes, and `lanes` (a C++ name) is the number of lanes in use. Without one, all lanes have the same value.
class ValueEmitter {
 public:
  ValueEmitter(KernelContext& context, std::vector<const ir::IndexNode*> loops, const ir::IndexNode* vector_variable,
               Code lanes);

  // Names for values that exist already: accumulators (at the given level), and loads that are not emitted here.
  void bind_accumulator(int index, Code name, int level);
  void bind_load(Expr load, Code text);  // at the innermost level

  // Computes innermost values for several vectors side by side, one operation at a time (vec::each), so that long
  // chains of operations overlap. In the emitted code, `width` is the number of vectors and `u` the number of one.
  // Loads must not have indirect indices. Must be called before any value is emitted.
  void compute_side_by_side();

  // States that the vector variable is a multiple of `lanes` at lane 0, so that its quotient by a multiple of `lanes`
  // is the same for all lanes.
  void align_lanes(int lanes);
  // States that conditions on this loop's position hold if the flag (a C++ constant) is true.
  void assume_inside(const ir::IndexNode* loop, Code flag);

  // Adds the statements that compute the value to `lines`; returns its C++ name.
  Code emit(Expr);
  // Adds stores at the innermost level, after all their values: an output may lie in the memory of an input.
  void store(const std::vector<ir::Store>&);
  // Does the same for `count` points of a loop that is not one of the loops, whose results lie side by side and have no
  // indirect indices.
  void store_interleaved(const std::vector<ir::Store>&, const ir::IndexNode* loop, int64_t count);

  std::vector<Statements> lines;  // by level

 private:
  struct Item {
    Code name;
    int level;
  };
  struct Binding {  // of an indirect variable
    Code name;
    int level;
    bool per_lane;
  };

  // Elements of a buffer, one for each lane.
  struct Access {
    Code pointer;
    std::string type;
    IndexExpr offset = 0;
    Code lane_when;                   // the condition that a lane's element exists; empty if all do
    std::optional<IndexExpr> stride;  // between neighbouring lanes
    bool even = false;                // the stride is the same for all lanes
    bool by_lane = false;             // an index is a value of each lane
  };

  KernelContext& context_;
  std::unordered_map<const ir::IndexNode*, int> level_of_variable_;
  const ir::IndexNode* vector_;
  Code lanes_;
  bool side_by_side_ = false;
  const ir::IndexNode* assumed_loop_ = nullptr;
  Code assumed_flag_;
  IndexNames names_, lane_names_;  // lane_names_: the vector variable at lane i
  std::unordered_map<Expr, Item> done_;
  std::unordered_map<Expr, Code> bound_loads_;
  std::map<int, Item> accumulators_;
  std::unordered_map<const ir::IndexNode*, Binding> indirects_;
  std::map<std::string, Item> conditions_;

  IndexExpr aligned_;                    // the vector variable as the sum of a multiple and
  const ir::IndexNode* lane_ = nullptr;  // the number of the lane

  // A condition that verifies all indices of an access and notes those that are out of range; `level` is raised to the
  // level at which it is known. Empty if indices are not verified.
  Code indices_hold(const char* verb, BufferId, const std::vector<IndexExpr>& indices, const std::vector<ir::Guard>&,
                    const std::vector<ir::Indirect>&, int& level);
  Code with_bug(Expr, Code text);  // the text, with the bug of INJECT_RELU_BUG or INJECT_LOG1P_BUG if one applies
  Expr stored_value(const ir::Store&) const;
  void store_one(const ir::Store&);
  void store_together(const std::vector<ir::Store>&);
  // by_lane.cpp
  void note_by_lane(int level, std::string what);  // for a value at this level
  void note_strided(const Access&, DType);
  // Returns why elements are loaded one by one.
  std::string why_apart(const Access&, const std::vector<ir::Indirect>&) const;
  std::optional<IndexExpr> lane_stride(IndexExpr) const;  // between neighbouring lanes, if it is constant
  int innermost() const { return int(lines.size()) - 1; }
  int level_of(IndexExpr) const;
  bool varies(IndexExpr) const;  // over lanes
  Item define(int level, const Code& value, const char* prefix = "t");
  Item item(Expr);
  Item compute(Expr);
  Item rounded(Expr, const RoundedInRange&);
  Access access(BufferId, const std::vector<IndexExpr>& indices, const std::vector<ir::Guard>&,
                const std::vector<ir::Indirect>&) const;
  Code even_load(const Access&) const;
  Code repeated_load(const Access&) const;
  Code range_load(const Access&, const std::vector<ir::Guard>&, const Code& fallback) const;
  Code indexed_load(const Access&, const std::vector<ir::Guard>&, const Code& fallback) const;
  struct LaneLoad {
    Code text;
    bool apart;  // elements are loaded one by one
  };
  LaneLoad lane_load(const Access&, const std::vector<ir::Guard>&, const Code& fallback) const;
  Item load(Expr);
  Item local_load(Expr, const schedule::Local&);
  Item index_value(IndexExpr);
  Code constant_text(Expr) const;
  void bind_indirects(const std::vector<ir::Indirect>&);
  Code index_value(const ir::Indirect&, const Item& value, const Code& name, bool per_lane);
  Item condition(const std::vector<ir::Guard>&, const std::vector<ir::Indirect>&);  // uniform part; empty name: always
  Code lane_condition(const std::vector<ir::Guard>&, const std::vector<ir::Indirect>&) const;
};

}  // namespace cppgen::codegen
