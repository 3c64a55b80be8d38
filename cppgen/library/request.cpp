#include <cstring>

#include "cppgen/flow/compile/compiler_settings.h"
#include "cppgen/flow/compile/versions.h"
#include "cppgen/library/c_request.h"
#include "cppgen/library/guarded.h"
#include "runtime/base/log.h"

using namespace cppgen;
using namespace cppgen::library;

namespace {

// Runs `change` on the request.
template <class F>
cppgen_status changed(cppgen_request* request, cppgen_error* error, const F& change) {
  return guarded(error, [&] {
    require_argument(request, "request");
    change(*request);
  });
}

}  // namespace

namespace cppgen::library {

Settings settings_of(const cppgen_request& request) {
  Settings settings = compiler_settings(request.environment ? process_environment() : Environment(), request.settings);
  set_log_level(log_level_from_name(settings.loglevel));
  for (const std::string& warning : settings.warnings) log_warning("{}", warning);
  return settings;
}

CompileRequest compile_request(const cppgen_request& request, const CancelToken& cancel) {
  if (request.model.empty()) user_error("the request has no model");
  CompileRequest made;
  made.model = request.model, made.bytes = request.bytes;
  made.settings = settings_of(request);
  made.dims = request.dims, made.states = request.states, made.versions = request.versions;
  made.custom_operators = request.custom_operators;
  made.cancel = &cancel;
  if (request.progress)
    made.on_progress = [function = request.progress, context = request.progress_context](int done, int total) {
      function(context, done, total);
    };
  return made;
}

}  // namespace cppgen::library

cppgen_status cppgen_request_create(cppgen_request** request, cppgen_error* error) {
  if (request) *request = nullptr;
  return guarded(error, [&] {
    require_argument(request, "request");
    *request = new cppgen_request;
  });
}

void cppgen_request_free(cppgen_request* request) { delete request; }

cppgen_status cppgen_request_set_model(cppgen_request* request, const char* path, cppgen_error* error) {
  return changed(request, error, [&](cppgen_request& it) {
    require_argument(path, "path");
    if (!*path) user_error("the path of the model is empty");
    it.model = path, it.bytes.reset();
  });
}

cppgen_status cppgen_request_set_model_bytes(cppgen_request* request, const void* bytes, size_t size, const char* name,
                                             const char* folder, cppgen_error* error) {
  return changed(request, error, [&](cppgen_request& it) {
    require_argument(bytes || size == 0, "bytes");
    it.model = name && *name ? name : "model.onnx";
    it.bytes = ModelBytes{{static_cast<const std::byte*>(bytes), size}, folder ? folder : ""};
  });
}

cppgen_status cppgen_request_set(cppgen_request* request, const char* name, const char* value, cppgen_error* error) {
  return changed(request, error, [&](cppgen_request& it) {
    require_argument(name, "name");
    require_argument(value, "value");
    Settings().set(name, value);  // so that what is not allowed is refused here
    it.settings.emplace_back(name, value);
  });
}

cppgen_status cppgen_request_set_environment(cppgen_request* request, int used, cppgen_error* error) {
  return changed(request, error, [&](cppgen_request& it) { it.environment = used != 0; });
}

cppgen_status cppgen_request_add_dim(cppgen_request* request, const char* dim, cppgen_error* error) {
  return changed(request, error, [&](cppgen_request& it) {
    require_argument(dim, "dim");
    it.dims.push_back(parse_dim_option(dim));
  });
}

cppgen_status cppgen_request_add_state(cppgen_request* request, const char* state, cppgen_error* error) {
  return changed(request, error, [&](cppgen_request& it) {
    require_argument(state, "state");
    it.states.push_back(parse_state_option(state));
  });
}

cppgen_status cppgen_request_add_sizes(cppgen_request* request, const char* sizes, cppgen_error* error) {
  return changed(request, error, [&](cppgen_request& it) {
    require_argument(sizes, "sizes");
    it.versions.push_back(parse_sizes(sizes));
  });
}

cppgen_status cppgen_request_add_custom_operators(cppgen_request* request, const char* path, cppgen_error* error) {
  return changed(request, error, [&](cppgen_request& it) {
    require_argument(path, "path");
    it.custom_operators.emplace_back(path);
  });
}

cppgen_status cppgen_request_set_progress(cppgen_request* request, cppgen_progress_function function, void* context,
                                          cppgen_error* error) {
  return changed(request, error, [&](cppgen_request& it) { it.progress = function, it.progress_context = context; });
}

cppgen_status cppgen_request_set_cancel(cppgen_request* request, const cppgen_cancel* cancel, cppgen_error* error) {
  return changed(request, error, [&](cppgen_request& it) { it.cancel = cancel; });
}

void cppgen_compiler_set_log(cppgen_log_function function, void* context) {
  if (!function) return set_log_receiver({});
  set_log_receiver([=](LogLevel level, const std::string& text) { function(context, int(level), text.c_str()); });
}
