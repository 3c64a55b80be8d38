#pragma once
#include <string>
#include <vector>

#include "cppgen/ir/program/program.h"

namespace cppgen::schedule {

// One loop in place of several, and their positions as expressions of its variable.
struct MergedLoop {
  ir::Loop loop;
  ir::IndexMap positions;
};

// The last of the loops is the fastest.
inline MergedLoop merged_loop(const ir::Program& program, const std::vector<ir::Loop>& loops, const std::string& name) {
  MergedLoop m;
  const ir::IndexExpr extent = ir::points(loops);
  m.loop = {program.index->loop(name, extent), extent};
  ir::IndexExpr rest = m.loop.var;
  for (size_t i = loops.size(); i-- > 0;) {
    m.positions[loops[i].var.node()] = i == 0 ? rest : ir::mod(rest, loops[i].extent);
    rest = ir::floordiv(rest, loops[i].extent);
  }
  return m;
}

}  // namespace cppgen::schedule
