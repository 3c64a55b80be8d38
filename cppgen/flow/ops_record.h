#pragma once
#include <string>
#include <vector>

namespace cppgen {

struct ModelPart;

// OPS_RECORD: appends a line of JSON to the file for each contraction of the parts. UserError if it cannot be written.
void record_contractions(const std::string& file, const std::string& model, const std::string& isa,
                         const std::vector<ModelPart>&);

}  // namespace cppgen
