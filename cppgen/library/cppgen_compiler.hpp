// The C API of the cppgen compiler (cppgen_compiler.h) as classes that free what they hold and throw errors. This is
// only a header, for C++17 and later: it needs nothing of the libraries but their C functions.
#ifndef CPPGEN_COMPILER_HPP
#define CPPGEN_COMPILER_HPP

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cppgen.hpp"
#include "cppgen_compiler.h"

namespace cppgen {
inline namespace v0 {

// States what is compiled: an .onnx file, or its bytes.
struct Model {
  Model(std::string path) : name(std::move(path)) {}
  Model(const char* path) : name(path) {}
  // The bytes must stay valid and unchanged during the call that the model is given to. `folder` contains the external
  // data; if it is empty, there is none.
  Model(const void* bytes, size_t size, std::string name = "model.onnx", std::string folder = "")
      : bytes(bytes), size(size), in_memory(true), name(std::move(name)), folder(std::move(folder)) {}

  const void* bytes = nullptr;
  size_t size = 0;
  bool in_memory = false;
  std::string name, folder;
};

// States how it is compiled.
struct CompileOptions {
  std::map<std::string, std::string> settings;  // names and values, such as ISA and avx2
  std::vector<std::string> dims;                // "batch=8", "x.0=batch"
  std::vector<std::string> states;              // "present=past:2048": tensors that a session's caller keeps
  std::vector<std::string> sizes;               // "batch=1,length=128": another version of the model for these sizes
  std::vector<std::string> custom_operators;    // paths of descriptions
  std::string output;                           // directory of the package; empty: in the user's cache
  bool environment = true;                      // settings that are not given come from CPPGEN_ variables
  std::function<void(int done, int total)> progress;  // translation units; must not throw
  const Cancel* cancel = nullptr;
};

namespace detail {

// The request of the C API; the model and the options must outlive it.
class Request {
 public:
  Request(const Model& model, const CompileOptions& options) {
    cppgen_request* made = nullptr;
    call(cppgen_request_create, &made);
    handle_.reset(made);
    if (model.in_memory)
      call(cppgen_request_set_model_bytes, made, model.bytes, model.size, model.name.c_str(),
           model.folder.empty() ? nullptr : model.folder.c_str());
    else
      call(cppgen_request_set_model, made, model.name.c_str());
    for (const auto& [name, value] : options.settings) call(cppgen_request_set, made, name.c_str(), value.c_str());
    for (const std::string& dim : options.dims) call(cppgen_request_add_dim, made, dim.c_str());
    for (const std::string& state : options.states) call(cppgen_request_add_state, made, state.c_str());
    for (const std::string& sizes : options.sizes) call(cppgen_request_add_sizes, made, sizes.c_str());
    for (const std::string& path : options.custom_operators)
      call(cppgen_request_add_custom_operators, made, path.c_str());
    call(cppgen_request_set_environment, made, int(options.environment));
    if (options.progress)
      call(cppgen_request_set_progress, made, &report, const_cast<void*>(static_cast<const void*>(&options.progress)));
    if (options.cancel) call(cppgen_request_set_cancel, made, options.cancel->get());
  }
  const cppgen_request* get() const { return handle_.get(); }

 private:
  static void report(void* context, int done, int total) {
    (*static_cast<const std::function<void(int, int)>*>(context))(done, total);
  }
  Handle<cppgen_request, cppgen_request_free> handle_;
};

inline std::string answer(cppgen_status (*question)(const cppgen_request*, char**, cppgen_error*), const Model& model,
                          const CompileOptions& options) {
  const Request request(model, options);
  char* text = nullptr;
  call(question, request.get(), &text);
  const Handle<char, cppgen_text_free> held(text);
  return text;
}

}  // namespace detail

// A compiled model: a directory.
class Package {
 public:
  explicit Package(cppgen_package* package) : handle_(package) {}

  std::string path() const { return cppgen_package_path(get()); }
  std::string report() const { return cppgen_package_report(get()); }  // JSON, as `cppgen compile --json` prints it
  // A session that needs this object no longer.
  Session load(Options options = Options()) const {
    options.trust_weights |= cppgen_package_is_trusted(get());
    return Session(path(), options);
  }
  const cppgen_package* get() const { return handle_.get(); }

 private:
  detail::Handle<cppgen_package, cppgen_package_free> handle_;
};

// Error if the model cannot be compiled; its status is CPPGEN_CANCELLED if `options.cancel` ended the compilation.
inline Package compile(const Model& model, const CompileOptions& options = {}) {
  const detail::Request request(model, options);
  cppgen_package* package = nullptr;
  detail::call(cppgen_compile, request.get(), options.output.empty() ? nullptr : options.output.c_str(), &package);
  return Package(package);
}

// Answers as JSON: see the functions of the same names in cppgen_compiler.h.
inline std::string check(const Model& model, const CompileOptions& options = {}) {
  return detail::answer(cppgen_check, model, options);
}
inline std::string inspect(const Model& model, const CompileOptions& options = {}) {
  return detail::answer(cppgen_inspect, model, options);
}
inline std::string explain(const Model& model, const CompileOptions& options = {}) {
  return detail::answer(cppgen_explain, model, options);
}

}  // namespace v0
}  // namespace cppgen

#endif
