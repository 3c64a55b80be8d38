#pragma once
#include <string>
#include <vector>

namespace cppgen {

struct CompileRequest;
struct ModelPart;

// OPS_RECORD: appends a line of JSON to the file for each contraction of the parts of this model. UserError if it
// cannot be written.
void record_contractions(const std::string& file, const CompileRequest&, const std::string& isa,
                         const std::vector<ModelPart>&);

// A model of such a file, with the sizes that it was compiled for.
struct RecordedModel {
  std::string model;              // absolute path
  std::vector<std::string> dims;  // --dim
  int contractions = 0;           // lines, over all compilations
  bool operator==(const RecordedModel&) const = default;
};

// Each once, those with the most lines first. UserError naming the line that is not a record.
std::vector<RecordedModel> recorded_models(const std::string& file);

}  // namespace cppgen
