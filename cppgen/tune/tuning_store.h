#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cppgen/support/remote_store.h"
#include "cppgen/tune/tuner.h"

namespace cppgen::tune {

// Keeps the results of the tuning of one model: in the file of all results on this machine, and one entry of the remote
// cache, which machines share.
class TuningStore {
 public:
  TuningStore(const TuneRequest&, const TuningPlace&);

  // Identifies the tuning: what is measured, where, and with which candidates.
  const std::string& key() const { return key_; }

  // Returns whether the results of such a tuning hold, which the report then states.
  bool find(TuneReport&) const;

  void require_writable() const;  // UserError
  // The results of all tunings in this place.
  ResultsBySite in_use() const { return results_in_use(file_, place_); }
  void add(const std::vector<TuningResult>& results) const { append_tuning_results(file_, place_, results); }
  void share(const std::vector<TuningResult>&) const;

 private:
  const TuningPlace& place_;
  const std::string file_, key_;
  const std::unique_ptr<RemoteStore> remote_;  // null: not used

  std::string remote_key() const { return "cppgen/tuning/" + key_; }
  bool fetch() const;
  bool look_up(TuneReport&) const;
};

}  // namespace cppgen::tune
