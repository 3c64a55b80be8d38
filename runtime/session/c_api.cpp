#include <algorithm>
#include <cstring>

#include "runtime/base/printable.h"
#include "runtime/base/settings.h"
#include "runtime/session/c_api_support.h"
#include "runtime/session/c_views.h"

using namespace cppgen;
using namespace cppgen::rt;

// The numbers in cppgen.h never change, and those of DType agree with them.
#define CPPGEN_DTYPE(id, NAME, ...) static_assert(int(CPPGEN_##NAME) == int(DType::id));
#include "runtime/base/dtypes.def"

namespace {

cppgen_status describe(const std::vector<cppgen_session::Description>& tensors, size_t index, cppgen_tensor_info* info,
                       cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(info, "info");
    if (index >= tensors.size()) user_error("there is no tensor {}; the model has {}", index, tensors.size());
    static constexpr int64_t kNone = 0;  // the dimensions of a scalar
    const auto& it = tensors[index];
    const int64_t* dims = !it.ranked ? nullptr : it.dims.empty() ? &kNone : it.dims.data();
    *info = {it.name.c_str(), it.dtype, it.dims.size(), dims};
  });
}

cppgen_status name_dimension(const std::vector<cppgen_session::Description>& tensors, size_t index, size_t axis,
                             const char** name, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(name, "name");
    if (index >= tensors.size()) user_error("there is no tensor {}; the model has {}", index, tensors.size());
    const auto& names = tensors[index].dim_names;
    if (axis >= names.size()) user_error("'{}' has {} dimensions, none is {}", tensors[index].name, names.size(), axis);
    *name = names[axis].empty() ? nullptr : names[axis].c_str();
  });
}

// Writes dimensions to the caller's array, from its element `used` on, and returns the element behind them.
size_t write_dims(const std::vector<int64_t>& found, int64_t* dims, size_t used, size_t capacity) {
  if (found.size() > capacity - used)
    user_error("there is space for {} dimensions; {} are needed at least", capacity, used + found.size());
  require_argument(dims || found.empty(), "dims");
  std::copy(found.begin(), found.end(), dims + used);
  return used + found.size();
}

cppgen_session* loaded_session(const PackageFiles& files, const cppgen_options* options) {
  const cppgen_options used = options_of(options);
  const Settings settings = settings_of(used);
  return new cppgen_session(Executable::load(files, LoadOptions::from(settings, used.trust_weights != 0)),
                            session_options(used, settings), executor_of(used.pool));
}

void find_name(const std::vector<cppgen_session::Description>& tensors, const char* name, size_t* index,
               const char* kind) {
  require_argument(name, "name");
  require_argument(index, "index");
  const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const auto& it) { return it.name == name; });
  if (found == tensors.end()) user_error("the model has no {} '{}'", kind, one_line(name));
  *index = size_t(found - tensors.begin());
}

}  // namespace

cppgen_status cppgen_session_load(const char* path, const cppgen_options* options, cppgen_session** session,
                                  cppgen_error* error) {
  if (session) *session = nullptr;
  return guarded(error, [&] {
    require_argument(session, "session");
    require_argument(path, "path");
    *session = loaded_session(path, options);
  });
}

cppgen_status cppgen_session_load_memory(const cppgen_file* files, size_t file_count, const cppgen_options* options,
                                         cppgen_session** session, cppgen_error* error) {
  if (session) *session = nullptr;
  return guarded(error, [&] {
    require_argument(session, "session");
    *session = loaded_session(files_in_memory(files, file_count), options);
  });
}

cppgen_status cppgen_session_load_reader(const cppgen_reader* reader, const cppgen_options* options,
                                         cppgen_session** session, cppgen_error* error) {
  if (session) *session = nullptr;
  return guarded(error, [&] {
    require_argument(session, "session");
    *session = loaded_session(files_of_reader(reader), options);
  });
}

void cppgen_session_free(cppgen_session* session) { delete session; }

size_t cppgen_session_input_count(const cppgen_session* session) { return session ? session->inputs.size() : 0; }
size_t cppgen_session_output_count(const cppgen_session* session) { return session ? session->outputs.size() : 0; }

cppgen_status cppgen_session_input(const cppgen_session* session, size_t index, cppgen_tensor_info* info,
                                   cppgen_error* error) {
  if (!session) return failed(CPPGEN_USER_ERROR, "the argument 'session' is null", error);
  return describe(session->inputs, index, info, error);
}

