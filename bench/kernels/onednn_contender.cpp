#include <omp.h>

#include "bench/kernels/contenders.h"
#include "bench/kernels/limits.h"
#include "cppgen/baseline/onednn_plugin.h"
#include "runtime/contraction/onednn_versions.h"

namespace cppgen::bench {
namespace {

using dnnl::memory;
using rt::onednn::primitive_desc;
using tag = memory::format_tag;
constexpr auto kFloat = memory::data_type::f32;

// A primitive with the descriptions of its operands; the primitive chooses that of the weights.
struct Form {
  dnnl::primitive primitive;
  std::string name;
  memory::desc source, plain_weights, weights, result;
};

Form matmul_form(const dnnl::engine& engine, const ContractionCase& c) {
  const memory::desc source({c.m, c.k}, kFloat, tag::ab), result({c.m, c.n}, kFloat, tag::ab);
  const auto pd = primitive_desc<dnnl::matmul>(engine, {}, source, memory::desc({c.k, c.n}, kFloat, tag::any), result);
  return {dnnl::matmul(pd),
          "matmul " + std::string(pd.impl_info_str()),
          source,
          memory::desc({c.k, c.n}, kFloat, tag::ab),
          pd.weights_desc(),
          result};
}

Form inner_product_form(const dnnl::engine& engine, const ContractionCase& c) {
  using Forward = dnnl::inner_product_forward;
  const memory::desc source({c.m, c.k}, kFloat, tag::ab), result({c.m, c.n}, kFloat, tag::ab);
  const auto pd = primitive_desc<Forward>(engine, {}, dnnl::prop_kind::forward_inference, source,
                                          memory::desc({c.n, c.k}, kFloat, tag::any), result);
  return {Forward(pd),
          "inner product " + std::string(pd.impl_info_str()),
          source,
          memory::desc({c.n, c.k}, kFloat, tag::ba),
          pd.weights_desc(),
          result};
}

Form convolution_form(const dnnl::engine& engine, const ContractionCase& c) {
  using Forward = dnnl::convolution_forward;
  const memory::dims dims = c.groups == 1
                                ? memory::dims{c.out, c.in, c.kernel, c.kernel}
                                : memory::dims{c.groups, c.out / c.groups, c.in / c.groups, c.kernel, c.kernel};
  const memory::dims strides{c.stride, c.stride}, pads{c.pad(), c.pad()};
  // "Same" padding of an even size with a stride leaves the last row or column out.
  const int64_t end = (c.out_size() - 1) * c.stride + c.kernel - c.size - c.pad();
  const memory::dims pads_end{end, end};
  const memory::desc source({1, c.in, c.size, c.size}, kFloat, tag::nhwc);
  const memory::desc result({1, c.out, c.out_size(), c.out_size()}, kFloat, tag::nhwc);
  const auto pd =
      primitive_desc<Forward>(engine, {}, dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                              source, memory::desc(dims, kFloat, tag::any), result, strides, pads, pads_end);
  return {Forward(pd),
          "convolution " + std::string(pd.impl_info_str()),
          source,
          memory::desc(dims, kFloat, c.groups == 1 ? tag::abcd : tag::abcde),
          pd.weights_desc(),
          result};
}

class OnednnContender : public Contender {
 public:
  OnednnContender(dnnl::engine engine, Form form, const Operands& operands, int threads)
      : threads_(threads),
        stream_(engine),
        form_(std::move(form)),
        source_(form_.source, engine),
        weights_(form_.weights, engine),
        result_(form_.result, engine) {
    std::copy(operands.left.begin(), operands.left.end(), static_cast<float*>(source_.get_data_handle()));
    memory plain(form_.plain_weights, engine, const_cast<float*>(operands.weights.data()));
    dnnl::reorder(plain, weights_).execute(stream_, plain, weights_);
    stream_.wait();
  }

  double run() override {
    omp_set_num_threads(threads_);
    const double start = now();
    form_.primitive.execute(stream_, {{DNNL_ARG_SRC, source_}, {DNNL_ARG_WEIGHTS, weights_}, {DNNL_ARG_DST, result_}});
    stream_.wait();
    return now() - start;
  }

  void rest() override { baseline::end_openmp_threads(); }
  const float* result() const override { return static_cast<const float*>(result_.get_data_handle()); }
  std::string implementation() const override { return form_.name; }

 private:
  int threads_;
  dnnl::stream stream_;
  Form form_;
  memory source_, weights_, result_;
};

// A product is both a matmul and an inner product; which one is faster depends on the shape, so the faster one counts.
std::unique_ptr<Contender> faster(std::unique_ptr<Contender> a, std::unique_ptr<Contender> b) {
  constexpr TurnOptions kTrial{0.1, 10, 5};
  const std::vector<Samples> samples = time_in_turns({a.get(), b.get()}, kTrial);
  return samples[0].median() <= samples[1].median() ? std::move(a) : std::move(b);
}

std::unique_ptr<Contender> make(const ContractionCase& c, const Operands& operands, int threads) {
  omp_set_num_threads(threads);  // primitives divide their work when they are created
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const auto contender = [&](Form form) {
    return std::make_unique<OnednnContender>(engine, std::move(form), operands, threads);
  };
  if (!c.gemm) return contender(convolution_form(engine, c));
  return faster(contender(matmul_form(engine, c)), contender(inner_product_form(engine, c)));
}

}  // namespace

ContenderKind onednn_contender() { return {"oneDNN", make}; }

}  // namespace cppgen::bench
