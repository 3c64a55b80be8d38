#pragma once
#include <mutex>
#include <optional>
#include <string>

#include "cppgen/onnxruntime/host_threads.h"
#include "cppgen/onnxruntime/provider_options.h"
#include "cppgen_compiler.hpp"

namespace cppgen::ep {

// The options of cppgen's sessions in one session of ONNX Runtime, which share threads.
class RunOptions {
 public:
  // cppgen::Error for a setting that is unknown, or a value that is not allowed.
  explicit RunOptions(const ProviderOptions& options);
  RunOptions(const RunOptions&) = delete;

  const Options& get() const { return options_; }
  // Returns options for sessions whose runs are on the calling thread alone.
  const Options& alone() const { return alone_; }
  // Returns options for sessions whose runs have so many threads of cppgen's own, which all share.
  Options with_threads(int count) const;
  // ONNX Runtime's threads, in which runs then have to be; null if there are threads of our own, because the session or
  // the environment says how many.
  HostThreads* host_threads() const { return host_threads_.get(); }

 private:
  std::string affinity_, custom_operators_, settings_;  // options_ refers to them
  Options options_, alone_;
  std::unique_ptr<HostThreads> host_threads_;
  std::optional<Pool> pool_;
  mutable std::once_flag own_once_;  // of the next one
  mutable std::optional<Pool> own_pool_;
};

}  // namespace cppgen::ep
