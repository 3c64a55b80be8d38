#include "cppgen/schedule/uses.h"

#include <algorithm>

#include "cppgen/ir/values/op_table.h"

namespace cppgen::schedule {

using ir::ExprKind;

int64_t operation_count(const LoopNest& nest) {
  int64_t count = 0;
  for (Expr e : values_of(nest))
    count += e->kind == ExprKind::unary || e->kind == ExprKind::binary || e->kind == ExprKind::select ||
             e->kind == ExprKind::cast;
  return count;
}

bool is_heavy(Expr e) {
  using enum ir::OperationCost;
  if (e->kind == ExprKind::unary) return ir::row_of(e->unary).cost == function;
  if (e->kind != ExprKind::binary) return false;
  const ir::OperationCost cost = ir::row_of(e->binary).cost;
  return cost == function || (cost == division && !is_float(e->type));
}

bool has_heavy_operation(const LoopNest& nest) {
  const auto all = values_of(nest);
  return std::any_of(all.begin(), all.end(), is_heavy);
}

const LoopNest* as_nest(const ir::Statement& s) { return std::get_if<LoopNest>(&s); }
LoopNest* as_nest(ir::Statement& s) { return std::get_if<LoopNest>(&s); }

static std::vector<BufferId> collected(const std::vector<ir::Statement>& body,
                                       std::vector<BufferId> (*buffers)(const ir::Statement&)) {
  std::vector<BufferId> all;
  for (const ir::Statement& s : body)
    for (BufferId b : buffers(s))
      if (std::find(all.begin(), all.end(), b) == all.end()) all.push_back(b);
  return all;
}

// A repetition reads buffers that were stored before it, not those that it stores itself.
static std::vector<BufferId> read_before(const ir::Repetition& r) {
  std::vector<BufferId> all = collected(r.body, buffers_read), own = buffers_written(r);
  for (const ir::Carried& c : r.carried) all.push_back(c.initial);
  std::erase_if(all, [&](BufferId b) { return std::find(own.begin(), own.end(), b) != own.end(); });
  return all;
}

int64_t most_bytes_of(const ir::Buffer& buffer) {
  constexpr int64_t kMostElements = int64_t{1} << 40;
  return std::min(ir::product(buffer.shape).range().hi, kMostElements) * int64_t(size_of(buffer.type));
}

std::vector<BufferId> buffers_read(const ir::Statement& statement) {
  if (const auto* repetition = std::get_if<ir::Repetition>(&statement)) return read_before(*repetition);
  const LoopNest* nest = as_nest(statement);
  if (!nest) return std::get<ir::LibraryCall>(statement).inputs;
  std::vector<BufferId> all;
  for (Expr load : loads_of(*nest)) all.push_back(load->buffer);
  return all;
}

std::vector<BufferId> buffers_written(const ir::Statement& statement) {
  if (const auto* repetition = std::get_if<ir::Repetition>(&statement)) {
    std::vector<BufferId> all = collected(repetition->body, buffers_written);
    for (const ir::Carried& c : repetition->carried) all.push_back(c.before);
    return all;
  }
  const LoopNest* nest = as_nest(statement);
  if (!nest) return std::get<ir::LibraryCall>(statement).outputs;
  std::vector<BufferId> all;
  for (const auto& store : nest->stores) all.push_back(store.buffer);
  return all;
}

static void note(std::vector<int>& list, int statement) {
  if (list.empty() || list.back() != statement) list.push_back(statement);
}

Uses collect_uses(const Program& program) {
  Uses uses{std::vector<std::vector<int>>(program.buffers.size()),
            std::vector<std::vector<int>>(program.buffers.size())};
  for (int i = 0; i < int(program.statements.size()); i++) {
    const auto& statement = program.statements[size_t(i)];
    for (BufferId b : buffers_read(statement)) note(uses.readers[size_t(b)], i);
    for (BufferId b : buffers_written(statement)) note(uses.writers[size_t(b)], i);
  }
  return uses;
}

void replace_reader(const Program& program, Uses& uses, int from, int to) {
  for (BufferId b : buffers_read(program.statements[size_t(to)])) {
    if (program.buffer(b).kind != ir::BufferKind::temporary) continue;
    auto& list = uses.readers[size_t(b)];
    if (auto old = std::lower_bound(list.begin(), list.end(), from); old != list.end() && *old == from) list.erase(old);
    auto place = std::lower_bound(list.begin(), list.end(), to);
    if (place == list.end() || *place != to) list.insert(place, to);
  }
}

ir::IndexMap loop_map(const LoopNest& nest, std::span<const IndexExpr> replacements) {
  ir::IndexMap map;
  for (size_t i = 0; i < nest.loops.size(); i++) map[nest.loops[i].var.node()] = replacements[i];
  return map;
}

const std::vector<std::string>& origins_of(const ir::Statement& statement) {
  return std::visit([](const auto& s) -> const std::vector<std::string>& { return s.origins; }, statement);
}

std::string describe(const ir::Statement& s) {
  const auto* nest = as_nest(s);
  const auto* call = std::get_if<ir::LibraryCall>(&s);
  const auto& origins = origins_of(s);
  std::string text = nest ? nest->name : call ? call->function : "repetition";
  if (!origins.empty()) text += " (" + origins.back() + ")";
  return text;
}

void erase_statements(Program& program, const std::vector<bool>& dead) {
  std::vector<ir::Statement> kept;
  for (size_t i = 0; i < program.statements.size(); i++)
    if (!dead[i]) kept.push_back(std::move(program.statements[i]));
  program.statements = std::move(kept);
}

void add_origins(std::vector<std::string>& origins, const std::vector<std::string>& more) {
  for (const std::string& origin : more)
    if (std::find(origins.begin(), origins.end(), origin) == origins.end()) origins.push_back(origin);
}

}  // namespace cppgen::schedule
