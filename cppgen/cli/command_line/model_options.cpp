#include "cppgen/cli/command_line/model_options.h"

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

void add_common(CLI::App* command, CommonOptions& options) {
  const char* group = "Settings";
  command->add_option("--set", options.settings, "A setting (see `cppgen config`); repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(group);
  command->add_option("--load", options.load, "Settings from a file that `cppgen config --save` wrote; --set prevails")
      ->type_name("FILE")
      ->group(group);
  command->add_option("--threads", options.threads, "Threads of one run; short for --set THREADS=N")
      ->type_name("N")
      ->group(group);
  command->add_option("--isa", options.isa, "Instruction set of the kernels (`cppgen isa`); short for --set ISA=NAME")
      ->type_name("NAME")
      ->group(group);
}

void add_text(CLI::App* command, std::string& file) {
  command
      ->add_option("--text", file,
                   "In the end, write the text (docs/ir.md) before the pass that fails, or that the fault needs, to a "
                   "file, and print the command of `cppgen opt` that runs this pass")
      ->type_name("FILE");
}

void add_passes(CLI::App* command, OptOptions& opt) {
  command->get_option("MODEL")->description("An .onnx file, or a text (docs/ir.md)")->required(false);
  command->add_option("--until", opt.until, "First run all passes in their order, up to and with this one")
      ->type_name("PASS");
  command->add_option("--pass", opt.passes, "Run these passes; repeatable")
      ->type_name("PASS,PASS")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--verify", opt.verify,
                    "After each pass, infer all types again, or verify the schedule and read its text back");
  command->add_flag("--plans", opt.plans, "Print the plans of kernels, too");
  command->add_option("-o,--output", opt.output, "Write the text to a file instead")->type_name("FILE");
  command->add_flag("--list", opt.list, "Print the names of the passes instead");
}

}  // namespace cppgen
