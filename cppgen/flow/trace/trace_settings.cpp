#include "cppgen/flow/trace/trace_settings.h"

#include <algorithm>
#include <iterator>

#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/printable.h"
#include "runtime/base/settings.h"

namespace cppgen {
namespace {

enum TracedUse { key, no_key, running, key_running };  // the column of settings.def

struct TracedRow {
  SettingKind kind;
  std::string_view name;
  TracedUse use;
};

constexpr TracedRow kTracedRows[] = {
#define CPPGEN_SETTING(kind, field, name, fallback, allowed, aliases, use) {SettingKind::kind, #name, use},
#include "runtime/base/settings.def"
};

constexpr std::string_view kOfRuns[] = {"THREADS", "FLUSH_DENORMALS", "NAN_ASSERTS", "MAX_MEMORY"};

// Texts that name nothing: their grammars consist of numbers and words of tables.
constexpr std::string_view kClosedTexts[] = {"DEBUG_LEVEL", "GEMM_CACHE_BLOCKING", "TUNING", "COSTS"};

const TracedRow* traced_row(std::string_view name) {
  return std::find_if(std::begin(kTracedRows), std::end(kTracedRows),
                      [&](const TracedRow& row) { return row.name == name; });
}

bool is_in(const auto& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// Returns why this process does not take a value from elsewhere; empty if it does.
std::string reason_to_leave_out(SettingId id, const Settings& wanted, int64_t most_memory) {
  if (id == SettingId::assert_indirect_indexing && !wanted.assert_indirect_indexing)
    return "without this check, the trace's data could read and write any memory";
  if (id == SettingId::max_memory && wanted.max_memory > most_memory) return "it is more than is allowed here";
  return "";
}

}  // namespace

bool is_traced_setting(std::string_view name) {
  const TracedRow* row = traced_row(name);
  if (row == std::end(kTracedRows) || (row->use != key && row->use != key_running && !is_in(kOfRuns, name)))
    return false;
  if (row->kind == SettingKind::path) return false;
  return row->kind != SettingKind::text || is_in(kClosedTexts, name);
}

std::vector<std::pair<std::string, std::string>> settings_of_trace(const TraceRecord& record, int64_t most_memory) {
  std::vector<std::pair<std::string, std::string>> given{{"ISA", record.isa}};
  for (const auto& [name, value] : record.settings) {
    if (!is_traced_setting(name))
      user_error("the trace has the setting '{}', which traces do not record", one_line(name));
    if (name != "ISA") given.emplace_back(name, value);
  }
  std::vector<std::pair<std::string, std::string>> taken;
  for (const auto& [name, value] : given) {
    const auto id = SettingId(traced_row(name) - std::begin(kTracedRows));
    Settings wanted;
    try {
      wanted.set(id, value);
    } catch (const UserError& error) {
      user_error("the trace has a setting that is not allowed: {}", error.what());
    }
    const std::string reason = reason_to_leave_out(id, wanted, most_memory);
    if (reason.empty())
      taken.emplace_back(name, value);
    else
      log_warning("{}={} is not taken from the trace: {}; --set chooses it nevertheless", name, one_line(value),
                  reason);
  }
  return taken;
}

}  // namespace cppgen
