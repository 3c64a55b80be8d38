#pragma once
#include <string>
#include <vector>

#include "cppgen/ir/program/program.h"

namespace cppgen::ir {

struct Stored {
  BufferId buffer;
  std::string node;  // of the model, whose statement stores the buffer first; "" if it names none
};

// The buffers that statements store, in the order in which they are stored first.
std::vector<Stored> stored_buffers(const Program&);

// The node of this buffer; "" if no statement stores it.
std::string node_that_stores(const Program&, BufferId);

}  // namespace cppgen::ir
