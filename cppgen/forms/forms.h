#pragma once
#include <string>
#include <vector>

#include "cppgen/codegen/kernel_text.h"
#include "cppgen/forms/form.h"
#include "cppgen/kernel/view.h"

namespace cppgen::forms {

// All forms, in the order of forms.def.
const std::vector<Form>& form_list();

#define CPPGEN_FORM(name) Form name##_form();
#include "cppgen/forms/forms.def"

PlannedKernel plan_kernel(const KernelView&);

// The text of a kernel's plan: `columns {units = 12, ...}`.
std::string plan_text(const KernelView&);

// Plans and writes all kernels of the schedule, in order. Texts for different ISAs differ only in the numbers of their
// plans; translation_unit() adds the includes. Equal kernels have equal texts.
std::vector<KernelText> emit_kernels(const schedule::Schedule&, const schedule::Target&, const Options&);

}  // namespace cppgen::forms
