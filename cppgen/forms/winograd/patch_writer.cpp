#include <algorithm>

#include "cppgen/forms/winograd/writer.h"

namespace cppgen::forms {

// Kernels of fewer channels share functions, which have one array each.
static constexpr int64_t kPaddingChannels = 1024;

PatchWriter::PatchWriter(const KernelView& view, const Options& options, PatchInputs inputs)
    : ContractionWriter(view, options), inputs_(std::move(inputs)) {}

void PatchWriter::declare_transforms(int64_t channels) {
  before_.comment("The number of the form of the transforms.");
  before_.constant("const int", transforms_, "{}", rt::winograd::number_of(inputs_.form));
  before_.array("alignas(64) static const float", "padding", Code(std::max(channels, kPaddingChannels)), "{}");
}

void PatchWriter::decompose_patch(const Code& number) { decompose(number, inputs_.patches); }

void PatchWriter::declare_points() { body_.array("const float*", "points", Code(rt::winograd::kMostProducts)); }

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
  bool has_padding = false;
  for (size_t d = 0; d < shape.size(); d++) {
    const IndexExpr index = ir::substitute(load->indices[d], inputs_.at_point);
    if (!ir::depends_on(index, inputs_.dy.var.node()) && !ir::depends_on(index, inputs_.dx.var.node())) continue;
    has_padding |= !ir::prove_less_equal(0, index) || !ir::prove_less(index, shape[d]);
    inside.push_back(context_.names.at_least(index, 0));
    inside.push_back(context_.names.less(index, shape[d]));
  }
  const Code address = sum(context_.pointers.at(load->buffer),
                           index_text(ir::substitute(view_.offset(load->buffer, load->indices), inputs_.at_point)));
  return !has_padding ? address : code("{} ? {} : padding", all_of(inside), address);
}

void PatchWriter::write_transform(const Code& channels, const Code& to, const Code& plane) {
  body_.line("{}->winograd_input[{}](points, {}, {}, {});", kRuntime, transforms_, channels, to, plane);
}

}  // namespace cppgen::forms
