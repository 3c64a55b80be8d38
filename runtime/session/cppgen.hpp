// The C API of the cppgen runtime (cppgen.h) as classes that free what they hold and throw errors. This is only a
// header, for C++17 and later: it needs nothing of the library but its C functions.
#ifndef CPPGEN_HPP
#define CPPGEN_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cppgen.h"

namespace cppgen {
inline namespace v0 {  // so that names of the library's own code are others

// Holds what a function of the C API reports.
class Error : public std::runtime_error {
 public:
  Error(cppgen_status status, const char* message) : std::runtime_error(message), status_(status) {}
  cppgen_status status() const { return status_; }

 private:
  cppgen_status status_;
};

namespace detail {

template <class Function, class... Args>
void call(Function function, Args&&... args) {
  cppgen_error error;
  const cppgen_status status = function(std::forward<Args>(args)..., &error);
  if (status != CPPGEN_OK) throw Error(status, error.message);
}

template <auto release>
struct Release {
  template <class T>
  void operator()(T* held) const {
    release(held);
  }
};
template <class T, auto release>
using Handle = std::unique_ptr<T, Release<release>>;

template <class T>
constexpr bool kNoType = false;

}  // namespace detail

// The element type of T. Types without a C++ type of their own, such as float16, are given by name: CPPGEN_FLOAT16.
template <class T>
constexpr cppgen_dtype dtype_of() {
  if constexpr (std::is_same_v<T, bool>)
    return CPPGEN_BOOL;
  else if constexpr (std::is_same_v<T, float>)
    return CPPGEN_FLOAT32;
  else if constexpr (std::is_same_v<T, double>)
    return CPPGEN_FLOAT64;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
    return sizeof(T) == 1 ? CPPGEN_INT8 : sizeof(T) == 2 ? CPPGEN_INT16 : sizeof(T) == 4 ? CPPGEN_INT32 : CPPGEN_INT64;
  else if constexpr (std::is_integral_v<T>)
    return sizeof(T) == 1   ? CPPGEN_UINT8
           : sizeof(T) == 2 ? CPPGEN_UINT16
           : sizeof(T) == 4 ? CPPGEN_UINT32
                            : CPPGEN_UINT64;
  else
    static_assert(detail::kNoType<T>, "elements of this type need the name of their cppgen_dtype");
}

// A dense, row-major tensor in memory that belongs to someone else: an input or output of a run, or part of results.
class Tensor {
 public:
  Tensor() = default;
  Tensor(cppgen_dtype type, std::vector<int64_t> dims, void* data) : type_(type), dims_(std::move(dims)), data_(data) {}
  template <class T>
  Tensor(std::vector<int64_t> dims, T* data)
      : Tensor(dtype_of<std::remove_const_t<T>>(), std::move(dims), const_cast<std::remove_const_t<T>*>(data)) {}
  explicit Tensor(const cppgen_tensor& tensor)
      : Tensor(tensor.dtype, std::vector<int64_t>(tensor.dims, tensor.dims + tensor.rank), tensor.data) {}

  cppgen_dtype type() const { return type_; }
  const std::vector<int64_t>& dims() const { return dims_; }
  int64_t elements() const {
    int64_t count = 1;
    for (const int64_t dim : dims_) count *= dim;
    return count;
  }
  void* data() const { return data_; }
  // The elements. Error if T is not their type.
  template <class T>
  T* as() const {
    if (dtype_of<std::remove_const_t<T>>() != type_) throw Error(CPPGEN_USER_ERROR, "the tensor has another type");
    return static_cast<T*>(data_);
  }
  // The element of a tensor of strings.
  const char* string(int64_t i) const {
    if (type_ != CPPGEN_STRING) throw Error(CPPGEN_USER_ERROR, "the tensor has another type");
    return static_cast<const char* const*>(data_)[i];
  }
  cppgen_tensor view() const { return {type_, dims_.size(), dims_.data(), data_}; }

 private:
  cppgen_dtype type_ = CPPGEN_FLOAT32;
  std::vector<int64_t> dims_{0};
  void* data_ = nullptr;
};

// A tensor of known element type and rank; `known`: its dimensions, -1 for those that only a run knows. T is how
// elements are stored, for inputs const.
template <cppgen_dtype type, class T, int64_t... known>
class Shaped {
 public:
  static constexpr size_t kFree = (size_t(known < 0) + ... + size_t(0));

  // Elements in memory that is large enough.
  explicit Shaped(T* data) : data_(data) { static_assert(kFree == 0, "sizes that only a run knows must be given"); }
  // All elements: another number of them is not compiled.
  template <size_t count>
  Shaped(T (&data)[count]) : data_(data) {
    static_assert(kFree == 0, "sizes that only a run knows must be given");
    static_assert(int64_t(count) == (known * ... * 1), "the array has another number of elements than the tensor");
  }
  // `sizes`: of the dimensions that are not known, in their order.
  Shaped(T* data, const std::array<int64_t, kFree>& sizes) : data_(data), sizes_(sizes) {}

  Tensor tensor() const {
    std::vector<int64_t> dims{known...};
    auto size = sizes_.begin();
    for (int64_t& dim : dims)
      if (dim < 0) dim = *size++;
    return {type, std::move(dims), const_cast<std::remove_const_t<T>*>(data_)};
  }

 private:
  T* data_;
  std::array<int64_t, kFree> sizes_{};
};

// An input of any kind, which holds a copy of what it was made of. Copies of a Value share it.
class Value {
 public:
  explicit Value(const Tensor& tensor) {
    const cppgen_tensor view = tensor.view();
    make(cppgen_value_tensor, &view);
  }
  explicit Value(const std::vector<std::string>& strings) {
    std::vector<const char*> texts;
    for (const std::string& text : strings) texts.push_back(text.c_str());
    const int64_t count = int64_t(texts.size());
    const cppgen_tensor view{CPPGEN_STRING, 1, &count, texts.data()};
    make(cppgen_value_tensor, &view);
  }
  static Value sequence(const std::vector<Value>& elements) {
    std::vector<const cppgen_value*> handles;
    for (const Value& element : elements) handles.push_back(element.get());
    Value value;
    value.make(cppgen_value_sequence, handles.data(), handles.size());
    return value;
  }
  static Value nothing() {
    Value value;
    value.make(cppgen_value_nothing);
    return value;
  }
  const cppgen_value* get() const { return handle_.get(); }

 private:
  Value() = default;
  template <class Function, class... Args>
  void make(Function function, Args... args) {
    cppgen_value* made = nullptr;
    detail::call(function, args..., &made);
    handle_.reset(made, cppgen_value_free);
  }
  std::shared_ptr<const cppgen_value> handle_;
};

// The outputs of one run.
class Results {
 public:
  explicit Results(cppgen_results* results) : handle_(results) {}

  cppgen_kind kind(size_t output) const { return described(output).first; }
  // 1, the length of a sequence, or 0 for an optional without a value.
  size_t count(size_t output) const { return described(output).second; }
  // The tensor of an output, or of an element of a sequence; valid as long as the results are.
  Tensor tensor(size_t output, size_t element = 0) const {
    cppgen_tensor found;
    detail::call(cppgen_results_tensor, handle_.get(), output, element, &found);
    return Tensor(found);
  }

 private:
  std::pair<cppgen_kind, size_t> described(size_t output) const {
    std::pair<cppgen_kind, size_t> result;
    detail::call(cppgen_results_kind, handle_.get(), output, &result.first, &result.second);
    return result;
  }
  detail::Handle<cppgen_results, cppgen_results_free> handle_;
};

// Ends runs from another thread.
class Cancel {
 public:
  Cancel() {
    cppgen_cancel* made = nullptr;
    detail::call(cppgen_cancel_create, &made);
    handle_.reset(made);
  }
  void request() { cppgen_cancel_request(handle_.get()); }
  void reset() { cppgen_cancel_reset(handle_.get()); }
  const cppgen_cancel* get() const { return handle_.get(); }

 private:
  detail::Handle<cppgen_cancel, cppgen_cancel_free> handle_;
};

// Values of the environment (CPPGEN_THREADS ...) and defaults, to be changed.
struct Options : cppgen_options {
  Options() : cppgen_options() { detail::call(cppgen_options_init, static_cast<cppgen_options*>(this)); }
};

// Threads that several sessions share; it outlives the options that name it, not necessarily the sessions.
class Pool {
 public:
  explicit Pool(const cppgen_options& options = Options()) {
    cppgen_pool* made = nullptr;
    detail::call(cppgen_pool_create, &options, &made);
    handle_.reset(made);
  }
  explicit Pool(const cppgen_executor& executor) {
    cppgen_pool* made = nullptr;
    detail::call(cppgen_pool_create_on, &executor, &made);
    handle_.reset(made);
  }
  Pool(const cppgen_executor& executor, int64_t spin_microseconds) {
    cppgen_pool* made = nullptr;
    detail::call(cppgen_pool_create_on_spinning, &executor, spin_microseconds, &made);
    handle_.reset(made);
  }
  cppgen_pool* get() const { return handle_.get(); }

 private:
  detail::Handle<cppgen_pool, cppgen_pool_free> handle_;
};

// An input or output of a model.
struct TensorInfo {
  std::string name;
  cppgen_kind kind = CPPGEN_TENSOR;
  cppgen_dtype type = CPPGEN_FLOAT32;
  std::vector<int64_t> dims;  // -1 for a dimension that depends on the inputs
  bool ranked = true;         // false: only a run tells how many dimensions the output has
};

// Error unless these inputs or outputs are those that a program was compiled for: the same names, types and dimensions.
inline void require_tensors(const std::vector<TensorInfo>& found, const std::vector<TensorInfo>& expected) {
  const auto same = [](const TensorInfo& a, const TensorInfo& b) {
    return a.name == b.name && a.kind == b.kind && (a.kind != CPPGEN_TENSOR || (a.type == b.type && a.dims == b.dims));
  };
  if (!std::equal(found.begin(), found.end(), expected.begin(), expected.end(), same))
    throw Error(CPPGEN_USER_ERROR, "the package is one of another model than the program was compiled for");
}

class Session;

// Holds what runs of a package with states leave for the next one; see cppgen_state_create. The session must outlive
// it.
class State {
 public:
  explicit State(Session& session);
  int64_t length() const { return cppgen_state_length(get()); }
  // A shorter length rolls back, 0 starts again.
  void set_length(int64_t length) { detail::call(cppgen_state_set_length, get(), length); }
  // Replaces the contents by copies of these tensors, one for each state; see cppgen_state_write.
  void write(const std::vector<Tensor>& tensors) {
    std::vector<cppgen_tensor> all;
    for (const Tensor& tensor : tensors) all.push_back(tensor.view());
    detail::call(cppgen_state_write, get(), all.data(), all.size());
  }
  // The contents of all states.
  Results read() {
    cppgen_results* results = nullptr;
    detail::call(cppgen_state_read, get(), &results);
    return Results(results);
  }
  cppgen_state* get() const { return handle_.get(); }

 private:
  detail::Handle<cppgen_state, cppgen_state_free> handle_;
};

// A pair of tensors that is kept in a State.
struct StateInfo {
  size_t input = 0, output = 0, axis = 0;
  int64_t capacity = 0;  // positions along the axis
};

// A loaded model, which many threads may run at once.
class Session {
 public:
  explicit Session(const std::string& package, const cppgen_options& options = Options()) {
    load(cppgen_session_load, package.c_str(), &options);
  }
  // See cppgen_session_load_memory: the files must outlive the session.
  Session(const std::vector<cppgen_file>& files, const cppgen_options& options = Options()) {
    load(cppgen_session_load_memory, files.data(), files.size(), &options);
  }
  explicit Session(const cppgen_reader& reader, const cppgen_options& options = Options()) {
    load(cppgen_session_load_reader, &reader, &options);
  }

  std::vector<TensorInfo> inputs() const {
    return described(cppgen_session_input_count(get()), cppgen_session_input, cppgen_session_input_kind);
  }
  std::vector<TensorInfo> outputs() const {
    return described(cppgen_session_output_count(get()), cppgen_session_output, cppgen_session_output_kind);
  }
  size_t input(const std::string& name) const { return position(cppgen_session_input_index, name); }
  size_t output(const std::string& name) const { return position(cppgen_session_output_index, name); }

  // Keys and values: what the model's file says about the model.
  std::vector<std::pair<std::string, std::string>> metadata() const {
    std::vector<std::pair<std::string, std::string>> entries;
    for (size_t i = 0; i < cppgen_session_metadata_count(get()); i++) {
      const char *key = nullptr, *value = nullptr;
      detail::call(cppgen_session_metadata, get(), i, &key, &value);
      entries.emplace_back(key, value);
    }
    return entries;
  }

  // Writes the results into `outputs`, which have exactly their types and dimensions.
  void run(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs, const Cancel* cancel = nullptr) {
    const std::vector<cppgen_tensor> in = views(inputs), out = views(outputs);
    const cppgen_run_options options = options_with(cancel);
    detail::call(cppgen_session_run_with, get(), in.data(), in.size(), out.data(), out.size(), &options);
  }
  // Returns the results, of whatever size they are.
  Results run(const std::vector<Tensor>& inputs) {
    const std::vector<cppgen_tensor> in = views(inputs);
    cppgen_results* results = nullptr;
    detail::call(cppgen_session_run_results, get(), in.data(), in.size(), &results);
    return Results(results);
  }
  Results run(const std::vector<Value>& inputs, const Cancel* cancel = nullptr) {
    std::vector<const cppgen_value*> handles;
    for (const Value& input : inputs) handles.push_back(input.get());
    const cppgen_run_options options = options_with(cancel);
    cppgen_results* results = nullptr;
    detail::call(cppgen_session_run_values, get(), handles.data(), handles.size(), &options, &results);
    return Results(results);
  }

  std::vector<StateInfo> states() const {
    std::vector<StateInfo> all(cppgen_session_state_count(get()));
    for (size_t i = 0; i < all.size(); i++)
      detail::call(cppgen_session_state, get(), i, &all[i].input, &all[i].output, &all[i].axis, &all[i].capacity);
    return all;
  }
  // The same for a package with states: the run continues where the state is and extends it. Inputs and outputs are
  // those of the model, in its order, without those of states.
  void run(State& state, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs,
           const Cancel* cancel = nullptr) {
    const std::vector<cppgen_tensor> in = views(inputs), out = views(outputs);
    const cppgen_run_options options = options_with(cancel);
    detail::call(cppgen_session_run_state, get(), state.get(), in.data(), in.size(), out.data(), out.size(), &options);
  }
  Results run(State& state, const std::vector<Tensor>& inputs, const Cancel* cancel = nullptr) {
    const std::vector<cppgen_tensor> in = views(inputs);
    const cppgen_run_options options = options_with(cancel);
    cppgen_results* results = nullptr;
    detail::call(cppgen_session_run_state_results, get(), state.get(), in.data(), in.size(), &options, &results);
    return Results(results);
  }

  // The dimensions of an output for inputs of these dimensions, whose data are not read.
  std::vector<int64_t> output_dims(const std::vector<Tensor>& inputs, size_t output) const {
    const std::vector<cppgen_tensor> in = views(inputs);
    cppgen_tensor_info info;
    detail::call(cppgen_session_output, get(), output, &info);
    std::vector<int64_t> dims(info.rank);
    detail::call(cppgen_session_output_dims, get(), in.data(), in.size(), output, dims.data(), dims.size());
    return dims;
  }

  // Replaces a parameter of a package that was compiled with FREEZING=0; see cppgen_session_set_parameter.
  void set_parameter(const std::string& name, const Tensor& value) {
    const cppgen_tensor view = value.view();
    detail::call(cppgen_session_set_parameter, get(), name.c_str(), &view);
  }

  cppgen_stats stats() const {
    cppgen_stats stats;
    detail::call(cppgen_session_stats, get(), &stats);
    return stats;
  }
  std::string profile() const {
    size_t length = 0;
    detail::call(cppgen_session_profile, get(), nullptr, size_t(0), &length);
    std::string text(length + 1, '\0');
    detail::call(cppgen_session_profile, get(), text.data(), text.size(), &length);
    text.resize(std::min(length, text.size() - 1));
    return text;
  }

  cppgen_session* get() const { return handle_.get(); }

 private:
  template <class Function, class... Args>
  void load(Function function, Args... args) {
    cppgen_session* loaded = nullptr;
    detail::call(function, args..., &loaded);
    handle_.reset(loaded);
  }
  template <class Describe, class Kind>
  std::vector<TensorInfo> described(size_t count, Describe describe, Kind kind) const {
    std::vector<TensorInfo> all(count);
    for (size_t i = 0; i < count; i++) {
      cppgen_tensor_info info;
      detail::call(describe, get(), i, &info);
      all[i].name = info.name;
      detail::call(kind, get(), i, &all[i].kind);
      all[i].type = info.dtype;
      all[i].dims.assign(info.dims, info.dims + info.rank);
      all[i].ranked = info.dims != nullptr || all[i].kind != CPPGEN_TENSOR;
    }
    return all;
  }
  template <class Function>
  size_t position(Function function, const std::string& name) const {
    size_t index = 0;
    detail::call(function, get(), name.c_str(), &index);
    return index;
  }
  static std::vector<cppgen_tensor> views(const std::vector<Tensor>& tensors) {
    std::vector<cppgen_tensor> all;
    for (const Tensor& tensor : tensors) all.push_back(tensor.view());
    return all;
  }
  static cppgen_run_options options_with(const Cancel* cancel) {
    return {sizeof(cppgen_run_options), cancel ? cancel->get() : nullptr};
  }
  detail::Handle<cppgen_session, cppgen_session_free> handle_;
};

inline State::State(Session& session) {
  cppgen_state* made = nullptr;
  detail::call(cppgen_state_create, session.get(), &made);
  handle_.reset(made);
}

}  // namespace v0
}  // namespace cppgen

#endif
