#include "cppgen/flow/compile/model_source.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>

#include "cppgen/support/file_io.h"
#include "cppgen/support/hashing.h"
#include "runtime/base/errors.h"

namespace cppgen {

void require_readable_model(const CompileRequest& request) {
  if (!request.bytes && access(request.model.c_str(), R_OK) != 0)
    user_error("{}: cannot be read: {}", request.model, error_text(errno));
}

std::string model_sha256(const CompileRequest& request) {
  if (!request.bytes) return file_sha256_hex(request.model);
  const auto& bytes = request.bytes->content;
  return sha256_hex(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::string model_folder(const CompileRequest& request) {
  const std::string folder = request.bytes ? request.bytes->folder : parent_directory(request.model);
  return folder.empty() ? "." : folder;
}

std::string model_place(const CompileRequest& request) {
  return request.bytes ? request.model : std::filesystem::absolute(request.model).string();
}

ModelSummary summary_of(const CompileRequest& request) {
  return request.bytes ? summarize_onnx_bytes(request.bytes->content, request.model) : summarize_onnx(request.model);
}

}  // namespace cppgen
