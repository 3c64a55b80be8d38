#include <fmt/format.h>

#include "cppgen/forms/attention/plan.h"
#include "cppgen/kernel/view.h"

namespace cppgen::forms {

std::string AttentionPlan::fault(const KernelView& view) const {
  if (key_block < 1 || most_panels_at_once < 1)
    return fmt::format("blocks of {} keys for {} panels of queries", key_block, most_panels_at_once);
  if (group_keys % key_block != 0) return fmt::format("groups of {} keys in blocks of {}", group_keys, key_block);
  if (!may_be_few && !may_be_many) return "no number of rows is computed";
  if (hidden && !values.rows_contiguous && !view.kernel.attention->columns.extent.is_constant(1))
    return "keys of values that are not contiguous are skipped";
  return "";
}

}  // namespace cppgen::forms
