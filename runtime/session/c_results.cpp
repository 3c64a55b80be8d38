// The C API for inputs and outputs of any kind and size.
#include <functional>

#include "runtime/session/c_api_support.h"
#include "runtime/session/c_state.h"
#include "runtime/session/c_views.h"
#include "runtime/values/value.h"

using namespace cppgen;
using namespace cppgen::rt;

struct cppgen_results {
  // A tensor as the caller sees it.
  struct Item {
    cppgen_tensor tensor;
    std::vector<const char*> strings;
  };
  struct Output {
    cppgen_kind kind;
    std::vector<Item> items;
  };

  explicit cppgen_results(std::vector<Value> given) : values(std::move(given)) {
    for (const Value& value : values) outputs.push_back(output_of(value));
  }

  static Output output_of(const Value& value) {
    Output output{value.is_empty() ? CPPGEN_NOTHING : value.sequence() ? CPPGEN_SEQUENCE : CPPGEN_TENSOR, {}};
    if (const Value::Sequence* elements = value.sequence()) {
      for (const Value& element : *elements) output.items.push_back(item_of(element));
    } else if (!value.is_empty()) {
      output.items.push_back(item_of(value));
    }
    return output;
  }

  static Item item_of(const Value& value) {
    Item item{};
    if (const Tensor* t = value.tensor()) {
      item.tensor = {cppgen_dtype(t->type()), t->dims().size(), t->dims().data(), const_cast<void*>(t->data())};
    } else if (const StringTensor* s = value.strings()) {
      for (const std::string& text : s->elements) item.strings.push_back(text.c_str());
      item.tensor = {CPPGEN_STRING, s->dims.size(), s->dims.data(), item.strings.data()};
    } else {
      user_error("a sequence holds {}, which the C API cannot return", value.description());
    }
    return item;
  }

  std::vector<Value> values;
  std::vector<Output> outputs;
};

struct cppgen_value {
  Value content;
};

namespace {

cppgen_kind kind_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::tensor:
    case ValueKind::strings:
      return CPPGEN_TENSOR;
    case ValueKind::sequence:
      return CPPGEN_SEQUENCE;
    case ValueKind::optional:
      return CPPGEN_OPTIONAL;
    case ValueKind::optional_sequence:
      return CPPGEN_OPTIONAL_SEQUENCE;
  }
  internal_error("a value of kind {}", int(kind));
}

cppgen_status write_kind(const std::vector<TensorInfo>& tensors, size_t index, cppgen_kind* kind, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(kind, "kind");
    if (index >= tensors.size()) user_error("there is no tensor {}; the model has {}", index, tensors.size());
    *kind = kind_of(tensors[index].kind);
  });
}

Value value_of(const cppgen_tensor& tensor, size_t i) {
  require_argument(tensor.dims || tensor.rank == 0, "dims");
  const std::span<const int64_t> dims(tensor.dims, tensor.rank);
  const int64_t count = element_count(dims);
  if (count > 0 && !tensor.data) user_error("tensor {} has no data", i);
  if (tensor.dtype != CPPGEN_STRING) {
    if (unsigned(tensor.dtype) >= unsigned(kDTypeCount))
      user_error("tensor {} has the unknown type {}", i, int(tensor.dtype));
    return copy_of({DType(tensor.dtype), dims, tensor.data});
  }
  StringTensor strings{{dims.begin(), dims.end()}, {}};
  const auto* texts = static_cast<const char* const*>(tensor.data);
  for (int64_t k = 0; k < count; k++) {
    if (!texts[k]) user_error("string {} of tensor {} is null", k, i);
    strings.elements.emplace_back(texts[k]);
  }
  return strings;
}

std::vector<Value> contents_of(const cppgen_value* const* values, size_t count, const char* what) {
  require_argument(values || count == 0, "values");
  std::vector<Value> contents;
  for (size_t i = 0; i < count; i++) {
    if (!values[i]) user_error("{} {} is null", what, i);
    contents.push_back(values[i]->content);
  }
  return contents;
}

cppgen_status make_value(cppgen_value** value, cppgen_error* error, const std::function<Value()>& content) {
  if (value) *value = nullptr;
  return guarded(error, [&] {
    require_argument(value, "value");
    *value = new cppgen_value{content()};
  });
}

const cppgen_results::Output& output_at(const cppgen_results* results, size_t index) {
  require_argument(results, "results");
  if (index >= results->outputs.size())
    user_error("there is no output {}; the model has {}", index, results->outputs.size());
  return results->outputs[index];
}

}  // namespace

