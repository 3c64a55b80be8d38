#include "cppgen/schedule_text/plan_text.h"

#include "cppgen/schedule_text/field_printer.h"
#include "cppgen/schedule_text/plan_fields.h"

namespace cppgen::schedule_text {
namespace {

// The names of the alternatives of KernelPlan::form.
constexpr std::string_view kForms[] = {"rows", "columns", "windows", "transposed", "tiles", "winograd", "attention"};
static_assert(std::size(kForms) == std::variant_size_v<decltype(kernel::KernelPlan::form)>);

}  // namespace

std::string plan_text(const kernel::KernelView& view) {
  kernel::KernelPlan plan = kernel::plan_kernel(view);
  FieldPrinter printer;
  fields(printer, plan);
  return std::string(kForms[plan.form.index()]) + " " + printer.in_braces();
}

}  // namespace cppgen::schedule_text
