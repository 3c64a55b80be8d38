#pragma once
#include "cppgen/passes/learner.h"

namespace cppgen::passes {

// An ensemble of trees as in a model: nodes in any order, children as positions among them.
struct TreeEnsemble {
  enum Mode : uint8_t { leq, lt, gte, gt, eq, neq, member, leaf };
  struct Vote {
    int64_t target;
    double weight;
  };
  struct Source {
    Mode mode = leaf;
    int64_t feature = 0;
    double value = 0;
    bool missing_true = false;  // NaN follows the true branch
    int64_t yes = -1, no = -1;
    std::vector<double> members{};  // of mode member
    std::vector<Vote> votes{};      // of leaves
  };
  std::vector<Source> nodes;
  std::vector<int64_t> roots;  // in the order in which their scores are added
};

// Reads TreeEnsembleClassifier and TreeEnsembleRegressor, whose votes have attributes `class_*` or `target_*`; and from
// TreeEnsemble. UserError naming the node if lengths, ids or modes are invalid. Targets are below `targets`.
TreeEnsemble read_ensemble_of_ids(const Learner&, const std::string& votes, int64_t targets);
TreeEnsemble read_ensemble(const Learner&, int64_t targets);

// A float attribute, or the float64 tensor that may be given under `name`_as_tensor instead.
std::vector<double> numbers_given(const Learner&, const std::string& name);

// Scores [rows, targets] of x [rows, features], `combine` as TreeScores has it. UserError if nodes form a cycle.
ValueId add_tree_scores(Learner&, ValueId x, const TreeEnsemble&, int64_t targets, int64_t combine);

}  // namespace cppgen::passes
