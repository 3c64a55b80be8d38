#include "cppgen/flow/trace/ops_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/flow/compile/model_source.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/log.h"

namespace cppgen {
namespace {

// A number, or the text of a size that is known only at run time.
Json size_json(ir::IndexExpr size) {
  if (size.is_constant()) return size.constant();
  return ir::to_string(size);
}

std::string record_of(const schedule::ChosenEngine& it, const RecordedModel& model, const std::string& isa) {
  const Json line{{"model", model.model},
                  {"dims", model.dims},
                  {"isa", isa},
                  {"nodes", it.origins},
                  {"batch", size_json(it.batch)},
                  {"rows", size_json(it.rows)},
                  {"columns", size_json(it.columns)},
                  {"k", size_json(it.k)},
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

void record_contractions(const std::string& file, const CompileRequest& request, const std::string& isa,
                         const std::vector<ModelPart>& parts) {
  RecordedModel model{model_place(request), {}};
  for (const DimOption& dim : request.dims) model.dims.push_back(to_string(dim));
  std::string text;
  for (const ModelPart& part : parts)
    for (const schedule::ChosenEngine& it : part.schedule.engines) text += record_of(it, model, isa);
  append_to_file(file, text);
  log_written("OPS_RECORD", file);
}

std::vector<RecordedModel> recorded_models(const std::string& file) {
  std::vector<RecordedModel> models;
  constexpr int64_t kMostBytes = int64_t{1} << 28;
  std::istringstream lines(read_file(file, kMostBytes));
  std::string line;
  for (int number = 1; std::getline(lines, line); number++) {
    RecordedModel model;
    try {
      const nlohmann::json record = parse_json(line);
      record.at("model").get_to(model.model);
      record.at("dims").get_to(model.dims);
    } catch (const std::exception&) {
      user_error("{}:{}: is not a record of a contraction, a JSON object with \"model\" and \"dims\"", file, number);
    }
    const auto same = std::find_if(models.begin(), models.end(), [&](const RecordedModel& m) {
      return m.model == model.model && m.dims == model.dims;
    });
    (same == models.end() ? models.emplace_back(std::move(model)) : *same).contractions++;
  }
  std::stable_sort(models.begin(), models.end(),
                   [](const RecordedModel& a, const RecordedModel& b) { return a.contractions > b.contractions; });
  return models;
}

}  // namespace cppgen
