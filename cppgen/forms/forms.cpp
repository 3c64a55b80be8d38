#include "cppgen/forms/forms.h"

#include <algorithm>

#include "cppgen/schedule_text/field_printer.h"
#include "cppgen/schedule_text/plan_fields.h"
#include "runtime/base/errors.h"

namespace cppgen::forms {
namespace {

const Form& form_of(const KernelView& view) {
  const auto& all = form_list();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Form& form) { return form.fits(view); });
  if (found == all.end()) user_error("no form of kernels fits {}", view.kernel.name);
  return *found;
}

PlannedKernel plan_with(const Form& form, const KernelView& view) {
  PlannedKernel planned = form.plan(view);
  if (const std::string fault = planned.form->fault(view); !fault.empty())
    internal_error("the plan of {}, {}: {}", view.kernel.name, form.name, fault);
  planned.description = planned.form->describe();
  planned.work = planned.form->work(view);
  return planned;
}

}  // namespace

const std::vector<Form>& form_list() {
  static const std::vector<Form> list = {
#define CPPGEN_FORM(name) name##_form(),
#include "cppgen/forms/forms.def"
  };
  return list;
}

PlannedKernel plan_kernel(const KernelView& view) { return plan_with(form_of(view), view); }

std::string plan_text(const KernelView& view) {
  const Form& form = form_of(view);
  PlannedKernel planned = plan_with(form, view);
  FieldPrinter printer;
  printer("units", planned.units);
  printer("unit_work", planned.unit_work);
  printer("scratch_bytes", planned.scratch_bytes, 0);
  planned.form->print(printer);
  printer.record("work", planned.work);
  return form.name + " " + printer.in_braces();
}

std::vector<KernelText> emit_kernels(const schedule::Schedule& schedule, const schedule::Target& target,
                                     const Options& options) {
  std::vector<KernelText> kernels;
  schedule::each_kernel(schedule.steps, [&](const schedule::FusedKernel& kernel) {
    const KernelView view{schedule, kernel, target};
    PlannedKernel planned = plan_kernel(view);
    KernelText text = planned.form->write(view, planned, options);
    text.finished_tiles = planned.finished_tiles;
    text.plan = std::move(planned);
    kernels.push_back(std::move(text));
  });
  return kernels;
}

}  // namespace cppgen::forms
