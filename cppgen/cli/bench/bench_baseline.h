#pragma once
#include <string>
#include <vector>

#include "cppgen/cli/shared/timed.h"
#include "runtime/base/json_text.h"
#include "runtime/values/tensor.h"

namespace cppgen {

// The same model on another library, which takes turns with ours.
class Baseline : public Timed {
 public:
  virtual std::string engine() const = 0;  // its name in options and reports
  virtual const std::vector<rt::Tensor>& outputs() const = 0;
  virtual void describe(Json&) const = 0;       // adds the fields of its own report
  virtual std::string description() const = 0;  // the same as lines, or nothing
};

}  // namespace cppgen
