#include "cppgen/baseline/primitives.h"

namespace cppgen::baseline {
namespace {

class Collector {
 public:
  Collector(Builder& b, const Unit& unit, const Desc& dst) : b_(b), unit_(unit), dst_(dst) {}

  PostOps collect(size_t begin, const OwnPostOps& own) {
    scale(own.before);
    if (own.addend != kNoValue)
      append(dnnl::algorithm::binary_add, own.addend, b_.dims(b_.node(unit_.nodes[0]).outputs[0]));
    scale(own.after);
    for (size_t i = begin; i < unit_.nodes.size(); i++) append(i);
    result_.attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    result_.attributes.set_post_ops(post_);
    return std::move(result_);
  }

 private:
  void scale(float factor) {
    if (factor != 1) append({dnnl::algorithm::eltwise_linear, factor});
  }

  void append(const Eltwise& e) {
    for (const Eltwise& other : functions_)
      if (confuses(e, other)) throw Refusal{"two sets of parameters for one function"};
    functions_.push_back(e);
    onednn::append_eltwise(post_, e.algorithm, e.alpha, e.beta);
  }

  void append(size_t i) {
    const Node& node = b_.node(unit_.nodes[i]);
    if (node.op == "Reshape") return;
    if (const auto eltwise = eltwise_of(b_.graph(), node)) return append(*eltwise);
    const ValueId before = b_.node(unit_.nodes[i - 1]).outputs[0];
    append(*binary_of(b_.graph(), node), node.inputs[node.inputs[0] == before ? 1 : 0], b_.dims(before));
  }

  void append(dnnl::algorithm algorithm, ValueId other, const Dims& shape) {
    const auto dims = broadcast_dims(b_.dims(other), shape, dims_of(dst_));
    if (!dims) throw Refusal{"broadcasting"};
    Operand operand = b_.viewed(b_.plain(b_.get(other)), *dims);
    const bool full = *dims == dims_of(dst_);
    if (full && algorithm == dnnl::algorithm::binary_add && add_in_place(other, operand)) return;
    operand = b_.laid_out(operand, full ? dst_ : row_major(*dims));
    result_.arguments.emplace_back(DNNL_ARG_ATTR_MULTIPLE_POST_OP(post_.len()) | DNNL_ARG_SRC_1, operand);
    post_.append_binary(algorithm, operand.desc);
  }

  bool add_in_place(ValueId other, const Operand& operand) {
    if (result_.in_place || !same_layout(operand.desc, dst_)) return false;
    auto taken = b_.take_over(other, operand);
    if (!taken) return false;
    taken->desc = dst_;
    result_.in_place = taken;
    post_.append_sum(1.0f);
    return true;
  }

  Builder& b_;
  const Unit& unit_;
  const Desc& dst_;
  dnnl::post_ops post_;
  std::vector<Eltwise> functions_;
  PostOps result_;
};

}  // namespace

PostOps post_ops_of(Builder& b, const Unit& unit, const Desc& dst, size_t begin, const OwnPostOps& own) {
  return Collector(b, unit, dst).collect(begin, own);
}

Operand vector_operand(Builder& b, ValueId v, int64_t channels) {
  const Operand operand = b.get(v);
  if (element_count(dims_of(operand.desc)) != channels) throw Refusal{"parameters that broadcast"};
  return b.laid_out(b.viewed(b.plain(operand), {channels}), row_major({channels}));
}

}  // namespace cppgen::baseline
