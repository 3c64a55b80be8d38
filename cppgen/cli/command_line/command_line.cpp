#include "cppgen/cli/command_line/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>

#include "cppgen/cli/command_line/arguments.h"
#include "cppgen/cli/command_line/measuring_options.h"
#include "cppgen/cli/command_line/model_options.h"
#include "cppgen/cli/command_line/parse_mistakes.h"
#include "cppgen/cli/command_line/run_reporting.h"
#include "cppgen/cli/command_line/shell_help.h"
#include "cppgen/cli/command_line/suggestions.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "runtime/base/bug_reports.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

constexpr const char* kExitStatus =
    "Exit status: 0 success, 1 outputs differ from the expected ones, 2 a bad model, option, setting or input, "
    "3 a bug in cppgen, 130 interrupted.";

// All options of one command line, and the command to run once it is parsed.
struct Parsed {
#define CPPGEN_COMMAND(name, options, ...) options name;
#include "cppgen/cli/shared/commands.def"
  std::string shell;
  Action command;
};

CLI::App* add_command(CLI::App& app, Parsed& parsed, const char* name, const char* doc, const char* example,
                      Action action) {
  CLI::App* command = app.add_subcommand(name, doc);
  command->set_version_flag("--version", version_text());
  command->footer(std::string("Example:\n  ") + example + "\n\n" + kExitStatus);
  command->callback([&parsed, action] { parsed.command = action; });
  return command;
}

// Accepts these words only.
CLI::Validator one_of(std::vector<std::string> words) {
  return {[words = std::move(words)](std::string& word) { return unknown_word(word, words); }, ""};
}

void add_json(CLI::App* command, CommonOptions& options) {
  command->add_flag("--json", options.json, "Print one JSON object");
}

void add_model(CLI::App* command, ModelOptions& options, bool package, bool dims) {
  command
      ->add_option("MODEL", options.model,
                   package ? "An .onnx file, or a package that `compile` wrote" : "An .onnx file")
      ->type_name("")
      ->required();
  if (dims)
    add_repeatable(command, "--dim", options.dims,
                   "NAME=N sets the size of a named dimension; INPUT.AXIS=NAME makes a dimension of an input "
                   "symbolic; repeatable",
                   "NAME=N");
  add_common(command, options);
}

template <class Options>
void add_inputs(CLI::App* command, Options& options) {
  add_repeatable(command, "--input", options.inputs,
                 "Read an input from a file (strings are NumPy arrays of str); inputs that are not given are random. "
                 "Repeatable: once for each "
                 "element of a sequence, NAME= for an empty sequence or optional, NAME.keys and NAME.values for a map",
                 "NAME=FILE.npy");
  command->add_option("--seed", options.seed, "Seed of the random inputs, below 2^64; equal seeds give equal inputs")
      ->check(fault_of_seed)
      ->type_name("N");
}

template <class Options>
void add_tolerances(CLI::App* command, Options& options) {
  command
      ->add_option("--rtol", options.rtol,
                   "Tolerance relative to each expected element (.pb, default 1e-3) or to the greatest element of "
                   "the output (io.json, default 1e-4)")
      ->type_name("R");
  command->add_option("--atol", options.atol, "Absolute tolerance, in addition (default 1e-7 for .pb, otherwise 0)")
      ->type_name("A");
}

void declare_run(CLI::App* command, RunOptions& options) {
  add_model(command, options, true, true);
  add_sizes(command, options);
  add_states(command, options);
  command
      ->add_option("--output", options.output,
                   "Write in_I.npy, out_I.npy (out_I_K.npy for element K of a sequence) and io.json there")
      ->type_name("DIR");
  add_inputs(command, options);
  add_reference(command, options);
  add_json(command, options);
}

