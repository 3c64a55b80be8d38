#include "cppgen/custom/operator.h"

#include "runtime/base/errors.h"

namespace cppgen::ops {

CustomOperator::CustomOperator(rt::CustomDescription description) : description_(std::move(description)) {
  for (const rt::CustomText& text : description_.lowering)
    for (custom::Statement& s : custom::parse_statements(text)) statements_.push_back(std::move(s));
  for (const rt::CustomOutput& output : description_.outputs) {
    std::vector<custom::Term>& dims = shapes_.emplace_back();
    for (const rt::CustomText& dim : output.shape) dims.push_back(custom::parse_dimension(dim));
  }
  custom::check_names(*this);
}

Op CustomOperator::row() const {
  std::string attributes;
  for (const auto& a : description_.attributes) attributes += a.name + ":" + a.type + " ";
  Op op{.name = description_.name,
        .domain = description_.domain,
        .versions = {{description_.since_version, attributes}},
        .inputs = int(description_.inputs.size()),
        .outputs = int(description_.outputs.size()),
        .infer = custom::infer};
  if (description_.function) {
    op.host = custom::host;
  } else {
    op.lower = custom::lower;
  }
  op.custom = this;
  return op;
}

}  // namespace cppgen::ops
