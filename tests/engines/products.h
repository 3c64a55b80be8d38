// A graph of many contractions of different sizes, each with an output of its own.
#pragma once
#include <functional>

#include "tests/passes/graph_maker.h"

namespace cppgen::engines {

struct MatMulSize {
  int64_t rows, columns, k;
};
// A square image and window, padded by `pad`.
struct ConvSize {
  int64_t channels, filters, image, window, pad, stride = 1;
};

struct Products {
  std::vector<MatMulSize> matmuls;
  std::vector<ConvSize> convs;
  DType type = DType::f32;
  bool constant_right = true;
};

// The change of each number; the numbers themselves are in [-1, 1] and the same each time.
using Change = std::function<float(float)>;

Graph graph_of(const Products&, const Change&);
std::vector<ir::HostTensor> inputs_of(const Products&, const Change&);

// The outputs that the interpreter gives for changed numbers.
std::vector<ir::HostTensor> interpreted(const Products&, const Change&);
// Returns, for each element of the outputs, the sum of the magnitudes of its terms.
std::vector<ir::HostTensor> magnitudes(const Products&);

float value(const ir::HostTensor&, int64_t i);

// The largest |got - want| / magnitude, over all outputs.
double largest_error(const std::vector<ir::HostTensor>& got, const std::vector<ir::HostTensor>& want,
                     const std::vector<ir::HostTensor>& magnitude);
// The root of the mean square of the same.
double mean_error(const std::vector<ir::HostTensor>& got, const std::vector<ir::HostTensor>& want,
                  const std::vector<ir::HostTensor>& magnitude);

}  // namespace cppgen::engines
