#pragma once
#include <string>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/support/interrupt.h"

namespace cppgen {

// One function per command of the program. Results go to stdout, everything else to stderr. They return the exit
// status; They throw UserError and InternalError, and Cancelled once the token is set.

// Hidden commands, which `bench` and `minify` start in new processes.
inline constexpr const char *kMeasureCommand = "measure", *kTrialCommand = "trial";

ExitCode command_run(const RunOptions&, const CancelToken&);
ExitCode command_compile(const CompileOptionsGiven&, const CancelToken&);
ExitCode command_seal(const std::string& package);
ExitCode command_verify(const VerifyOptions&, const CancelToken&);
ExitCode command_bench(const BenchOptions&, const CancelToken&);
ExitCode command_profile(const ProfileOptions&, const CancelToken&);
ExitCode command_tune(const TuneOptions&, const CancelToken&);
ExitCode command_measure(const MeasureOptions&, const CancelToken&);
ExitCode command_minify(const MinifyOptions&, const CancelToken&);
ExitCode command_trial(const TrialOptions&, const CancelToken&);
ExitCode command_repro(const ReproOptions&, const CancelToken&);
ExitCode command_explain(const ExplainOptions&, const CancelToken&);
ExitCode command_opt(const OptOptions&, const CancelToken&);
ExitCode command_check(const ModelOptions&, const CancelToken&);
ExitCode command_inspect(const ModelOptions&);
ExitCode command_config(const ConfigOptions&);
ExitCode command_isa(const CommonOptions&);
ExitCode command_cache(const CacheOptions&);

}  // namespace cppgen
