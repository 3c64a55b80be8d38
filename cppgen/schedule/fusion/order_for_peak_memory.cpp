#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 40;

// The size of a buffer, with assumed sizes of dimensions that are known only at run time.
int64_t assumed_bytes(const ir::Buffer& buffer, const Tuning& tuning) {
  const auto size_of_symbol = [&](const ir::IndexNode& symbol) {
    return std::max(symbol.range.lo, std::min(symbol.range.hi, tuning.unknown_dimension));
  };
  const int64_t elements = ir::evaluate(ir::product(buffer.shape), size_of_symbol);
  return std::clamp<int64_t>(elements, 0, kMostElements) * int64_t(size_of(buffer.type));
}

// The memory of intermediate values while groups run. Values of a single group do not count: their groups need it in
// any order.
class Memory {
 public:
  Memory(const Program& program, const Tuning& tuning, const std::vector<std::set<BufferId>>& touched)
      : touched_(touched) {
    left_.assign(program.buffers.size(), 0);
    for (const auto& buffers : touched)
      for (BufferId b : buffers) left_[size_t(b)]++;
    for (const ir::Buffer& b : program.buffers) {
      const bool counts = b.kind == ir::BufferKind::temporary && left_[size_t(b.id)] > 1;
      bytes_.push_back(counts ? assumed_bytes(b, tuning) : 0);
    }
    all_ = left_;
  }

  // The number of bytes by which memory in use grows when a group runs.
  int64_t growth(int group) const {
    int64_t bytes = 0;
    for (BufferId b : touched_[size_t(group)]) {
      if (left_[size_t(b)] == all_[size_t(b)]) bytes += bytes_[size_t(b)];
      if (left_[size_t(b)] == 1) bytes -= bytes_[size_t(b)];
    }
    return bytes;
  }

  void run(int group) {
    int64_t before = used_;
    for (BufferId b : touched_[size_t(group)])
      if (left_[size_t(b)] == all_[size_t(b)]) before += bytes_[size_t(b)];
    peak_ = std::max(peak_, before);
    used_ += growth(group);
    for (BufferId b : touched_[size_t(group)]) left_[size_t(b)]--;
  }

  int64_t peak() const { return peak_; }

 private:
  const std::vector<std::set<BufferId>>& touched_;  // by group
  std::vector<int64_t> bytes_;
  std::vector<int> left_, all_;  // groups that touch a buffer: those that have not run, and all
  int64_t used_ = 0, peak_ = 0;
};

class Ordering {
 public:
  Ordering(const Program& program, const Tuning& tuning, const std::vector<Group>& groups)
      : program_(program),
        tuning_(tuning),
        touched_(groups.size()),
        readers_(groups.size()),
        waits_for_(groups.size()) {
    std::vector<int> writer(program.buffers.size(), -1);
    std::vector<std::vector<int>> read_since(program.buffers.size());
    for (int g = 0; g < int(groups.size()); g++) {
      std::set<BufferId> read, written;
      for (int s : groups[size_t(g)].statements) {
        for (BufferId b : buffers_read(program.statements[size_t(s)])) read.insert(b);
        for (BufferId b : buffers_written(program.statements[size_t(s)])) written.insert(b);
      }
      for (BufferId b : read) depend(g, writer[size_t(b)]), read_since[size_t(b)].push_back(g);
      for (BufferId b : written) {
        depend(g, writer[size_t(b)]);
        for (int reader : read_since[size_t(b)]) depend(g, reader);
        writer[size_t(b)] = g, read_since[size_t(b)].clear();
      }
      touched_[size_t(g)] = std::move(read);
      touched_[size_t(g)].merge(written);
    }
  }

  // Repeatedly chooses, of the groups that can run, the one after which the least memory is in use.
  std::vector<int> greedy() const {
    Memory memory(program_, tuning_, touched_);
    std::vector<size_t> waits_for;
    std::set<int> ready;
    for (int g = 0; g < int(touched_.size()); g++) {
      waits_for.push_back(waits_for_[size_t(g)].size());
      if (waits_for.back() == 0) ready.insert(g);
    }
    std::vector<int> order;
    while (!ready.empty()) {
      const auto end = std::next(ready.begin(), std::min(tuning_.compared_steps, int64_t(ready.size())));
      const auto next =
          std::min_element(ready.begin(), end, [&](int a, int b) { return memory.growth(a) < memory.growth(b); });
      const int group = *next;
      ready.erase(next);
      memory.run(group);
      order.push_back(group);
      for (int reader : readers_[size_t(group)])
        if (--waits_for[size_t(reader)] == 0) ready.insert(reader);
    }
    return order;
  }

  int64_t peak_of(const std::vector<int>& order) const {
    Memory memory(program_, tuning_, touched_);
    for (int group : order) memory.run(group);
    return memory.peak();
  }

 private:
  const Program& program_;
  const Tuning& tuning_;
  std::vector<std::set<BufferId>> touched_;
  std::vector<std::vector<int>> readers_;
  std::vector<std::set<int>> waits_for_;

  void depend(int group, int on) {
    if (on < 0 || on == group || !waits_for_[size_t(group)].insert(on).second) return;
    readers_[size_t(on)].push_back(group);
  }
};

}  // namespace

void order_for_peak_memory(Draft& draft) {
  const Ordering ordering(draft.program(), draft.tuning(), draft.groups);
  std::vector<int> present;
  for (int g = 0; g < int(draft.groups.size()); g++) present.push_back(g);
  const std::vector<int> order = ordering.greedy();
  const int64_t before = ordering.peak_of(present), after = ordering.peak_of(order);
  if (after >= before) return;
  draft.log().add(
      "order", "all steps",
      FusionDecision::yes(fmt::format("intermediate values take at most {} bytes instead of {}", after, before)));
  std::vector<Group> groups;
  for (int g : order) groups.push_back(std::move(draft.groups[size_t(g)]));
  draft.groups = std::move(groups);
}

}  // namespace cppgen::schedule
