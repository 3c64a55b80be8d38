#include "cppgen/cli/explain/pass_changes_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "runtime/base/json_text.h"
#include "runtime/base/printable.h"

namespace cppgen {

std::string pass_changes_text(const std::vector<PassChange>& changes) {
  std::string text =
      "what passes changed in the printed graph (after import) and program (after lower, once for each plan); what "
      "they "
      "decide besides, such as layouts, is not printed\n";
  for (const PassChange& it : changes) {
    if (it.first)
      text += fmt::format("  {:<32} {}\n", it.stage, counted(it.lines, "line"));
    else if (!it.changed())
      text += fmt::format("  {:<32} no change\n", it.stage);
    else
      text += fmt::format("  {:<32} changed: {}, {} added, {} removed\n", it.stage, counted(it.lines, "line"), it.added,
                          it.removed);
  }
  for (const PassChange& it : changes)
    if (it.changed()) text += "\n" + for_terminal(it.diff);
  return text;
}

std::string pass_changes_json(const ExplainOptions& options, const std::vector<PassChange>& changes) {
  Json json;
  json["model"] = options.model;
  json["passes"] = Json::array();
  for (const PassChange& it : changes) {
    Json item;
    item["name"] = it.stage;
    item["lines"] = it.lines;
    item["changed"] = it.changed();
    item["added"] = it.added;
    item["removed"] = it.removed;
    item["diff"] = it.diff;
    json["passes"].push_back(std::move(item));
  }
  return json_text(json, 2) + "\n";
}

}  // namespace cppgen