void declare_compile(CLI::App* command, CompileOptionsGiven& options) {
  add_model(command, options, false, true);
  add_sizes(command, options);
  add_states(command, options);
  const auto add = [&](const char* name, std::string& value, const char* text, const char* type) {
    command->add_option(name, value, text)->type_name(type);
  };
  add("-o,--output", options.output, "Directory of the package (default: AOT_OUTPUT_PATH); output of --emit", "PATH");
  add("--header", options.header, "Also write a C++17 header for programs that run the package", "FILE");
  add("--depfile", options.dep_file, "Also write the files that the package depends on, as a rule of make", "FILE");
  add("--emit", options.emit,
      "Write code that needs no runtime: static (libNAME.a, NAME.h), executable, cmake (sources of both)", "KIND");
  add("--name", options.name, "NAME of --emit, an identifier (default: made from the model's file name)", "NAME");
  add_json(command, options);
}

void declare_seal(CLI::App* command, SealOptions& options) {
  command->add_option("PACKAGE", options.package, "Directory of the package")->type_name("")->required();
}

void declare_verify(CLI::App* command, VerifyOptions& options) {
  add_model(command, options, true, true);
  add_sizes(command, options);
  add_states(command, options);
  command
      ->add_option(
          "DATA_DIR", options.data,
          "Directory with test_data_set_* directories, with input_I.pb and output_I.pb, or with io.json and .npy files")
      ->type_name("")
      ->required();
  add_tolerances(command, options);
  add_reference(command, options);
  add_json(command, options);
}

void add_timing(CLI::App* command, TimedOptions& options) {
  add_inputs(command, options);
  add_timing_limits(command, options);
}

void add_bench_options(CLI::App* command, BenchOptions& options) {
  add_model(command, options, true, true);
  add_sizes(command, options);
  add_states(command, options);
  add_timing(command, options);
  add_reference(command, options);
}

// The hidden command.
void declare_measure(CLI::App* hidden, MeasureOptions& measure) {
  hidden->group("");
  add_bench_options(hidden, measure);
  hidden->add_option("--result", measure.result)->required();
  hidden->add_option("--cache", measure.cache)->required();
}

void declare_bench(CLI::App* command, BenchOptions& options) {
  add_bench_options(command, options);
  command->add_flag("--cold", options.cold,
                    "Compile with an empty cache of its own; by default the cache is used, and compile_s is the time "
                    "to the first result with what it held");
  command->add_option("--clients", options.clients, "Callers that run the model at the same time (see NUM_STREAMS)")
      ->type_name("N")
      ->check(CLI::Range(int64_t(1), int64_t(1024)));
  add_repeatable(command, "--sweep", options.sweeps,
                 "Measure with each of these values of a setting (semicolons separate values with commas); repeatable: "
                 "with every combination",
                 "NAME=VALUE,VALUE");
  command->add_option("--plot", options.plot, "Draw a sweep")->type_name("FILE.svg")->needs("--sweep");
  command
      ->add_option("--against", options.against,
                   "Also run the model on these libraries (onednn, onnxruntime), alternating, and compare")
      ->type_name("NAME,NAME")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(one_of({"onednn", "onnxruntime"}));
  command
      ->add_option("--onnxruntime", options.onnxruntime,
                   "The shared library of ONNX Runtime (default: the system's libonnxruntime.so)")
      ->type_name("LIBRARY");
  add_json(command, options);
}

void declare_profile(CLI::App* command, ProfileOptions& options) {
  add_model(command, options, true, true);
  add_sizes(command, options);
  add_states(command, options);
  add_timing(command, options);
  command
      ->add_option(
          "--trace", options.trace,
          "Write a trace in Chrome's format, which Perfetto displays: the compilation, the load and a few runs, "
          "with a lane per thread")
      ->type_name("FILE");
  command
      ->add_option("--against", options.against,
                   "Also run the model on this library (onednn), and show what it takes for the nodes of each step")
      ->type_name("NAME")
      ->check(one_of({"onednn"}));
  add_renewed_peaks(command, options);
  add_json(command, options);
}

