#include "cppgen/ir/program/producers.h"

namespace cppgen::ir {
namespace {

class StoredBuffers {
 public:
  explicit StoredBuffers(const Program& program) : seen_(program.buffers.size()) {
    for (const Statement& statement : program.statements) {
      node_ = std::visit([](const auto& s) { return s.origins.empty() ? std::string() : s.origins[0]; }, statement);
      visit(statement);
    }
  }

  std::vector<Stored> take() { return std::move(stored_); }

 private:
  std::vector<bool> seen_;
  std::vector<Stored> stored_;
  std::string node_;

  void visit(const Statement& statement) {
    std::visit([&](const auto& s) { add(s); }, statement);
  }
  void add(const LoopNest& nest) {
    for (const Store& s : nest.stores) add(s.buffer);
  }
  void add(const LibraryCall& call) {
    for (const BufferId buffer : call.outputs) add(buffer);
  }
  void add(const Repetition& repetition) {
    for (const Statement& statement : repetition.body) visit(statement);
  }
  void add(BufferId buffer) {
    if (!seen_[size_t(buffer)]) stored_.push_back({buffer, node_});
    seen_[size_t(buffer)] = true;
  }
};

}  // namespace

std::vector<Stored> stored_buffers(const Program& program) { return StoredBuffers(program).take(); }

std::string node_that_stores(const Program& program, BufferId buffer) {
  for (const Stored& stored : stored_buffers(program))
    if (stored.buffer == buffer) return stored.node;
  return "";
}

}  // namespace cppgen::ir
