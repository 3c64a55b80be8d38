#include "cppgen/ir/index/index_memo.h"

#include <algorithm>
#include <memory>
#include <mutex>

namespace cppgen::ir {
namespace {

constexpr size_t kMostAnswers = size_t{1} << 18;
constexpr int kSteps = 4000;  // of one outermost proof; those of networks take some tens

thread_local int proofs = 0;
thread_local int steps_left = 0;

struct Memos {
  std::mutex mutex;
  std::unordered_map<const IndexArena*, std::unique_ptr<IndexMemo>> of_arena;
};

Memos& memos() {
  static Memos all;
  return all;
}

}  // namespace

IndexMemo& memo_of(const IndexArena& arena) {
  Memos& all = memos();
  const std::lock_guard lock(all.mutex);
  auto& memo = all.of_arena[&arena];
  if (!memo) memo = std::make_unique<IndexMemo>();
  return *memo;
}

void forget_memo(const IndexArena& arena) {
  Memos& all = memos();
  const std::lock_guard lock(all.mutex);
  all.of_arena.erase(&arena);
}

size_t IndexMemo::Hash::operator()(const Key& key) const {
  size_t h = static_cast<size_t>(key.question) * 8 + static_cast<size_t>(key.depth);
  for (IndexExpr e : {key.a, key.b}) h ^= std::hash<IndexExpr>()(e) + 0x9e3779b97f4a7c15 + (h << 6) + (h >> 2);
  return h;
}

std::optional<IndexExpr> IndexMemo::find(const Key& key) const {
  const auto found = answers_.find(key);
  return found == answers_.end() ? std::nullopt : std::optional(found->second);
}

void IndexMemo::add(const Key& key, IndexExpr answer) {
  if (answers_.size() >= kMostAnswers) answers_.clear();
  answers_.emplace(key, answer);
}

ProofScope::ProofScope() {
  if (proofs++ == 0) steps_left = kSteps;
}
ProofScope::~ProofScope() { proofs--; }

int ProofScope::depth() { return std::min(proofs, kDeepest); }
bool ProofScope::take_step() { return steps_left > 0 && --steps_left > 0; }
bool ProofScope::is_exhausted() { return proofs > 0 && steps_left == 0; }

}  // namespace cppgen::ir
