// LinearClassifier and LinearRegressor: a product with the coefficients, followed by the transform of the scores.
#include "cppgen/passes/learner.h"

namespace cppgen::passes {
namespace {

// [rows, count] scores.
ValueId linear_scores(Learner& e, int64_t count, std::vector<float> intercepts) {
  const std::vector<float> coefficients = e.floats("coefficients");
  if (count < 1 || coefficients.empty() || int64_t(coefficients.size()) % count != 0)
    e.fail(std::to_string(coefficients.size()) + " coefficients for " + std::to_string(count) + " scores");
  const ValueId weights = e.reals(coefficients, {count, int64_t(coefficients.size()) / count});
  std::vector<ValueId> inputs{e.features(), weights};
  if (!intercepts.empty()) {
    if (int64_t(intercepts.size()) != count)
      e.fail(std::to_string(intercepts.size()) + " intercepts for " + std::to_string(count) + " scores");
    inputs.push_back(e.reals(intercepts, {count}));
  }
  return e.add("Gemm", std::move(inputs), {{"transB", int64_t(1)}});
}

// A single score decides only between the two values that it may give.
void expand_linear_regressor(Learner& e) {
  const int64_t targets = e.number("targets", 1);
  const PostTransform transform = post_transform(e);
  const ValueId scores = linear_scores(e, targets, e.floats("intercepts"));
  const bool changes = targets > 1 || transform == PostTransform::probit;
  e.give({changes ? transformed(e, scores, transform) : scores});
}

void expand_linear_classifier(Learner& e) {
  const Labels labels = labels_of(e, "classlabels_ints");
  std::vector<float> intercepts = e.floats("intercepts");
  const int64_t classes = labels.count();
  const int64_t lines = intercepts.empty() ? classes : int64_t(intercepts.size());
  if (lines != classes && !(lines == 1 && classes == 2))
    e.fail(std::to_string(lines) + " rows of coefficients for " + std::to_string(classes) + " classes");
  const PostTransform transform = post_transform(e);
  const ValueId scores = linear_scores(e, lines, std::move(intercepts));
  if (lines == 1 && classes == 2)
    return e.give({labels_at(e, labels, exceeds(e, scores, 0)), two_columns(e, scores, transform, false)});
  e.give({labels_at(e, labels, greatest_column(e, scores)), transformed(e, scores, transform)});
}

}  // namespace

std::vector<LearnerRow> linear_expansions() {
  const std::string of_both = "coefficients:floats intercepts:floats post_transform:string ";
  return {
      {.name = "LinearClassifier",
       .domain = kLearners,
       .versions = {{1, of_both + "classlabels_ints:ints classlabels_strings:strings multi_class:int"}},
       .expand = expand_linear_classifier},
      {.name = "LinearRegressor",
       .domain = kLearners,
       .versions = {{1, of_both + "targets:int"}},
       .expand = expand_linear_regressor},
  };
}

}  // namespace cppgen::passes
