#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cppgen {

// Exit status of the program.
enum ExitCode {
  kDone = 0,
  kCheckFailed = 1,    // the outputs differ from what is expected
  kUserError = 2,      // a bad model, option, setting or input
  kInternalError = 3,  // a bug in cppgen
  kInterrupted = 130,  // Ctrl-C, as a shell reports it; 128 + the number of another signal
};

// The options of the command line; only their syntax has been checked.

struct CommonOptions {
  std::vector<std::string> settings;  // --set NAME=VALUE
  std::string load;                   // --load: a file of settings, over which the options above and below prevail
  std::vector<std::pair<std::string, std::string>> loaded;  // likewise, but read already, such as those of a trace
  std::string threads, isa;                                 // empty: not given
  bool json = false;
};

struct ModelOptions : CommonOptions {
  std::string model;                // .onnx file or package directory
  std::vector<std::string> dims;    // --dim
  std::vector<std::string> states;  // --state
  std::vector<std::string> sizes;   // --sizes NAME=N,NAME=N: versions of the package
  bool reference = false;           // run on the interpreter
};

// A model that runs on inputs, which are random unless they are given.
struct InputOptions : ModelOptions {
  std::vector<std::string> inputs;  // NAME=FILE.npy
  uint64_t seed = 0;
};

struct RunOptions : InputOptions {
  std::string output;  // directory; empty: print a summary
};

struct CompileOptionsGiven : ModelOptions {
  std::string output;
  std::string header;    // file for a C++ header of the package; empty: none
  std::string dep_file;  // file for a rule in make's format of what the package depends on; empty: none
  std::string emit;      // "static", "executable" or "cmake": code in place of a package
  std::string name;      // what the names of emitted code begin with; empty: made from the model's file
};

struct SealOptions {
  std::string package;
};

struct VerifyOptions : ModelOptions {
  std::string data;
  std::optional<double> rtol, atol;
};

struct TimedOptions : InputOptions {
  std::optional<int64_t> runs;
  std::optional<double> seconds;  // instead of `runs`
  bool any_load = false;          // whatever else the machine does: nothing is repeated or marked
};

struct BenchOptions : TimedOptions {
  bool cold = false;                 // with an empty cache of its own
  int64_t clients = 1;               // concurrent callers
  std::vector<std::string> sweeps;   // NAME=VALUE,VALUE
  std::string plot;                  // file for a picture of the sweep
  std::vector<std::string> against;  // "onednn", "onnxruntime"
  std::string onnxruntime;           // its library; empty: of a usual name
};

struct ProfileOptions : TimedOptions {
  std::string trace;    // file for a trace of the last runs
  std::string against;  // "onednn", or empty
  bool renew = false;   // measure the peaks of the machine again
};

struct TuneOptions : ModelOptions {
  std::string records;                   // file of OPS_RECORD: the models in it are tuned in place of MODEL
  std::string import_file, export_file;  // of results; without MODEL only these are done
  bool learned = false;                  // report what tunings have learned
  std::optional<double> seconds;         // after which it ends with what was measured
  bool any_load = false;                 // whatever else the machine does
  bool renew = false;                    // measure again what is stored
};

// The hidden command that `bench` runs in a new process.
struct MeasureOptions : BenchOptions {
  std::string result;  // file to write
  std::string cache;   // CACHE_DIR
};

struct MinifyOptions : VerifyOptions {  // without data
  std::vector<std::string> inputs;      // NAME=FILE.npy
  uint64_t seed = 0;
  std::string output;                   // directory; empty: "<model>.fault"
  std::vector<std::string> predicates;  // faults to look for: crash, compile, differs, slow; empty: the first three
  std::string text;                     // file for the text before the pass of the fault; empty: none
  double seconds = 300;
};

// The hidden command that `minify` runs in a new process: it runs a data set, or writes one.
struct TrialOptions : MinifyOptions {
  std::vector<std::string> overrides;  // NAME=VALUE, which prevail over all settings
  std::string result;                  // file for what happened
  std::string values;                  // directory for all values of the model; empty: run `data`
  bool types = false;                  // the values are random, of the types that are inferred
  bool measure = false;                // the slowest kernel
};

struct ReproOptions : CommonOptions {
  std::string trace;  // directory or archive
  std::string model;  // .onnx file; empty: that of the trace
  std::string text;   // file for the text before the pass of the fault; empty: none
};

struct ExplainOptions : ModelOptions {
  bool all = false;  // all steps and decisions
  bool source = false, assembly = false;
  bool passes = false;                      // what each pass changed
  std::string html;                         // file for a page
  bool profile = false;                     // measure steps for the page
  bool memory = false;                      // the placement of intermediate values
  std::vector<std::string> machine;         // NAME=VALUE: numbers of the machine for which --threads A,B predicts times
  std::vector<std::string> nodes, kernels;  // only steps of these nodes, and steps of these names or numbers
};

struct OptOptions : ModelOptions {  // the model may also be a text
  std::vector<std::string> passes;
  std::string until;   // a pass
  std::string output;  // file for the text; empty: standard output
  bool verify = false, plans = false, list = false;
};

struct ConfigOptions : CommonOptions {
  std::vector<std::string> names;   // of the only settings to show; empty: all
  bool diff = false;                // only what is not the default
  std::optional<std::string> save;  // file for these settings
};

struct CacheOptions : CommonOptions {
  std::string action = "stats";    // list, stats, clear, path
  std::vector<std::string> kinds;  // that `clear` removes; empty: all but tunings
};

}  // namespace cppgen
