#include "cppgen/compile/vec_headers.h"

namespace cppgen {

const std::string& built_source_tree() {
  static const std::string root = CPPGEN_SOURCE_TREE;
  return root;
}

}  // namespace cppgen
