#include "cppgen/cli/model_options.h"

#include <CLI/CLI.hpp>

namespace cppgen {

void add_repeatable(CLI::App* command, const char* name, std::vector<std::string>& values, const char* doc,
                    const char* form) {
  command->add_option(name, values, doc)->type_name(form)->allow_extra_args(false);
}

void add_sizes(CLI::App* command, ModelOptions& options) {
  add_repeatable(command, "--sizes", options.sizes,
                 "Also compile a version for these sizes of dimensions that --dim leaves open: runs with exactly these "
                 "sizes take it, all others the general version; repeatable",
                 "NAME=N,NAME=N");
}

void add_states(CLI::App* command, ModelOptions& options) {
  add_repeatable(command, "--state", options.states,
                 "Keep an output and the input that it extends as one tensor, which grows in place from run to run up "
                 "to CAPACITY positions (2048); repeatable",
                 "OUTPUT=INPUT[:CAPACITY]");
}

void add_reference(CLI::App* command, ModelOptions& options) {
  command->add_flag("--reference", options.reference, "Run on the reference interpreter instead of compiled kernels");
}

}  // namespace cppgen
