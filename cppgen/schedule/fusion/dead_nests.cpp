#include <algorithm>

#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {

void drop_dead_nests(Draft& draft) {
  Program& program = draft.program();
  std::vector<bool> read(program.buffers.size(), false), dead(program.statements.size(), false);
  for (size_t i = program.statements.size();
       i-- > 0;) {  // in reverse order, since operands of removed nests lose a reader
    const LoopNest* nest = as_nest(program.statements[i]);
    dead[i] = nest && std::all_of(nest->stores.begin(), nest->stores.end(), [&](const auto& s) {
                return program.buffer(s.buffer).kind == ir::BufferKind::temporary && !read[size_t(s.buffer)];
              });
    if (dead[i]) continue;
    for (BufferId b : buffers_read(program.statements[i])) read[size_t(b)] = true;
  }
  erase_statements(program, dead);
}

}  // namespace cppgen::schedule
