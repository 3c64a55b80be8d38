#pragma once
#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "runtime/base/errors.h"
#include "runtime/base/setting_default.h"
#include "runtime/base/version.h"
#include "runtime/plan/known_size.h"
#include "runtime/session/cppgen.h"
#include "runtime/session/session.h"
#include "runtime/threads/executor.h"

// Helpers that the files of the C API share.

struct cppgen_session {
  struct Description {
    std::string name;
    cppgen_dtype dtype;
    std::vector<int64_t> dims;
    std::vector<std::string> dim_names;  // empty for constants
    bool ranked = true;
  };

  // Runs on the threads of `executor`, unless it is null.
  cppgen_session(std::shared_ptr<const cppgen::rt::Executable> executable, const cppgen::rt::SessionOptions& options,
                 const std::shared_ptr<cppgen::rt::Executor>& executor)
      : session(executor ? cppgen::rt::Session(std::move(executable), options, executor)
                         : cppgen::rt::Session(std::move(executable), options)) {
    for (const cppgen::rt::TensorInfo& info : session.plan().inputs)
      inputs.push_back(describe(info, session.plan().symbols));
    for (const cppgen::rt::TensorInfo& info : session.plan().outputs)
      outputs.push_back(describe(info, session.plan().symbols));
  }

  static Description describe(const cppgen::rt::TensorInfo& info, std::span<const cppgen::rt::Symbol> symbols) {
    Description result{info.name,
                       info.kind == cppgen::ValueKind::strings ? CPPGEN_STRING : cppgen_dtype(info.type),
                       {},
                       {},
                       info.ranked};
    for (const cppgen::rt::DimExpr& dim : info.dims) {
      result.dims.push_back(cppgen::rt::known_size(dim));
      result.dim_names.push_back(result.dims.back() < 0 ? dim_text(dim, symbols) : "");
    }
    return result;
  }

  cppgen::rt::Session session;
  std::vector<Description> inputs, outputs;
  mutable std::once_flag nodes_are_known;  // the next one is made when it is first asked for
  mutable std::vector<std::string> nodes;  // of each step of each version
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
  } catch (const RunCancelled& e) {
    return failed(CPPGEN_CANCELLED, e.what(), error);
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

// A struct of the caller, whose header may be older or newer than this library: members that the caller's lacks are as
// in `defaults`. UserError for members that this library lacks unless they are 0.
template <class T>
T sized_copy(const T* given, size_t size, const T& defaults, size_t least, const char* what) {
  if (size < least || size > 4096)
    user_error("{}: the size {} is none that a version of cppgen.h has: was it initialised?", what, size);
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (size_t i = sizeof(T); i < size; i++)
    if (bytes[i] != 0)
      user_error("{}: the program uses members that this library ({}) does not know: install a newer one", what,
                 kVersion);
  T copy = defaults;
  std::memcpy(static_cast<void*>(&copy), given, std::min(size, sizeof(T)));
  return copy;
}

// Writes what of `value` fits into the caller's `size` bytes, and 0 behind it.
template <class T>
void write_sized(T* to, size_t size, const T& value) {
  std::memset(static_cast<void*>(to), 0, size);
  std::memcpy(static_cast<void*>(to), &value, std::min(size, sizeof(T)));
}

RunOptions run_options(const cppgen_run_options*);
AllocatorPointer allocator_of(const cppgen_allocator*);  // null for null
PackageFiles files_in_memory(const cppgen_file*, size_t count);
PackageFiles files_of_reader(const cppgen_reader*);
std::shared_ptr<Executor> executor_of(const cppgen_pool*);  // null for null

// All settings of a run. UserError for values that are not allowed.
cppgen_options environment_options();
// The caller's options, or, without any, those of the environment. UserError if they are of no version of the header.
cppgen_options options_of(const cppgen_options*);
Settings settings_of(const cppgen_options&);
SessionOptions session_options(const cppgen_options&, const Settings&);

}  // namespace cppgen::rt
