#include <algorithm>
#include <chrono>
#include <thread>

#include "bench/kernels/contenders.h"
#include "bench/kernels/limits.h"
#include "bench/kernels/model_builder.h"
#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/schedule/engines/engine_list.h"
#include "runtime/base/settings.h"
#include "runtime/session/session.h"

namespace cppgen::bench {
namespace {

void build_gemm(ModelBuilder& model, const ContractionCase& c, const Operands& operands) {
  const std::string left = model.input("left", {c.m, c.k});
  model.output(model.node("MatMul", {left, model.numbers({c.k, c.n}, operands.weights)}), {c.m, c.n});
}

// Images are channels-last outside, too: the schedule keeps them so, and nothing is converted.
void build_convolution(ModelBuilder& model, const ContractionCase& c, const Operands& operands) {
  const std::string image = model.input("image", {1, c.size, c.size, c.in});
  const std::string first = model.node("Transpose", {image}, {{"perm", {0, 3, 1, 2}}});
  const std::string weights = model.numbers({c.out, c.in / c.groups, c.kernel, c.kernel}, operands.weights);
  const std::string result = model.node("Conv", {first, weights},
                                        {{"pads", {c.pad(), c.pad(), c.pad(), c.pad()}},
                                         {"strides", {c.stride, c.stride}},
                                         {"kernel_shape", {c.kernel, c.kernel}},
                                         {"group", {c.groups}}});
  model.output(model.node("Transpose", {result}, {{"perm", {0, 2, 3, 1}}}), {1, c.out_size(), c.out_size(), c.out});
}

class CompiledContender : public Contender {
 public:
  CompiledContender(const CompileRequest& request, const Operands& operands, int threads)
      : model_(compile_model(request)) {
    rt::SessionOptions options = rt::SessionOptions::from(request.settings);
    options.threads = threads;
    session_ = std::make_unique<rt::Session>(rt::Executable::load(model_.package, {model_.trusted}), options);
    std::vector<int64_t> dims;
    for (const rt::DimExpr& d : session_->plan().inputs.at(0).dims) dims.push_back(rt::evaluate(d, {}));
    input_ = rt::Tensor(DType::f32, dims);
    std::copy(operands.left.begin(), operands.left.end(), input_.as<float>());
    output_ = rt::Tensor(DType::f32, session_->output_dims(std::vector{input_.view()}).at(0));
  }

  double run() override {
    const rt::TensorView in = input_.view();
    const rt::OutputView out = output_.output();
    const double start = now();
    session_->run({&in, 1}, {&out, 1});
    return now() - start;
  }

  // Helpers stay hot for SPIN_MICROSECONDS, then oneTBB's own threads look for work for a while.
  void rest() override { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }
  const float* result() const override { return output_.as<float>(); }

  bool runs_on(const std::string& engine) const {
    const auto& steps = session_->plan().steps;
    return std::any_of(steps.begin(), steps.end(), [&](const rt::Step& s) { return s.engine == engine; });
  }

  std::string implementation() const override {
    std::string text;
    for (const rt::Step& step : session_->plan().steps) text += (text.empty() ? "" : "+") + step.engine;
    return text;
  }

 private:
  CompiledModel model_;
  std::unique_ptr<rt::Session> session_;
  rt::Tensor input_, output_;
};

CompileRequest request_of(const std::string& folder, const std::string& model, const std::string& backend) {
  CompileRequest request;
  request.model = folder + "/" + model + ".onnx";
  request.settings = Settings::from_environment();
  request.settings.set("CACHE_DIR", folder + "/cache");
  request.settings.set("MAX_AUTOTUNE_CONV_BACKENDS", backend);
  // By default, all engines for products are listed; others are for convolutions only.
  const std::vector<std::string> products = Settings().max_autotune_gemm_backends;
  if (std::find(products.begin(), products.end(), backend) != products.end())
    request.settings.set("MAX_AUTOTUNE_GEMM_BACKENDS", backend);
  return request;
}

std::unique_ptr<CompiledContender> make_compiled(const std::string& folder, const std::string& backend,
                                                 const ContractionCase& c, const Operands& operands, int threads) {
  ModelBuilder model("contraction");
  if (c.gemm)
    build_gemm(model, c, operands);
  else
    build_convolution(model, c, operands);
  const CompileRequest request = request_of(folder, "contraction", backend);
  model.write(request.model);
  return std::make_unique<CompiledContender>(request, operands, threads);
}

}  // namespace

static bool backend_is_known(const std::vector<ContenderKind>& kinds, const std::string& backend) {
  return std::any_of(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.name == "cppgen:" + backend; });
}

std::string cppgen_isa(const std::string& folder) {
  const CompileRequest request = request_of(folder, "contraction", "CPP");
  return std::string(IsaChoice(request.settings, compile_options(request)).settled().name);
}

std::vector<ContenderKind> cppgen_contenders(const std::string& folder) {
  std::vector<ContenderKind> kinds;
  for (const schedule::Engine& engine : schedule::engine_list()) {
    if (engine.backend.empty() || backend_is_known(kinds, engine.backend)) continue;
    const bool first = kinds.empty();
    kinds.push_back({"cppgen:" + engine.backend,
                     [=](const auto& c, const auto& operands, int threads) -> std::unique_ptr<Contender> {
                       auto made = make_compiled(folder, engine.backend, c, operands, threads);
                       // Contractions that an engine refuses run as loops; one contender that shows them is enough.
                       return first || made->runs_on(engine.name) ? std::move(made) : nullptr;
                     }});
  }
  return kinds;
}

}  // namespace cppgen::bench
