#include "cppgen/contenders/onednn_graph.h"
#include "runtime/plugins/plugin_file.h"

namespace cppgen::contenders {

const OnednnPlugin& onednn_plugin() {
  static const void* const plugin = rt::load_plugin("bench_onednn", "comparisons with oneDNN", rt::kWhereOnednnIs);
  return *static_cast<const OnednnPlugin*>(plugin);
}

}  // namespace cppgen::contenders
