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
#include "cppgen/kernel/view.h"

namespace cppgen::codegen {

// What the emitters of one kernel share.
struct KernelContext {
  const kernel::KernelView& view;
  const Options& options;
  IndexNames names;                             // symbols and outer loops
  std::unordered_map<BufferId, Code> pointers;  // arguments and rows
  std::vector<std::string> checks;
  int next_value = 0;
  std::set<std::string> by_lane;  // of KernelText

  bool around_caches(BufferId) const;
  // The number of a new check with this message.
  Code new_check(std::string message);
  // The same for what is true unless cppgen has a bug: `what` follows the name of the kernel.
  Code new_assertion(const std::string& what);
  Code new_index_assertion(const char* verb, BufferId, const std::vector<IndexExpr>& indices);
  // The condition that indices lie in their dimensions; empty if they certainly do.
  Code inside(const IndexNames&, BufferId, const std::vector<IndexExpr>& indices) const;
  Code fresh(const char* prefix) { return Code::name(prefix + std::to_string(next_value++)); }
};

// Emits values as single-assignment C++ lines, each as far out in a nest of loops as its operands allow.
//
// Level 0 lies outside `loops`; level i inside loops[i - 1]. The vector variable, if any, is one of the loops; its
// points are lanes, of which `lanes` (a C++ name) says how many are real. Without one every lane holds the same value.
class ValueEmitter {
 public:
  ValueEmitter(KernelContext& context, std::vector<const ir::IndexNode*> loops, const ir::IndexNode* vector_variable,
               Code lanes);

  // Names for values that exist already: accumulators (at the given level), and loads done otherwise.
  void bind_accumulator(int index, Code name, int level);
  void bind_load(Expr load, Code text);  // at the innermost level

  // Innermost values are computed for several vectors side by side, one operation at a time (vec::each), so that long
  // chains of operations overlap: the names `width` and `u` say how many and which. Nothing may be loaded or stored
  // through indirect indices then. Called before any value is emitted.
  void compute_side_by_side();

  // The vector variable is a multiple of `lanes` at lane 0: what is divided by a multiple of that is one for all lanes.
  void align_lanes(int lanes);
  // Conditions on this loop's position hold wherever the flag (a C++ constant) is true.
  void assume_inside(const ir::IndexNode* loop, Code flag);

  // The C++ name of the value; the lines that compute it are added to `lines`.
  Code emit(Expr);
  // Adds stores at the innermost level, after all their values: an output may lie in the memory of an input.
  void store(const std::vector<ir::Store>&);

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
    Code lane_when;                   // of a lane's element to exist; empty: always
    std::optional<IndexExpr> stride;  // between neighbouring lanes
    bool even = false;                // they lie so for all lanes
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

  IndexExpr aligned_;                    // the vector variable, as a multiple and
  const ir::IndexNode* lane_ = nullptr;  // the number of the lane

  // The condition that all indices of an access hold, which notes where they do not, and is known at `level`, which is
  // raised; empty: they are not verified.
  Code indices_hold(const char* verb, BufferId, const std::vector<IndexExpr>& indices, const std::vector<ir::Guard>&,
                    const std::vector<ir::Indirect>&, int& level);
  Code with_bug(Expr, Code text);  // of INJECT_RELU_BUG and INJECT_LOG1P_BUG; else the text itself
  Expr stored_value(const ir::Store&) const;
  void store_one(const ir::Store&);
  // by_lane.cpp
  void note_by_lane(int level, std::string what);  // for a value at this level
  void note_strided(const Access&, DType);
  std::string why_apart(const Access&, const std::vector<ir::Indirect>&) const;  // of elements taken one by one
  std::optional<IndexExpr> lane_stride(IndexExpr) const;  // how far neighbouring lanes are apart, if all as far
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
    bool apart;  // elements are taken one by one
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
