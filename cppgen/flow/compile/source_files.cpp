#include "cppgen/flow/compile/source_files.h"

#include <fmt/format.h>

#include "cppgen/flow/compile/model_source.h"
#include "cppgen/flow/compile/stages.h"
#include "runtime/base/usable_cpus.h"

namespace cppgen {

SourceFiles::SourceFiles(const CompileRequest& request)
    : request_(request), custom_(rt::read_custom_files(custom_operator_paths(request))) {}

Graph SourceFiles::read(StageClock& clock, bool keyed) {
  Graph graph = clock.time("read", [&] { return import_model(request_, custom_, &record_); });
  if (keyed) clock.time("read", [&] { external_key_ = key_now(); });
  if (record_.external->may_have_changed()) refuse_changed();
  return graph;
}

void SourceFiles::check_unchanged() const {
  if (!record_.external || !record_.external->may_have_changed()) return;
  if (external_key_.empty() || key_now() != external_key_) refuse_changed();
}

std::vector<std::string> SourceFiles::paths() const {
  std::vector<std::string> files;
  if (!request_.bytes) files.push_back(request_.model);
  if (record_.external)
    for (const std::string& location : record_.external->locations())
      files.push_back(model_folder(request_) + "/" + location);
  for (const rt::CustomFile& file : custom_) files.push_back(file.path);
  return files;
}

std::string SourceFiles::key_now() const { return record_.external->content_key(usable_cpus()); }

void SourceFiles::refuse_changed() const {
  throw ChangedFiles(fmt::format("{}: its external data changed while it was compiled", request_.model));
}

}  // namespace cppgen
