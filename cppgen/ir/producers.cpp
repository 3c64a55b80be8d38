#include "cppgen/ir/producers.h"

#include <algorithm>

namespace cppgen::ir {
namespace {

bool stores_into(const LoopNest& nest, BufferId buffer) {
  return std::any_of(nest.stores.begin(), nest.stores.end(), [&](const Store& s) { return s.buffer == buffer; });
}
bool stores_into(const LibraryCall& call, BufferId buffer) {
  return std::find(call.outputs.begin(), call.outputs.end(), buffer) != call.outputs.end();
}
bool stores_into(const Repetition& repetition, BufferId buffer) {
  return std::any_of(repetition.body.begin(), repetition.body.end(), [&](const Statement& statement) {
    return std::visit([&](const auto& s) { return stores_into(s, buffer); }, statement);
  });
}

}  // namespace

std::string node_that_stores(const Program& program, BufferId buffer) {
  for (const Statement& statement : program.statements) {
    const auto origin = [&](const auto& s) {
      return stores_into(s, buffer) && !s.origins.empty() ? s.origins[0] : std::string();
    };
    if (std::string node = std::visit(origin, statement); !node.empty()) return node;
  }
  return "";
}

}  // namespace cppgen::ir
