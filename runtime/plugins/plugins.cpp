#include "runtime/plugins/plugins.h"

#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/plan/calls/onednn.h"
#include "runtime/plan/calls/xsmm.h"
#include "runtime/plugins/plugin_file.h"

namespace cppgen::rt {
namespace {

struct Name {
  std::string_view name, needed_by, advice{};
  const void* load() const { return load_plugin(name, needed_by, advice); }
};
constexpr Name kOneDnn{"onednn", "contractions by oneDNN", kWhereOnednnIs}, kXsmm{"xsmm", "contractions by libxsmm"},
    kRegex{"regex", "regular expressions"};

const LibraryPlugin& onednn() {
  static const void* const plugin = kOneDnn.load();
  return *static_cast<const LibraryPlugin*>(plugin);
}

const LibraryPlugin& xsmm() {
  static const void* const plugin = kXsmm.load();
  return *static_cast<const LibraryPlugin*>(plugin);
}

const RegexPlugin& regex() {
  static const void* const plugin = kRegex.load();
  return *static_cast<const RegexPlugin*>(plugin);
}

}  // namespace

std::span<const LibraryFunction> onednn_functions() { return onednn().functions; }
std::span<const LibraryFunction> xsmm_functions() { return xsmm().functions; }
bool onednn_is_there() try {
  onednn();
  return true;
} catch (const UserError& error) {
  log_debug("{}", error.what());
  return false;
}
int xsmm_lanes() try { return xsmm().float_lanes(); } catch (const UserError& error) {
  log_debug("{}", error.what());
  return 0;
}

std::unique_ptr<const Regex> compile_regex(const std::string& pattern, RegexMatch match, std::string& error) {
  return regex().compile(pattern, match, error);
}

std::string plugin_needed_by(std::string_view function) {
  const Name* plugin = function == kOneDnnContraction                           ? &kOneDnn
                       : function == kXsmmContraction                           ? &kXsmm
                       : function == "regex_full_match" || function == "tokens" ? &kRegex
                                                                                : nullptr;
  return plugin ? plugin_path(plugin->name, plugin->needed_by, plugin->advice) : "";
}

}  // namespace cppgen::rt
