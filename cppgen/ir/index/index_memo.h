#pragma once
#include <optional>
#include <unordered_map>

#include "cppgen/ir/index/index_expr.h"

namespace cppgen::ir {

// Memoised results of the simplifier and the prover, so that expressions that contain each other many times cost only
// their distinct parts. Valid as long as the arena's assumptions do not change.
//
// Proofs build expressions, whose simplification requires further proofs. The deeper a proof, the less it may try
// (ProofScope), so an answer is valid only for questions of the same depth.
class IndexMemo {
 public:
  enum class Question : uint8_t { floordiv, mod, min, max, sum, nonnegative };
  struct Key {
    Question question;
    int depth;
    IndexExpr a, b;
    bool operator==(const Key&) const = default;
  };

  std::optional<IndexExpr> find(const Key&) const;
  void add(const Key&, IndexExpr answer);
  void clear() { answers_.clear(); }

 private:
  struct Hash {
    size_t operator()(const Key&) const;
  };
  std::unordered_map<Key, IndexExpr, Hash> answers_;
};

// The memo of an arena, which is destroyed with the arena. An arena is used by one thread at a time.
IndexMemo& memo_of(const IndexArena&);
void forget_memo(const IndexArena&);

// A proof in progress. Proofs within it are deeper; all of them share the steps of the outermost one.
class ProofScope {
 public:
  ProofScope();
  ~ProofScope();
  ProofScope(const ProofScope&) = delete;
  ProofScope& operator=(const ProofScope&) = delete;

  static int depth();       // number of proofs in progress; equal from kDeepest on
  static bool take_step();  // false if no steps are left: the proof must give up
  static bool is_exhausted();

  static constexpr int kDeepest = 5;  // deeper proofs use only ranges
};

// Answers from the memo or by `find`, whose answers are stored unless the steps ran out.
template <class F>
IndexExpr remembered(IndexMemo& memo, IndexMemo::Question question, IndexExpr a, IndexExpr b, const F& find) {
  const IndexMemo::Key key{question, ProofScope::depth(), a, b};
  if (const auto known = memo.find(key)) return *known;
  const IndexExpr answer = find();
  if (!ProofScope::is_exhausted()) memo.add(key, answer);
  return answer;
}

}  // namespace cppgen::ir
