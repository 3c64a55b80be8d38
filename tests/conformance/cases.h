#pragma once
#include <string>
#include <vector>

namespace cppgen::conformance {

// One model of the ONNX test data with its data sets.
struct Case {
  std::string name;                    // "node/test_abs"
  std::string directory, model;        // paths
  std::vector<std::string> operators;  // each once; of bodies too
};

// Every DATA/GROUP/NAME/model.onnx whose "GROUP/NAME" contains `filter`, by name. Empty if the data are not there.
std::vector<Case> find_cases(const std::string& data, const std::string& filter);

enum class Status { passed, failed, unsupported };

struct Outcome {
  Status status = Status::failed;
  std::string stage;   // that ended it: "import", "compile", "run", "compare" ...; empty if passed
  std::string reason;  // empty if passed
};

std::string to_text(const Outcome&);
Outcome outcome_from_text(const std::string&);

}  // namespace cppgen::conformance
