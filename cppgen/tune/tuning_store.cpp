#include "cppgen/tune/tuning_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "cppgen/flow/compile/model_source.h"
#include "cppgen/support/hashing.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen::tune {
namespace {

std::string tuning_key(const TuneRequest& tune, const TuningPlace& place) {
  const CompileRequest& request = tune.compile;
  Hasher hasher;
  const Settings& s = request.settings;
  hasher.field("model", model_sha256(request)).field("settings", s.key_text());
  for (const DimOption& d : request.dims)
    hasher.field("dim", fmt::format("{}|{}|{}|{}", d.input, d.axis, d.symbol, d.size.value_or(-1)));
  for (const std::string& dim : tune.run_dims) hasher.field("run dim", dim);
  hasher.field("deterministic", int64_t(s.deterministic));
  hasher.field("cpu", place.cpu).field("isa", place.isa).field("threads", int64_t(place.threads));
  hasher.field("compiler", place.compiler).field("version", place.version);
  hasher.field("kinds", int64_t(s.max_autotune_gemm) * 2 + int64_t(s.max_autotune_pointwise));
  hasher.field("space", s.max_autotune_gemm_search_space).field("fusion", int64_t(s.benchmark_fusion));
  hasher.field("candidates", s.disable_profiler_codegen ? 0 : s.autotune_max_candidates);
  hasher.field("descent", int64_t(s.coordinate_descent_tuning));
  hasher.field("radius", s.coordinate_descent_radius);
  hasher.field("directions", int64_t(s.coordinate_descent_check_all_directions));
  return "model-" + hasher.hex().substr(0, 32);
}

std::unique_ptr<RemoteStore> remote_store(const Settings& s) {
  const auto address = parse_remote_address(s.remote_cache);
  if (!address || !s.autotune_remote_cache.value_or(true) || s.force_disable_caches) return nullptr;
  return std::make_unique<RemoteStore>(*address, s.non_blocking_remote_cache_write);
}

}  // namespace

TuningStore::TuningStore(const TuneRequest& request, const TuningPlace& place)
    : place_(place),
      file_(tuning_file(request.compile.settings)),
      key_(tuning_key(request, place)),
      remote_(remote_store(request.compile.settings)) {}

bool TuningStore::find(TuneReport& report) const { return look_up(report) || (fetch() && look_up(report)); }

bool TuningStore::fetch() const {
  const auto lines = remote_ ? remote_->get(remote_key()) : std::nullopt;
  if (!lines) return false;
  try {
    merge_tuning_results(file_, *lines, "REMOTE_CACHE " + remote_key());
  } catch (const UserError& error) {
    log_warning("{}; it is ignored", error.what());
    return false;
  }
  return true;
}

bool TuningStore::look_up(TuneReport& report) const {
  const std::vector<TuningResult> hold = results_that_hold(read_tuning_results(file_, place_));
  for (const TuningResult& r : hold)
    if (r.site == key_)
      report.known = true, report.usual_ms = r.usual_us / 1e3, report.ms = r.best_us / 1e3,
      report.under_load = r.under_load;
  report.kept = report.known && report.ms < report.usual_ms;
  if (!report.kept) return report.known;
  // Another tuning may have refuted all of its choices since.
  return report.known = report.kept = std::any_of(
             hold.begin(), hold.end(), [&](const TuningResult& r) { return r.by == key_ && r.site != key_; });
}

void TuningStore::require_writable() const { append_tuning_lines(file_, ""); }

void TuningStore::share(const std::vector<TuningResult>& results) const {
  if (!remote_) return;
  remote_->set(remote_key(), tuning_lines(place_, results));
  remote_->flush();
}

}  // namespace cppgen::tune
