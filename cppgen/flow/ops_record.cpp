#include "cppgen/flow/ops_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "cppgen/flow/model_parts.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"

namespace cppgen {
namespace {

// A number, or the text of a size that is known only at run time.
Json size_json(ir::IndexExpr size) {
  if (size.is_constant()) return size.constant();
  return ir::to_string(size);
}

std::string record_of(const schedule::ChosenEngine& it, const std::string& model, const std::string& isa) {
  const Json line{{"model", model},
                  {"isa", isa},
                  {"nodes", it.origins},
                  {"batch", size_json(it.batch)},
                  {"rows", size_json(it.rows)},
                  {"columns", size_json(it.columns)},
                  {"depth", size_json(it.depth)},
                  {"left", it.left},
                  {"right", it.right},
                  {"result", it.result},
                  {"engine", it.engine}};
  return json_text(line, -1) + "\n";
}

// All at once, so that lines of several processes do not mix.
void append_to_file(const std::string& path, const std::string& text) {
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!file || ::write(file.get(), text.data(), text.size()) != ssize_t(text.size()))
    user_error("OPS_RECORD: cannot write '{}': {}", path, error_text(errno));
}

}  // namespace

void record_contractions(const std::string& file, const std::string& model, const std::string& isa,
                         const std::vector<ModelPart>& parts) {
  std::string text;
  for (const ModelPart& part : parts)
    for (const schedule::ChosenEngine& it : part.schedule.engines) text += record_of(it, model, isa);
  append_to_file(file, text);
}

}  // namespace cppgen
