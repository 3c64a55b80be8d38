#pragma once
#include <functional>
#include <vector>

#include "cppgen/ir/program/program.h"

namespace cppgen::schedule {

using ir::BufferId;
using ir::Expr;
using ir::IndexExpr;
using ir::LoopNest;
using ir::Program;

// The number of pointwise operations of a nest; loads, constants and indices do not count. Transcendental functions and
// divisions are heavy.
int64_t operation_count(const LoopNest&);
bool is_heavy(Expr);
bool has_heavy_operation(const LoopNest&);

// The greatest size of a buffer in bytes; one that is known only at run time counts as large.
int64_t most_bytes_of(const ir::Buffer&);

// The buffers that a statement loads and stores. A buffer may appear more than once.
std::vector<BufferId> buffers_read(const ir::Statement&);
std::vector<BufferId> buffers_written(const ir::Statement&);

// The positions of the statements that store and load each buffer.
struct Uses {
  std::vector<std::vector<int>> writers, readers;
};
Uses collect_uses(const Program&);
// From now on nest `to` reads what it loads, and nest `from` nothing. This is only for temporaries: other readers are
// not used while nests are fused, and a constant may have very many.
void replace_reader(const Program&, Uses&, int from, int to);

// Gives the nest's loops fresh variables, so that a copy of its values can live in another nest.
ir::IndexMap loop_map(const LoopNest&, std::span<const IndexExpr> replacements);

const LoopNest* as_nest(const ir::Statement&);
LoopNest* as_nest(ir::Statement&);
const std::vector<std::string>& origins_of(const ir::Statement&);
// Appends those that are not there yet.
void add_origins(std::vector<std::string>& origins, const std::vector<std::string>& more);
std::string describe(const ir::Statement&);  // name and origin, for decisions

// Removes the statements marked dead.
void erase_statements(Program&, const std::vector<bool>& dead);

}  // namespace cppgen::schedule
