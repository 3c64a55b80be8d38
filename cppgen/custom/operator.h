#pragma once
#include <map>
#include <string>
#include <vector>

#include "cppgen/custom/term.h"
#include "cppgen/ops/op.h"
#include "runtime/custom/description.h"

namespace cppgen::ops {

// A parsed description, to which the row of the operator refers.
class CustomOperator {
 public:
  // UserError naming the place in the description.
  explicit CustomOperator(rt::CustomDescription);
  CustomOperator(const CustomOperator&) = delete;
  CustomOperator& operator=(const CustomOperator&) = delete;

  const rt::CustomDescription& description() const { return description_; }
  const std::vector<custom::Statement>& statements() const { return statements_; }
  // A term for each dimension of an output, or for several; empty if it has the shape of an input.
  const std::vector<custom::Term>& shape(size_t output) const { return shapes_[output]; }

  Op row() const;  // refers to this

 private:
  const rt::CustomDescription description_;
  std::vector<custom::Statement> statements_;
  std::vector<std::vector<custom::Term>> shapes_;
};

}  // namespace cppgen::ops

namespace cppgen::custom {

// UserError naming the place where a text uses an unknown name, or uses a name in the wrong way.
void check_names(const ops::CustomOperator&);

// The attributes of a node, with defaults for those that it lacks. UserError naming the node if one is missing or not
// allowed.
using Attributes = std::map<std::string, rt::CustomValue>;
Attributes attributes_of(const ops::InferContext&, const rt::CustomDescription&);

// The functions of the row.
void infer(ops::InferContext&);
void lower(ops::LowerContext&);
rt::HostStep host(ops::InferContext&);

}  // namespace cppgen::custom