cppgen_status cppgen_session_input_kind(const cppgen_session* session, size_t index, cppgen_kind* kind,
                                        cppgen_error* error) {
  if (!session) return failed(CPPGEN_USER_ERROR, "the argument 'session' is null", error);
  return write_kind(session->session.plan().inputs, index, kind, error);
}

cppgen_status cppgen_session_output_kind(const cppgen_session* session, size_t index, cppgen_kind* kind,
                                         cppgen_error* error) {
  if (!session) return failed(CPPGEN_USER_ERROR, "the argument 'session' is null", error);
  return write_kind(session->session.plan().outputs, index, kind, error);
}

cppgen_status cppgen_session_run_results(cppgen_session* session, const cppgen_tensor* inputs, size_t input_count,
                                         cppgen_results** results, cppgen_error* error) {
  if (results) *results = nullptr;
  return guarded(error, [&] {
    require_argument(session, "session");
    require_argument(results, "results");
    require_argument(inputs || input_count == 0, "inputs");
    std::vector<Value> values;
    for (size_t i = 0; i < input_count; i++) values.push_back(value_of(inputs[i], i));
    *results = new cppgen_results(session->session.run_values(std::move(values)));
  });
}

cppgen_status cppgen_session_run_values(cppgen_session* session, const cppgen_value* const* inputs, size_t input_count,
                                        const cppgen_run_options* options, cppgen_results** results,
                                        cppgen_error* error) {
  if (results) *results = nullptr;
  return guarded(error, [&] {
    require_argument(session, "session");
    require_argument(results, "results");
    *results = new cppgen_results(
        session->session.run_values(contents_of(inputs, input_count, "input"), run_options(options)));
  });
}

cppgen_status cppgen_session_run_state_results(cppgen_session* session, cppgen_state* state,
                                               const cppgen_tensor* inputs, size_t input_count,
                                               const cppgen_run_options* options, cppgen_results** results,
                                               cppgen_error* error) {
  if (results) *results = nullptr;
  return guarded(error, [&] {
    require_argument(session, "session");
    require_argument(state, "state");
    require_argument(results, "results");
    const Views<TensorView> in(inputs, input_count);
    std::vector<Value> values;
    for (Tensor& tensor : session->session.run(*state->state, in.get(), run_options(options)))
      values.emplace_back(std::move(tensor));
    *results = new cppgen_results(std::move(values));
  });
}

cppgen_status cppgen_state_read(cppgen_state* state, cppgen_results** results, cppgen_error* error) {
  if (results) *results = nullptr;
  return guarded(error, [&] {
    require_argument(state, "state");
    require_argument(results, "results");
    std::vector<Value> values;
    for (size_t i = 0; i < state->state->count(); i++) values.emplace_back(state->state->read(i));
    *results = new cppgen_results(std::move(values));
  });
}

cppgen_status cppgen_value_tensor(const cppgen_tensor* tensor, cppgen_value** value, cppgen_error* error) {
  return make_value(value, error, [&] {
    require_argument(tensor, "tensor");
    return value_of(*tensor, 0);
  });
}

cppgen_status cppgen_value_sequence(const cppgen_value* const* elements, size_t count, cppgen_value** value,
                                    cppgen_error* error) {
  return make_value(value, error, [&] { return Value(contents_of(elements, count, "element")); });
}

cppgen_status cppgen_value_nothing(cppgen_value** value, cppgen_error* error) {
  return make_value(value, error, [] { return Value(); });
}

void cppgen_value_free(cppgen_value* value) { delete value; }

void cppgen_results_free(cppgen_results* results) { delete results; }

cppgen_status cppgen_results_kind(const cppgen_results* results, size_t index, cppgen_kind* kind, size_t* count,
                                  cppgen_error* error) {
  return guarded(error, [&] {
    const auto& output = output_at(results, index);
    if (kind) *kind = output.kind;
    if (count) *count = output.items.size();
  });
}

cppgen_status cppgen_results_tensor(const cppgen_results* results, size_t index, size_t element, cppgen_tensor* tensor,
                                    cppgen_error* error) {
  return guarded(error, [&] {
    const auto& output = output_at(results, index);
    require_argument(tensor, "tensor");
    if (element >= output.items.size())
      user_error("output {} has no tensor {}; it has {}", index, element, output.items.size());
    *tensor = output.items[element].tensor;
  });
}
