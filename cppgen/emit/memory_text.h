#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cppgen/emit/size_text.h"
#include "runtime/plan/plan.h"

namespace cppgen::emit {

// States where the temporaries of a plan are: in one arena, at offsets that are known, or that are computed with the
// sizes.
struct MemoryText {
  std::vector<std::string> offsets;  // per buffer; empty for those outside the arena
  std::string arena_bytes;
};

// For sizes that are known, the places are those of a session. Otherwise buffers that never live at the same time share
// blocks, each as large as the largest of them.
MemoryText place_buffers(const rt::Plan&, SizeTable&);

}  // namespace cppgen::emit
