#include <fmt/format.h>

#include "cppgen/forms/winograd/writer.h"

namespace cppgen::forms {

PatchWriter::PatchWriter(const KernelView& view, const Options& options, PatchInputs inputs)
    : ContractionWriter(view, options), inputs_(std::move(inputs)) {}

void PatchWriter::declare_transforms(int64_t channels) {
  const rt::winograd::Form& form = inputs_.form;
  before_.comment(fmt::format("The transforms for {} results of {} taps along {} with stride {}.", form.side, form.taps,
                              form.flat ? "one direction" : "both directions", form.stride));
  before_.constant("constexpr int", transforms_, "{}", rt::winograd::number_of(form));
  before_.array("alignas(64) static const float", "padding", Code(channels), "{}");
}

void PatchWriter::decompose_patch(const Code& number) { decompose(number, inputs_.patches); }

void PatchWriter::write_points() {
  for (const ir::Loop* loop : {&inputs_.dy, &inputs_.dx})
    body_.open(For{.type = "int", .variable = name_loop(*loop), .end = index_text(loop->extent)});
  body_.line("points[{} * {} + {}] = {};", factor(inputs_.dy.var), index_text(inputs_.dx.extent),
             index_text(inputs_.dx.var), point_address());
  body_.close();
  body_.close();
}

Code PatchWriter::point_address() {
  const ir::Expr load = inputs_.load;
  const auto& shape = view_.program().buffer(load->buffer).shape;
  std::vector<Code> inside;
  for (size_t d = 0; d < shape.size(); d++) {
    const IndexExpr index = ir::substitute(load->indices[d], inputs_.at_point);
    if (!ir::depends_on(index, inputs_.dy.var.node()) && !ir::depends_on(index, inputs_.dx.var.node())) continue;
    if (!ir::prove_less_equal(0, index)) inside.push_back(context_.names.at_least(index, 0));
    if (!ir::prove_less(index, shape[d])) inside.push_back(context_.names.less(index, shape[d]));
  }
  const Code address = sum(context_.pointers.at(load->buffer),
                           index_text(ir::substitute(view_.offset(load->buffer, load->indices), inputs_.at_point)));
  return inside.empty() ? address : code("{} ? {} : padding", all_of(inside), address);
}

void PatchWriter::write_transform(const Code& channels, const Code& to, const Code& plane) {
  body_.line("{}->winograd_input[{}](points, {}, {}, {});", kRuntime, transforms_, channels, to, plane);
}

}  // namespace cppgen::forms
