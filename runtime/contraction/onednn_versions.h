#pragma once
#include <dnnl_version.h>

#include <dnnl.hpp>
#include <tuple>

// oneDNN 2 and oneDNN 3 compute the same, under different names and with arguments in a different order. Everything
// that depends on the version is here.
namespace cppgen::rt::onednn {

using Desc = dnnl::memory::desc;

// An argument of a primitive that oneDNN 3 requires: the description of a result. oneDNN 2 derives it from the operand.
struct Result {
  const Desc& desc;
};

#if DNNL_VERSION_MAJOR >= 3

using Pooling = dnnl::pooling_forward;
using Softmax = dnnl::softmax_forward;

inline dnnl::memory::dims dims_of(const Desc& desc) { return desc.get_dims(); }
inline dnnl::memory::data_type data_type_of(const Desc& desc) { return desc.get_data_type(); }
// Plain: strides alone describe it.
inline bool is_plain(const Desc& desc) {
  return desc.get_format_kind() == dnnl::memory::format_kind::blocked && desc.get_inner_nblks() == 0;
}
inline dnnl::memory::dims strides_of(const Desc& plain) { return plain.get_strides(); }

inline void append_eltwise(dnnl::post_ops& post, dnnl::algorithm algorithm, float alpha, float beta) {
  post.append_eltwise(algorithm, alpha, beta);
}

inline std::tuple<const Desc&> argument(const Result& result) { return {result.desc}; }

template <class Primitive, class... Arguments>
auto create(const dnnl::engine& engine, const dnnl::primitive_attr& attributes, const Arguments&... arguments) {
  return typename Primitive::primitive_desc(engine, arguments..., attributes);
}

inline dnnl::concat::primitive_desc concat(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                           const Desc& result, int axis, const std::vector<Desc>& operands) {
  return {engine, result, axis, operands, attributes};
}

#else

using Pooling = dnnl::pooling_v2_forward;
using Softmax = dnnl::softmax_v2_forward;

inline dnnl::memory::dims dims_of(const Desc& desc) { return desc.dims(); }
inline dnnl::memory::data_type data_type_of(const Desc& desc) { return desc.data_type(); }
inline bool is_plain(const Desc& desc) {
  return desc.data.format_kind == dnnl_blocked && desc.data.format_desc.blocking.inner_nblks == 0;
}
inline dnnl::memory::dims strides_of(const Desc& plain) {
  const auto& strides = plain.data.format_desc.blocking.strides;
  return {strides, strides + plain.data.ndims};
}

inline void append_eltwise(dnnl::post_ops& post, dnnl::algorithm algorithm, float alpha, float beta) {
  post.append_eltwise(1.0f, algorithm, alpha, beta);
}

inline std::tuple<> argument(const Result&) { return {}; }

template <class Primitive, class... Arguments>
auto create(const dnnl::engine& engine, const dnnl::primitive_attr& attributes, const Arguments&... arguments) {
  return typename Primitive::primitive_desc(typename Primitive::desc(arguments...), attributes, engine);
}

inline dnnl::concat::primitive_desc concat(const dnnl::engine& engine, const dnnl::primitive_attr& attributes,
                                           const Desc& result, int axis, const std::vector<Desc>& operands) {
  return {result, axis, operands, engine, attributes};
}

#endif

template <class T>
std::tuple<const T&> argument(const T& value) {
  return {value};
}

// The description of a primitive, of its arguments in the order of oneDNN 3. Throws dnnl::error if there is no such
// primitive.
template <class Primitive, class... Arguments>
auto primitive_desc(const dnnl::engine& engine, const dnnl::primitive_attr& attributes, const Arguments&... arguments) {
  return std::apply([&](const auto&... all) { return create<Primitive>(engine, attributes, all...); },
                    std::tuple_cat(argument(arguments)...));
}

}  // namespace cppgen::rt::onednn
