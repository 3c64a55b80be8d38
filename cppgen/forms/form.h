#pragma once
#include <memory>
#include <string>

#include "cppgen/kernel/plan.h"

namespace cppgen::kernel {
struct KernelView;
}
namespace cppgen::codegen {
struct KernelText;
struct Options;
}  // namespace cppgen::codegen
namespace cppgen::schedule_text {
class FieldPrinter;
}

// A form of kernels is a folder of cppgen/forms and a row of forms.def.
namespace cppgen::forms {

using namespace cppgen::kernel;
using namespace cppgen::codegen;
using schedule_text::FieldPrinter;

// The decisions of a form about one kernel, beyond those that all plans state: how it is split, vectorised and
// unrolled. The writer follows them and makes none.
class FormPlan {
 public:
  virtual ~FormPlan() = default;
  // Describes the plan to people, without numbers that all plans state: "columns: blocks of 2048, 4 vectors side by
  // side".
  virtual std::string describe() const = 0;
  // The fields in the text of the plan, which may share the names of values.
  virtual void print(FieldPrinter&) = 0;
  // Returns why a kernel cannot be written by this plan; empty if it can.
  virtual std::string fault(const KernelView&) const = 0;
  // Estimates what one run of the kernel executes and moves.
  virtual KernelWork work(const KernelView&) const = 0;
  virtual KernelText write(const KernelView&, const KernelPlan&, const Options&) const = 0;
};

struct PlannedKernel : KernelPlan {
  std::unique_ptr<FormPlan> form;
};

struct Form {
  std::string name;                 // in texts of plans, and what `form` of TileContraction and Attention may be
  bool (*fits)(const KernelView&);  // whether a kernel that no earlier form fits has this form
  PlannedKernel (*plan)(const KernelView&);  // without `description` and `work`, which follow from the form's plan
};

}  // namespace cppgen::forms
