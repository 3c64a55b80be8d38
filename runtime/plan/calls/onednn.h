#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace cppgen::rt {

// Contractions through oneDNN as a library step named "onednn.contraction". Everything is float32. Its buffers are
//   inputs: activations, weights, then bias [columns] with `bias`, then an addend of the output's layout with `add`
//   output: max(0, contraction + bias + addend), the maximum only with `relu`.
// The step is cut into chunks by shape alone; each chunk is one call of a primitive on one thread. Constant weights
// are reordered once per session into the format that oneDNN prefers. oneDNN allocates a little in every call, so runs
// with such steps are not free of allocations.
inline constexpr std::string_view kOneDnnContraction = "onednn.contraction";

enum class OneDnnKind : int64_t { convolution, matmul };

// Convolution over 1 to 3 spatial dimensions: activations and output are dense and channels-last, [n][spatial...][c];
// weights are a dense constant [groups][oc / groups][ic / groups][kernel...].
template <class Int>
struct OneDnnConvolution {
  static constexpr int64_t kMost = (int64_t(1) << 31) - 1;  // products of two stay within 64 bits

  struct Spatial {
    Int in = 0, out = 0, kernel = 0, stride = 0, dilation = 0, pad_begin = 0, pad_end = 0;

    template <class V>
    void fields(V& v) {
      v.size("extent of the input", in, kMost), v.size("extent of the output", out, kMost);
      v.size("kernel", kernel, kMost), v.size("stride", stride, kMost), v.size("dilation", dilation, kMost);
      v.size("padding in front", pad_begin, kMost), v.size("padding behind", pad_end, kMost);
    }
  };

  Int n = 0, groups = 0, ic = 0, oc = 0;
  std::vector<Spatial> spatial{};

  template <class V>
  void fields(V& v) {
    v.size("images", n, kMost), v.size("groups", groups, kMost), v.size("input channels", ic, kMost);
    v.size("output channels", oc, kMost), v.records("spatial dimensions", spatial, 3);
  }
};

// out[b0, b1, m, n] = sum over k of a[b0, b1, m, k] * b[b0, b1, k, n]. Strides are in elements and at least 0; those of
// k and m in `a` and of k and n in `b` are positive, and `out` has column stride 1. A batch stride of 0 repeats. A
// constant `b` without batches (both strides 0) is reordered.
template <class Int>
struct OneDnnMatmul {
  static constexpr int64_t kMost = (int64_t(1) << 48) - 1;

  Int batch0 = 0, batch1 = 0, m = 0, n = 0, k = 0;
  Int a_batch0 = 0, a_batch1 = 0, a_m = 0, a_k = 0;
  Int b_batch0 = 0, b_batch1 = 0, b_k = 0, b_n = 0;
  Int out_batch0 = 0, out_batch1 = 0, out_m = 0;

  template <class V>
  void fields(V& v) {
    v.size("batches", batch0, kMost), v.size("inner batches", batch1, kMost);
    v.size("rows", m, kMost), v.size("columns", n, kMost), v.size("k", k, kMost);
    v.size("batch stride of a", a_batch0, kMost), v.size("inner batch stride of a", a_batch1, kMost);
    v.size("row stride of a", a_m, kMost), v.size("k stride of a", a_k, kMost);
    v.size("batch stride of b", b_batch0, kMost), v.size("inner batch stride of b", b_batch1, kMost);
    v.size("k stride of b", b_k, kMost), v.size("column stride of b", b_n, kMost);
    v.size("batch stride of the output", out_batch0, kMost),
        v.size("inner batch stride of the output", out_batch1, kMost);
    v.size("row stride of the output", out_m, kMost);
  }
};

// The parameters of one of the two.
template <class Int>
struct OneDnnCall {
  OneDnnKind kind = OneDnnKind::convolution;
  bool bias = false, relu = false, add = false;
  OneDnnConvolution<Int> convolution{};
  OneDnnMatmul<Int> matmul{};

  template <class V>
  void fields(V& v) {
    v.choice("kind", kind, OneDnnKind::matmul), v.value("bias", bias), v.value("relu", relu), v.value("add", add);
    kind == OneDnnKind::convolution ? convolution.fields(v) : matmul.fields(v);
  }
};

}  // namespace cppgen::rt
