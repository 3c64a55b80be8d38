#include "runtime/plan/calls/onednn.h"

#include <omp.h>

#include <algorithm>

#include "runtime/base/errors.h"
#include "runtime/contraction/onednn_versions.h"
#include "runtime/onednn/onednn_task.h"
#include "runtime/plugins/plugin.h"

namespace cppgen::rt {

using dnnl::memory;

SingleOpenMpThread::SingleOpenMpThread() : old_(omp_get_max_threads()) { omp_set_num_threads(1); }
SingleOpenMpThread::~SingleOpenMpThread() { omp_set_num_threads(old_); }

void onednn_require(bool ok, const char* what) {
  if (!ok) user_error("plan: {}: {}", kOneDnnContraction, what);
}

dnnl::primitive_attr onednn_attributes(const OneDnnArguments& arguments, const memory::desc& output) {
  dnnl::post_ops post;
  if (arguments.add) post.append_binary(dnnl::algorithm::binary_add, output);
  if (arguments.relu) onednn::append_eltwise(post, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(post);
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

const memory* OneDnnWeights::get(const float* data, const memory::desc& plain, const memory::desc& wanted) {
  for (const Entry& entry : entries_)
    if (entry.data == data && entry.plain == plain && entry.wanted == wanted) return &entry.memory;
  memory source(plain, engine_, const_cast<float*>(data));
  if (plain == wanted) {
    entries_.push_back({data, plain, wanted, source});
  } else {
    memory reordered(wanted, engine_);
    dnnl::stream stream(engine_);
    dnnl::reorder(source, reordered).execute(stream, source, reordered);
    stream.wait();
    entries_.push_back({data, plain, wanted, reordered});
  }
  return &entries_.back().memory;
}

OneDnnTask::OneDnnTask(dnnl::engine engine, OneDnnArguments arguments, std::vector<OneDnnPrimitive> primitives,
                       std::vector<OneDnnPiece> pieces, int64_t chunks)
    : engine_(std::move(engine)),
      stream_(engine_),
      arguments_(arguments),
      primitives_(std::move(primitives)),
      pieces_(std::move(pieces)),
      chunks_(chunks) {
  for (const OneDnnPrimitive& it : primitives_)
    scratch_bytes_ = std::max(scratch_bytes_, int64_t(it.scratch.get_size()));
}

void OneDnnTask::run(std::span<void* const> buffers, int64_t chunk, char* scratch) const {
  const SingleOpenMpThread single;
  const ChunkRange range = chunk_range(int64_t(pieces_.size()), chunks_, chunk);
  try {
    for (int64_t i = range.begin; i < range.end; i++) execute(pieces_[size_t(i)], buffers, scratch);
  } catch (const dnnl::error& error) {
    internal_error("oneDNN failed to run a contraction: {}", error.what());
  }
}

void OneDnnTask::execute(const OneDnnPiece& piece, std::span<void* const> buffers, char* scratch) const {
  const OneDnnPrimitive& it = primitives_[piece.primitive];
  const auto at = [&](const memory::desc& desc, size_t buffer, int64_t offset) {
    return memory(desc, engine_, static_cast<float*>(buffers[buffer]) + offset);
  };
  std::unordered_map<int, memory> args{
      {DNNL_ARG_SRC, at(it.source, 0, piece.source)},
      {DNNL_ARG_WEIGHTS, piece.constant ? *piece.constant : at(it.weights, 1, piece.weights)},
      {DNNL_ARG_DST, at(it.output, arguments_.output_index(), piece.output)},
      {DNNL_ARG_SCRATCHPAD, memory(it.scratch, engine_, scratch)}};
  if (arguments_.bias) args.emplace(DNNL_ARG_BIAS, at(it.bias, arguments_.bias_index(), piece.bias));
  if (arguments_.add)
    args.emplace(DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1,
                 at(it.output, arguments_.add_index(), piece.output));
  it.primitive.execute(stream_, args);
  stream_.wait();
}

namespace {

class OneDnnContraction : public LibraryOperator {
 public:
  explicit OneDnnContraction(const float* weights)
      : engine_(dnnl::engine::kind::cpu, 0), weights_(engine_), constant_(weights) {}

  std::shared_ptr<const LibraryTask> bind(const BoundCall& call) override {
    const auto fields = read_call<OneDnnCall<int64_t>>(kOneDnnContraction, call);
    const SingleOpenMpThread single;
    try {
      return fields.kind == OneDnnKind::convolution
                 ? bind_onednn_convolution(engine_, weights_, constant_, fields, call)
                 : bind_onednn_matmul(engine_, weights_, constant_, fields, call);
    } catch (const dnnl::error& error) {
      user_error("oneDNN does not support a contraction: {}", error.what());
    }
  }

 private:
  dnnl::engine engine_;
  OneDnnWeights weights_;
  const float* constant_;
};

std::unique_ptr<LibraryOperator> create_contraction(const LibraryCall& call) {
  onednn_require(call.input_count >= 2 && call.input_count <= 4 && call.output_count == 1, "wrong number of buffers");
  return std::make_unique<OneDnnContraction>(static_cast<const float*>(call.constants[1]));
}

constexpr LibraryFunction kFunctions[] = {{kOneDnnContraction, create_contraction}};

}  // namespace

}  // namespace cppgen::rt

extern "C" __attribute__((visibility("default")))
const cppgen::rt::LibraryPlugin cppgen_plugin{cppgen::rt::kPluginBuild.data(), cppgen::rt::kFunctions, nullptr};
