#pragma once
#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "runtime/base/errors.h"
#include "runtime/session/cppgen.h"
#include "runtime/session/session.h"

// Helpers that the files of the C API share.

struct cppgen_session {
  struct Description {
    std::string name;
    cppgen_dtype dtype;
    std::vector<int64_t> dims;
  };

  cppgen_session(const std::string& path, const cppgen::rt::LoadOptions& load,
                 const cppgen::rt::SessionOptions& options)
      : session(cppgen::rt::Executable::load(path, load), options) {
    for (const cppgen::rt::TensorInfo& info : session.plan().inputs) inputs.push_back(describe(info));
    for (const cppgen::rt::TensorInfo& info : session.plan().outputs) outputs.push_back(describe(info));
  }

  static Description describe(const cppgen::rt::TensorInfo& info) {
    Description result{
        info.name, info.kind == cppgen::ValueKind::strings ? CPPGEN_STRING : cppgen_dtype(info.type), {}};
    for (const cppgen::rt::DimExpr& dim : info.dims) result.dims.push_back(constant_or_unknown(dim));
    return result;
  }

  static int64_t constant_or_unknown(const cppgen::rt::DimExpr& dim) {
    for (size_t i = 0; i < dim.code.size(); i++) {
      if (dim.code[i] == int64_t(cppgen::rt::DimOp::symbol)) return -1;
      if (dim.code[i] == int64_t(cppgen::rt::DimOp::constant)) i++;
    }
    return cppgen::rt::evaluate(dim, {});
  }

  cppgen::rt::Session session;
  std::vector<Description> inputs, outputs;
};

namespace cppgen::rt {

inline cppgen_status failed(cppgen_status status, const char* text, cppgen_error* error) {
  if (error) {
    const size_t length = std::min(std::strlen(text), sizeof error->message - 1);
    std::memcpy(error->message, text, length);
    error->message[length] = '\0';
  }
  return status;
}

// Runs `f` and turns exceptions into a status and a message.
template <class F>
cppgen_status guarded(cppgen_error* error, F f) noexcept {
  if (error) error->message[0] = '\0';
  try {
    f();
    return CPPGEN_OK;
  } catch (const UserError& e) {
    return failed(CPPGEN_USER_ERROR, e.what(), error);
  } catch (const std::bad_alloc&) {
    return failed(CPPGEN_USER_ERROR, "out of memory", error);
  } catch (const std::system_error& e) {  // such as no more threads or descriptors
    return failed(CPPGEN_USER_ERROR, e.what(), error);
  } catch (const std::exception& e) {
    return failed(CPPGEN_INTERNAL_ERROR, e.what(), error);
  } catch (...) {
    return failed(CPPGEN_INTERNAL_ERROR, "unknown exception", error);
  }
}

inline void require_argument(bool ok, const char* what) {
  if (!ok) user_error("the argument '{}' is null", what);
}

}  // namespace cppgen::rt
