#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/plan/plan.h"

namespace cppgen::rt {

// A compiled model of more than one plan, as passive data: values whose type or shape is known only at run time are
// passed between plans, host functions and control flow. Stored as module.json next to the plans plan_0.json,
// plan_1.json ... A module that was read is not trusted: `validate` checks every index before anything runs.

// The type of a value that the model declares. Dimensions that are known only at run time are -1.
struct ValueInfo {
  std::string name;
  ValueKind kind = ValueKind::tensor;
  DType type = DType::f32;  // of the tensor, or of each element
  bool ranked = true;       // false: dims are not known
  std::vector<int64_t> dims;
  std::vector<std::string> symbols;  // names of dimensions; "" if there is none
  int64_t index_extent = 0;          // as in TensorInfo
};

enum class HostOp : uint8_t {
  plan,      // runs a plan on tensors
  function,  // calls a host function (runtime/host/host_functions.h)
  branch,    // If: input 0 is the condition; bodies: then, else
  loop,      // Loop: inputs are the trip count, the condition, and what is carried
  scan,      // Scan: inputs are the states, then what is scanned
  map,       // SequenceMap: input 0 is the sequence that is mapped
};

struct HostStep {
  HostOp op = HostOp::function;
  int32_t plan = -1;                     // plan: its number
  std::string function;                  // function: its name
  std::vector<int32_t> inputs, outputs;  // slots of the body; -1: absent
  std::vector<int32_t> bodies;           // positions in Module::bodies, all greater than that of the body of the step
  std::vector<std::vector<int32_t>> captures;  // of each body: slots that are its last inputs
  std::vector<int64_t> integers;               // parameters of the operation or function (host_fields.h)
  std::vector<std::string> texts;
  std::vector<ValueInfo> results;  // loop, scan: types of the stacked outputs, for runs without iterations
  std::string node;                // its name in the model; "" if the step runs a plan
  std::string origin;              // "node 'x' (Loop)", for messages
};

// Steps over numbered slots. Inputs fill the first slots.
struct HostBody {
  int32_t slots = 0;
  int32_t inputs = 0;
  std::vector<int32_t> outputs;
  std::vector<HostStep> steps;
};

struct Module {
  std::string model;
  std::string isa;
  int32_t plans = 0;
  std::vector<ValueInfo> inputs, outputs;
  std::vector<Bound> bounds;     // over the symbols of the outline
  std::vector<HostBody> bodies;  // the first is the model
};

// The Step::engine of the steps that are not part of a plan.
inline constexpr const char* kHostEngine = "host";

// A description of the model: its inputs and outputs (a dimension of an output that is known only at run time is a
// symbol beyond Plan::symbols), and the steps of all plans in order, then the host steps. It cannot be run.
Plan outline_of(const Module&, const std::vector<const Plan*>& plans);

// UserError naming the first field that is out of range or inconsistent.
void validate(const Module&);

std::string to_json(const Module&);
Module module_from_json(std::string_view text);  // UserError if malformed; validated

}  // namespace cppgen::rt
