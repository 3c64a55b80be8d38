#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cppgen {

// The dynamic symbols of a shared object, sorted and without repetition.
struct SharedObjectSymbols {
  std::vector<std::string> defined;
  std::vector<std::string> undefined;
};

// Reads a 64-bit ELF shared object of this machine. Every offset is checked against the size, so arbitrary bytes may be
// passed. Returns nullopt, with the reason in `why`, if it is something else or damaged.
std::optional<SharedObjectSymbols> read_shared_object(std::string_view bytes, std::string& why);

}  // namespace cppgen
