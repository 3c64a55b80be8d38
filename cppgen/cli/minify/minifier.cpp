#include "cppgen/cli/minify/minifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>

#include "cppgen/cli/minify/minified_output.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/shrink.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

// The settings that all trials have in common: a cache of their own, and an instruction set that need not be verified
// each time.
Overrides common_overrides(const MinifyOptions& options, const Settings& given, const std::string& folder) {
  Settings settings = given;
  settle_foreign_compiler(settings);
  CompileRequest request;
  request.model = options.model, request.settings = settings;
  Overrides common{{"CACHE_DIR", folder + "/cache"}, {"PROGRESS", "0"}};
  if (settings.vec_isa_ok) return common;
  const IsaChoice choice(settings, compile_options(request));
  common.insert(common.end(), {{"ISA", std::string(choice.settled().name)}, {"VEC_ISA_OK", "1"}});
  return common;
}

}  // namespace

Minifier::Minifier(const MinifyOptions& options, const Settings& settings, const CancelToken& cancel)
    : options_(options),
      settings_(settings),
      begin_(seconds_now()),
      output_(minified_output(options)),
      folder_(cleaned_temp_directory("cppgen-minify."), "cppgen-minify."),
      common_(common_overrides(options, settings, folder_.path())),
      cutter_(options.model, compile_request(options, settings, cancel).dims),
      nodes_before_(cutter_.node_count()),
      trials_(options, cancel, folder_.path()) {
  // Kernels mean the same with less optimisation, and most of the time goes to their compiler.
  const bool free = settings.source(SettingId::compiler_opt).kind == SettingSource::fallback;
  if (free && !is_asked_for(Fault::slow)) quick_ = {{"COMPILER_OPT", "-O1"}};
}

void Minifier::say(const std::string& text) { std::fprintf(stderr, "cppgen: %s\n", for_terminal(text).c_str()); }

double Minifier::seconds() const { return seconds_now() - begin_; }
bool Minifier::in_time() const { return seconds() < options_.seconds; }

std::string Minifier::input_option(size_t input) const {
  const std::string& name = best_.inputs.at(input);
  return name + "=" + output_ + "/" + values_->file_of(name);
}

bool Minifier::is_asked_for(Fault fault) const {
  const auto& asked = options_.predicates;
  if (asked.empty()) return fault != Fault::none && fault != Fault::slow;
  return std::find(asked.begin(), asked.end(), name_of(fault)) != asked.end();
}

// A slow kernel may become a little faster without its neighbours.
bool Minifier::is_same(const Outcome& other) const {
  return other.fault != Fault::none && other.kind == outcome_.kind && other.factor >= 0.7 * least_factor_;
}

// The first trial has half of the time. Smaller models take less time than the whole one, so later ones need not have
// much more.
double Minifier::limit() const {
  const double rest = std::max(options_.seconds - seconds(), 1.0);
  if (outcome_.fault == Fault::none) return std::max(rest / 2, 1.0);
  const double others = outcome_.seconds - outcome_.run_seconds;  // without a run that hangs
  return std::min(rest, 3 * others + 10 + (outcome_.run_seconds > 0 ? hang_seconds() : 0));
}

// Compiled code is not slower than the interpreter; if that cannot run the model, nothing is known of its time.
double Minifier::hang_seconds() const {
  constexpr double kLeast = 10, kUnknown = 60, kTimes = 3;
  return interpreter_s_ ? std::max(kLeast, kTimes * *interpreter_s_) : kUnknown;
}

Outcome Minifier::decided(Outcome outcome) const {
  if (outcome.undecided)
    user_error("whether the model{} has a fault is not known: {}. Give it more time (--seconds) or a quieter machine",
               cut_options_.all_outputs ? ", whose outputs are right," : "", outcome.text);
  return outcome;
}

