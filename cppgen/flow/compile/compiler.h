#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cppgen/flow/compile/sites.h"
#include "cppgen/flow/compile/state_option.h"
#include "cppgen/import/import.h"
#include "cppgen/schedule/choices.h"
#include "cppgen/support/interrupt.h"
#include "runtime/base/settings.h"
#include "runtime/plan/module.h"

namespace cppgen {

struct CompileJob;

// The whole flow from a model file to a package: compiler.cpp, and from a graph to kernels model_build.cpp.

// A model that is not a file: the bytes of one, which others own, and the folder of its external data; empty: it has
// none.
struct ModelBytes {
  std::span<const std::byte> content;
  std::string folder;
};

struct CompileRequest {
  std::string model;  // path of an .onnx file, or the name of a model in memory, for messages
  std::optional<ModelBytes> bytes = {};
  Settings settings;
  std::vector<DimOption> dims;           // --dim
  std::vector<StateOption> states = {};  // --state
  // Sizes of symbols, by name, for each of which the package has a version of its own (flow/compile/versions.h).
  std::vector<std::map<std::string, int64_t>> versions = {};
  std::vector<std::string> custom_operators;  // paths of descriptions, in addition to those of CUSTOM_OPS
  bool count_spills = false;                  // of each site, for the report: compiles to assembly, too
  bool replace = false;                       // the cached entry is damaged and must be replaced
  std::string output;  // package directory to write; empty: into the cache (or a temporary directory)
  // Replaces the stored results of tunings. With choices, even none, the report lists the sites.
  std::shared_ptr<const schedule::Choices> choices;
  const CancelToken* cancel = nullptr;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  std::function<void(int done, int total)> on_progress;  // translation units
  std::function<void(const std::string&)> on_decisions;  // with DEBUG_FUSION: the fusion decisions and their reasons
  // Called with the model's inputs and outputs before any kernel is compiled; an exception that it throws ends the
  // compilation. It is not called for a model from the cache.
  std::function<void(const rt::Plan&)> before_kernels;
  // Called with the units of kernels in place of the compiler: the package, which `output` must name, then has a plan
  // and weights, but no objects.
  std::function<void(const std::vector<CompileJob>&)> instead_of_compiler;
};

// A part of a stage: a pass, with all its runs.
struct StagePart {
  std::string stage, name;
  double seconds = 0;
};

// States when a stage ran, or a part of it, in seconds of the steady clock.
struct StageSpan {
  std::string stage, part;  // part: empty for the stage as a whole
  double begin = 0, end = 0;
};

// A translation unit; 0 seconds if it is from the cache.
struct UnitReport {
  std::string name;
  size_t kernels = 0;
  bool from_cache = false;
  double seconds = 0;
  double begin = 0;  // of the steady clock
};

struct VersionReport {
  std::string name, isa;
  int kernels = 0;
};

// The seconds of each stage, and counts, which include those of versions.
struct CompileReport {
  // The stages in order: "read", "passes", "lower", "schedule", "codegen", "probe", "compile", "versions" (all stages
  // of theirs until they are compiled), "weights", "package"; 0 for stages that a cached model skips.
  std::vector<std::pair<std::string, double>> stages;
  std::vector<StagePart> parts;
  std::vector<StageSpan> spans;
  std::vector<UnitReport> unit_reports;
  std::vector<SiteReport> sites;
  std::vector<VersionReport> versions;  // empty: only one
  double total_s = 0;
  double weights_s = 0;     // reading, folding, packing and writing weights; part of total_s
  bool from_cache = false;  // the whole model
  int kernels = 0, units = 0, cached_units = 0;
  std::string isa;  // "avx2,avx512" if there are several
};

struct CompiledModel {
  std::string package;                     // directory
  bool trusted = false;                    // in this user's own cache: weights need not be hashed again
  std::shared_ptr<const void> keep_alive;  // its last copy removes a temporary package
  std::vector<std::string> sources;        // files that it was made from; not of one from the cache
  CompileReport report;
};

// Throws UserError for a bad model or setting, CompileError if the compiler fails, RefusedSource if it rejects the
// emitted source, and Cancelled.
CompiledModel compile_model(const CompileRequest&);

// Does the same for a graph after the graph passes, which has its states already; the request's model is used only as a
// name in messages. Kernels may come from the cache, but not the whole model.
CompiledModel compile_graph(Graph, const CompileRequest&);

}  // namespace cppgen