void declare_minify(CLI::App* command, MinifyOptions& options) {
  add_model(command, options, false, true);
  command
      ->add_option("-o,--output", options.output,
                   "Directory for the small model with its inputs and expected outputs, as `cppgen verify` reads them "
                   "(default MODEL.fault, without the folder and .onnx)")
      ->type_name("OUT_FOLDER");
  command->add_option("--seconds", options.seconds, "Time after which it ends with the smallest model so far")
      ->type_name("S")
      ->capture_default_str();
  command
      ->add_option("--predicate", options.predicates,
                   "The fault: crash, compile (kernels cannot be compiled), differs (results do), or slow (a kernel "
                   "takes more than twice its bound). Repeatable; default: each of the first three")
      ->type_name("FAULT")
      ->allow_extra_args(false)
      ->check(one_of({"crash", "compile", "differs", "slow"}));
  add_inputs(command, options);
  add_tolerances(command, options);
  add_text(command, options.text);
  add_json(command, options);
}

void declare_trial(CLI::App* hidden, TrialOptions& trial) {
  hidden->group("");
  add_model(hidden, trial, false, true);
  add_inputs(hidden, trial);
  add_tolerances(hidden, trial);
  add_repeatable(hidden, "--override", trial.overrides, "", "NAME=VALUE");
  hidden->add_option("--data", trial.data);
  hidden->add_option("--result", trial.result);
  hidden->add_option("--values", trial.values);
  hidden->add_flag("--types", trial.types);
  hidden->add_flag("--measure", trial.measure);
}

void declare_repro(CLI::App* command, ReproOptions& options) {
  command->add_option("TRACE", options.trace, "The archive or the folder of a trace")->type_name("")->required();
  command->add_option("--model", options.model, "The model, if it was too large for the trace")->type_name("FILE");
  add_text(command, options.text);
  add_common(command, options);
  add_json(command, options);
}

void declare_tune(CLI::App* command, TuneOptions& options) {
  command->add_option("MODEL", options.model, "An .onnx file")->type_name("");
  add_repeatable(command, "--dim", options.dims,
                 "NAME=N sets the size of a named dimension; INPUT.AXIS=NAME makes a dimension of an input symbolic; "
                 "repeatable",
                 "NAME=N");
  add_repeatable(command, "--sizes", options.sizes,
                 "Tune for these sizes of dimensions that runs may choose, as a version of a package has them; "
                 "repeatable: one after the other",
                 "NAME=N,NAME=N");
  command
      ->add_option("--from", options.records,
                   "Tune the contractions of all models in this file, which OPS_RECORD=FILE has recorded")
      ->type_name("FILE");
  command
      ->add_option("--import", options.import_file,
                   "First add the results in this file, or in this package, of whatever machine")
      ->type_name("FILE");
  add_tuning_limits(command, options);
  command->add_option("--export", options.export_file, "In the end, copy all stored results to this file")
      ->type_name("FILE");
  command->add_flag(
      "--learned", options.learned,
      "In the end, report what tunings on this machine learned of each candidate, and where the rule that "
      "they follow would have missed a faster one");
  add_common(command, options);
  add_json(command, options);
}

void declare_explain(CLI::App* command, ExplainOptions& explain) {
  add_model(command, explain, false, true);
  add_states(command, explain);
  command->get_option("--threads")
      ->description(
          "Threads of one run; a list, such as 1,8,64: print the times that are predicted for so many threads, "
          "and what keeps them from being shorter")
      ->type_name("N[,N...]");
  add_repeatable(command, "--machine", explain.machine,
                 "A number of the machine for these predictions, such as memory=300 (GB/s), l3=32MiB or l3_cores=8, in "
                 "place of what is measured or assumed, which is printed; repeatable",
                 "NAME=VALUE");
  CLI::Option* all = command->add_flag("--all", explain.all, "Print all kernels, layouts and decisions");
  add_repeatable(command, "--node", explain.nodes,
                 "Print what became of a node of the model, or of all nodes whose names begin with NAME/; repeatable",
                 "NAME");
  add_repeatable(command, "--kernel", explain.kernels, "Print the step of this name or number; repeatable", "NAME");
  for (const char* choice : {"--node", "--kernel"}) all->excludes(command->get_option(choice));
  command->add_flag("--memory", explain.memory, "Print where intermediate values are placed");
  command->add_flag("--source", explain.source, "Print the emitted C++ of the kernels");
  command->add_flag("--asm", explain.assembly, "Compile the kernels and print their assembly");
  CLI::Option* passes = command->add_flag(
      "--passes", explain.passes, "Print instead which passes changed the graph and the program, and the differences");
  CLI::Option* html =
      command
          ->add_option("--html", explain.html,
                       "Write a page with the graphs, kernels, decisions and memory to a file instead of printing them")
          ->type_name("FILE")
          ->excludes(passes);
  command->add_flag("--profile", explain.profile, "Also measure each step and show a run on the page")->needs(html);
  add_json(command, explain);
}