Overrides Minifier::with(const Overrides& more) const {
  Overrides all = common_;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<size_t> Minifier::all_nodes() const {
  std::vector<size_t> nodes(cutter_.node_count());
  std::iota(nodes.begin(), nodes.end(), size_t{0});
  return nodes;
}

std::vector<std::string> Minifier::nodes() const {
  std::vector<std::string> texts;
  for (size_t n : best_.nodes) texts.push_back(cutter_.node_text(n));
  return texts;
}

// Sizes of dimensions that options make, which bind a run; other sizes are in the model already.
std::vector<std::string> Minifier::sizes_of_run() const {
  std::set<std::string> made;
  for (const std::string& text : options_.dims)
    if (const DimOption dim = parse_dim_option(text); !dim.size) made.insert(dim.symbol);
  std::vector<std::string> sizes;
  for (const std::string& text : options_.dims)
    if (const DimOption dim = parse_dim_option(text); dim.size && made.contains(dim.symbol)) sizes.push_back(text);
  return sizes;
}

void Minifier::record_values() {
  const bool makes_symbols = std::any_of(options_.dims.begin(), options_.dims.end(),
                                         [](const std::string& text) { return !parse_dim_option(text).size; });
  if (cutter_.has_symbols() && options_.inputs.empty() && !makes_symbols)
    user_error("{}: some inputs have dimensions without a size: give --dim NAME=N or --input NAME=FILE.npy",
               options_.model);
  const std::string model = folder_.path() + "/values.onnx", folder = folder_.path() + "/values";
  if (const int error = write_file(model, cutter_.cut(all_nodes(), {}, {true, true}).bytes))
    user_error("'{}' cannot be written: {}", model, error_text(error));
  say("computing all values of the model on the reference interpreter");
  const Trials::Inputs inputs{options_.inputs, sizes_of_run()};
  const double begin = seconds();
  std::string failure = trials_.write_values(model, folder, inputs, common_, false, limit());
  if (failure.empty()) interpreter_s_ = seconds() - begin;
  if (!failure.empty()) {
    say("the interpreter cannot run the model, so values are random and no results are compared: " + failure);
    remove_tree(folder);
    failure = trials_.write_values(model, folder, inputs, common_, true, limit());
  }
  if (!failure.empty()) user_error("the types of the model's values are not known: {}", failure);
  remove_tree(model);
  values_.emplace(folder);
}

Outcome Minifier::try_cut(const CutModel& cut, const Overrides& overrides) {
  const std::string folder = folder_.path() + "/trial";
  remove_tree(folder);
  if (const int error = make_directories(folder)) user_error("'{}': {}", folder, error_text(error));
  if (const int error = write_file(folder + "/model.onnx", cut.bytes))
    user_error("'{}': {}", folder, error_text(error));
  values_->write(cut, folder);
  Outcome outcome = trials_.run(folder, with(overrides), is_asked_for(Fault::slow), {limit(), hang_seconds()});
  undecided_ |= outcome.undecided;
  return outcome;
}

// Tries fewer optimisations, if they keep the fault.
Outcome Minifier::find_in(const CutModel& whole) {
  Outcome found = try_cut(whole, quick_);
  if (is_asked_for(found.fault) || quick_.empty()) return found;
  const Outcome slower = try_cut(whole, {});
  if (is_asked_for(slower.fault)) quick_.clear();
  return slower;
}

Outcome Minifier::find() {
  record_values();
  CutModel whole = cutter_.cut(all_nodes(), {}, cut_options_);
  Outcome found = decided(find_in(whole));
  if (found.fault == Fault::none && !found.text.empty()) user_error("the model is refused: {}", found.text);
  if (found.fault == Fault::none && has_results() && is_asked_for(Fault::differs)) {
    say("the outputs agree; comparing all values, which fewer kernels can fuse");
    cut_options_.all_outputs = true;
    whole = cutter_.cut(all_nodes(), {}, cut_options_);
    found = decided(find_in(whole));
  }
  least_factor_ = found.factor;
  if (is_asked_for(found.fault)) accept(whole, found);
  return found;
}

void Minifier::accept(CutModel cut, Outcome outcome) {
  write_output(folder_.path() + "/trial", output_);
  best_ = std::move(cut), outcome_ = std::move(outcome);
  say(fmt::format("{}, {} ({}, {:.0f} s)", counted(int64_t(best_.nodes.size()), "node"), name_of(outcome_.fault),
                  counted(trials(), "trial"), seconds()));
}

bool Minifier::shows(const std::vector<size_t>& nodes, const CutOptions& options) {
  if (!in_time()) return false;
  CutModel cut = cutter_.cut(nodes, values_->known(), options);
  if (cut.outputs.empty() || !tried_.insert({cut.nodes, options.without_outputs}).second) return false;
  Outcome outcome = try_cut(cut, quick_);
  if (!is_same(outcome)) return false;
  accept(std::move(cut), std::move(outcome));
  return true;
}

void Minifier::shrink_nodes() {
  const auto shows_fault = [&](const std::vector<size_t>& nodes) { return shows(nodes, cut_options_); };
  remove_windows(halve(best_.nodes, shows_fault), shows_fault);
}

void Minifier::shrink_outputs() {
  const std::vector<std::string> outputs = best_.outputs;
  for (const std::string& name : outputs) {
    if (best_.outputs.size() == 1) return;
    CutOptions fewer = cut_options_;
    fewer.without_outputs.insert(name);
    if (shows(best_.nodes, fewer)) cut_options_ = fewer;
  }
}

// Makes dimensions constant if the fault permits it: cuts then agree with each other.
void Minifier::shrink_whole() {
  cut_options_.keep_symbols = false;
  if (!shows(all_nodes(), cut_options_)) cut_options_.keep_symbols = true;
  shrink_nodes();
  shrink_outputs();
  open_bodies();
}

void Minifier::shrink() {
  const CutModel whole = best_;
  const CutOptions options = cut_options_;
  const Outcome found = outcome_;
  disable_passes();
  shrink_whole();
  if (quick_.empty()) return;
  const Outcome as_given = in_time() ? try_cut(best_, {}) : Outcome();
  if (is_same(as_given)) return;
  if (!in_time() || as_given.undecided)
    return say("there was no time to try the small model with the settings as they are given");
  say("with the settings as they are given, the small model does not show the fault; starting again with them");
  if (!outer_.empty()) exchange(outer_.front()), outer_.clear();
  quick_.clear(), tried_.clear(), first_pass_.reset();
  cut_options_ = options, outcome_ = found;
  const Outcome again = try_cut(whole, {});
  if (!is_same(again)) return;
  accept(whole, again);
  shrink_whole();
}

}  // namespace cppgen
