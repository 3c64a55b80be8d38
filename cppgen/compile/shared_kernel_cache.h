#pragma once
#include <optional>
#include <string>

#include "cppgen/compile/kernel_cache.h"

namespace cppgen {

// A directory in the layout of KernelCache that is only read, such as one that several users share. Its entries are
// verified like those of KernelCache. Nobody except its owner, who must be this user or root, may be able to change
// what is read from it, because it is machine code.
class SharedKernelCache {
 public:
  // UserError if `dir` is not a directory, belongs to somebody else, or can be written by group or others. If it does
  // not exist, there is one warning, and nothing is found.
  explicit SharedKernelCache(std::string dir);

  // The verified entry. An entry that is damaged, or that others can write, counts as absent.
  std::optional<KernelCache::Pinned> find(const KernelKey&) const;

 private:
  std::string dir_;
  bool exists_ = false;
};

}  // namespace cppgen