void declare_opt(CLI::App* command, OptOptions& opt) {
  add_model(command, opt, false, true);
  add_states(command, opt);
  add_passes(command, opt);
}

void declare_check(CLI::App* command, ModelOptions& check) {
  add_model(command, check, false, true);
  add_json(command, check);
}

void declare_inspect(CLI::App* command, ModelOptions& inspect) {
  add_model(command, inspect, true, false);
  add_json(command, inspect);
}

void declare_config(CLI::App* command, ConfigOptions& config) {
  command->add_option("NAME", config.names, "Only these settings")->type_name("");
  command->add_flag("--diff", config.diff, "Show only settings whose value is not the default");
  command->add_option("--save", config.save, "Write the settings whose value is not the default to a file")
      ->type_name("FILE");
  add_common(command, config);
  add_json(command, config);
}

void declare_isa(CLI::App* command, CommonOptions& isa) {
  add_common(command, isa);
  add_json(command, isa);
}

void declare_cache(CLI::App* command, CacheOptions& cache) {
  command->add_option("ACTION", cache.action, "list, stats (default), clear or path")
      ->type_name("")
      ->check(one_of({"list", "stats", "clear", "path"}));
  add_cleared_kinds(command, cache);
  add_common(command, cache);
  add_json(command, cache);
}

// Completions and the manual page, made of `app` itself.
void add_shell_help(CLI::App& app, Parsed& parsed) {
  const auto print = [&](const std::string& text) { return print_result(text), kDone; };
  CLI::App* command =
      add_command(app, parsed, "completion", "Print completions of this program for a shell",
                  "cppgen completion bash > ~/.local/share/bash-completion/completions/cppgen",
                  [&, print](const CancelToken&) { return print(completion_script(app, parsed.shell)); });
  command->add_option("SHELL", parsed.shell, "bash, zsh or fish")
      ->type_name("")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  command = add_command(app, parsed, "manual", "Print the manual page", "cppgen manual | man -l -",
                        [&, print](const CancelToken&) { return print(manual_page(app)); });
  command->group("");
}

bool has_command(const CLI::App& app, const std::string& name) {
  return !app.get_subcommands([&](const CLI::App* it) { return it->get_name() == name; }).empty();
}

}  // namespace

int run_command_line(int argc, char** argv) {
  Parsed parsed;
  CLI::App app("Compiles neural networks (ONNX) for CPUs and runs them.", "cppgen");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(std::string("Example:\n  cppgen run model.onnx\n\n`cppgen help COMMAND` explains a command; `cppgen "
                         "config` lists the settings.\n") +
             kExitStatus + "\nReport bugs to " + bug_report_address() + ".");
#define CPPGEN_COMMAND(name, options, doc, example)                                                           \
  declare_##name(add_command(app, parsed, #name, doc, example,                                                \
                             [&](const CancelToken& cancel) { return command_##name(parsed.name, cancel); }), \
                 parsed.name);
#include "cppgen/cli/shared/commands.def"
  add_shell_help(app, parsed);
  std::vector<std::string> arguments = expand_lists(argc, argv);
  if (arguments.empty()) {
    std::fputs(app.help().c_str(), stderr);
    return kUserError;
  }
  replace_help(arguments);
  const std::string& word = arguments[0];
  if (!word.starts_with("-") && !has_command(app, word)) {
    const std::string message = unknown_command(word, commands_of(app));
    std::fprintf(stderr, "cppgen: %s\nSee `cppgen --help`.\n", for_terminal(message).c_str());
    return kUserError;
  }
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return report_parse(app, error);
  }
  CancelToken cancel;
  const ScopedSignalCancel on_signal(cancel, "cppgen");
  return run_reporting(parsed.command, cancel, argc, argv);
}

}  // namespace cppgen
