#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cppgen/ir/program/program.h"

namespace cppgen::ir {

// The definition of the IR: runs a program without optimisations, on logical row-major tensors.
//
// Pointwise operations are done in the value's type; float transcendentals through double, rounded once; float sums and
// products of reductions are accumulated in double and rounded once; integers are exact and wrap. It is single
// threaded, and evaluates innermost loops in strips, so a multiply-add costs about 3 ns or less.

struct HostTensor {
  DType type = DType::f32;
  std::vector<int64_t> dims;
  std::vector<std::byte> bytes;  // row-major, size_of(type) x elements

  int64_t elements() const;
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(bytes.data());
  }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(bytes.data());
  }
};

// inputs, params (evaluated), numbers -> outputs, whose dims and type are set on entry. A dimension that depends on the
// result is a symbol without another source: its entry is -1 and there are no bytes; the function sets both, and the
// symbol has that value from then on.
using LibraryFunction =
    std::function<void(const std::vector<const HostTensor*>& inputs, const std::vector<int64_t>& params,
                       const std::vector<double>& numbers, std::vector<HostTensor*>& outputs)>;
using LibraryTable = std::map<std::string, LibraryFunction>;

// Values of dimension symbols by name.
using SymbolValues = std::map<std::string, int64_t>;

// Returns the outputs in the program's order. UserError: an input of a wrong type or shape (a constant dimension
// differs, or two uses of a symbol disagree; symbols not in `symbols` are taken from input shapes), an index out of
// range (naming the origin node), a missing library function, tensors that together require more than `max_bytes`.
std::vector<HostTensor> interpret(const Program&, const std::vector<HostTensor>& inputs,
                                  const SymbolValues& symbols = {}, const LibraryTable& library = {},
                                  int64_t max_bytes = kUnbounded);

// Runs a program over IndexExpr values instead of numbers, for shape arithmetic: inputs are given as one IndexExpr per
// element (int64, int32 or bool tensors), constants are read, and the result is one IndexExpr per element of each
// output, or nullopt if anything cannot be expressed (floats, undecidable comparisons, library calls, more than
// `max_elements` elements in a tensor). An input whose elements are not known is given as an empty list.
using SymbolicTensor = std::vector<IndexExpr>;
std::optional<std::vector<SymbolicTensor>> interpret_symbolic(const Program&, const std::vector<SymbolicTensor>& inputs,
                                                              int64_t max_elements = 1024);

}  // namespace cppgen::ir
