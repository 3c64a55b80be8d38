#include "cppgen/custom/load.h"

#include <deque>

#include "cppgen/custom/operator.h"

namespace cppgen::custom {

std::shared_ptr<const ops::CustomOperators> make_operators(const std::vector<rt::CustomFile>& files) {
  const auto all = std::make_shared<std::deque<ops::CustomOperator>>();
  std::vector<ops::Op> rows;
  for (const rt::CustomFile& file : files)
    for (const rt::CustomDescription& d : file.operators) rows.push_back(all->emplace_back(d).row());
  return rows.empty() ? nullptr : std::make_shared<const ops::CustomOperators>(std::move(rows), all);
}

}  // namespace cppgen::custom
