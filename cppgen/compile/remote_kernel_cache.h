#pragma once
#include <optional>
#include <string>

#include "cppgen/compile/kernel_key.h"
#include "cppgen/support/remote_store.h"

namespace cppgen {

// Compiled kernels by key on a server that machines share (REMOTE_CACHE). An entry has the format of those on disk
// (cache_entry.h) and is verified like them: one that is damaged, or belongs to another key, counts as absent. This
// protects from accidents, not from whoever controls the server.
class RemoteKernelCache {
 public:
  RemoteKernelCache(RemoteAddress address, bool background_writes) : store_(std::move(address), background_writes) {}

  std::optional<std::string> find(const KernelKey&);  // an ELF image
  void store(const KernelKey&, const std::string& job_name, const std::string& image);
  void flush() { store_.flush(); }  // see RemoteStore

 private:
  RemoteStore store_;
};

}  // namespace cppgen