cppgen_status cppgen_session_output(const cppgen_session* session, size_t index, cppgen_tensor_info* info,
                                    cppgen_error* error) {
  if (!session) return failed(CPPGEN_USER_ERROR, "the argument 'session' is null", error);
  return describe(session->outputs, index, info, error);
}

cppgen_status cppgen_session_input_dim_name(const cppgen_session* session, size_t index, size_t axis, const char** name,
                                            cppgen_error* error) {
  if (!session) return failed(CPPGEN_USER_ERROR, "the argument 'session' is null", error);
  return name_dimension(session->inputs, index, axis, name, error);
}

cppgen_status cppgen_session_output_dim_name(const cppgen_session* session, size_t index, size_t axis,
                                             const char** name, cppgen_error* error) {
  if (!session) return failed(CPPGEN_USER_ERROR, "the argument 'session' is null", error);
  return name_dimension(session->outputs, index, axis, name, error);
}

cppgen_status cppgen_session_input_index(const cppgen_session* session, const char* name, size_t* index,
                                         cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    find_name(session->inputs, name, index, "input");
  });
}

cppgen_status cppgen_session_output_index(const cppgen_session* session, const char* name, size_t* index,
                                          cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    find_name(session->outputs, name, index, "output");
  });
}

size_t cppgen_session_metadata_count(const cppgen_session* session) {
  return session ? session->session.executable().metadata().size() : 0;
}

cppgen_status cppgen_session_metadata(const cppgen_session* session, size_t index, const char** key, const char** value,
                                      cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    require_argument(key, "key");
    require_argument(value, "value");
    const auto& metadata = session->session.executable().metadata();
    if (index >= metadata.size()) user_error("there is no entry {}; the model has {}", index, metadata.size());
    *key = metadata[index].first.c_str(), *value = metadata[index].second.c_str();
  });
}

cppgen_status cppgen_session_output_dims(cppgen_session* session, const cppgen_tensor* inputs, size_t input_count,
                                         size_t index, int64_t* dims, size_t capacity, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    if (index >= session->outputs.size())
      user_error("there is no output {}; the model has {}", index, session->outputs.size());
    const Views<TensorView> views(inputs, input_count);
    write_dims(session->session.output_dims(views.get())[index], dims, 0, capacity);
  });
}

cppgen_status cppgen_session_all_output_dims(cppgen_session* session, const cppgen_tensor* inputs, size_t input_count,
                                             int64_t* dims, size_t capacity, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    const Views<TensorView> views(inputs, input_count);
    size_t used = 0;
    for (const std::vector<int64_t>& found : session->session.output_dims(views.get()))
      used = write_dims(found, dims, used, capacity);
  });
}

cppgen_status cppgen_session_run(cppgen_session* session, const cppgen_tensor* inputs, size_t input_count,
                                 const cppgen_tensor* outputs, size_t output_count, cppgen_error* error) {
  return cppgen_session_run_with(session, inputs, input_count, outputs, output_count, nullptr, error);
}

cppgen_status cppgen_session_run_with(cppgen_session* session, const cppgen_tensor* inputs, size_t input_count,
                                      const cppgen_tensor* outputs, size_t output_count,
                                      const cppgen_run_options* options, cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    const Views<TensorView> in(inputs, input_count);
    const Views<OutputView> out(outputs, output_count);
    session->session.run(in.get(), out.get(), run_options(options));
  });
}

cppgen_status cppgen_session_set_parameter(cppgen_session* session, const char* name, const cppgen_tensor* value,
                                           cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    require_argument(name, "name");
    require_argument(value, "value");
    const Views<TensorView> view(value, 1);
    session->session.set_parameter(name, view.get()[0]);
  });
}

cppgen_status cppgen_session_stats_sized(const cppgen_session* session, cppgen_stats* stats, size_t size,
                                         cppgen_error* error) {
  return guarded(error, [&] {
    require_argument(session, "session");
    require_argument(stats, "stats");
    const SessionStats found = session->session.stats();
    write_sized<cppgen_stats>(stats, size, {found.threads, found.steps, found.weights_bytes, found.arena_bytes});
  });
}

const char* cppgen_version(void) { return kVersion.data(); }
