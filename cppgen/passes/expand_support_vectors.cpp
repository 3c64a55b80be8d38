// SVMClassifier and SVMRegressor, as libsvm gives them: kernels of a row and each support vector, times coefficients.
#include <algorithm>

#include "cppgen/passes/learner.h"

namespace cppgen::passes {
namespace {

enum Kernel { kLinear, kPoly, kRbf, kSigmoid };

// [rows, vectors]
ValueId kernels(Learner& e, ValueId x, const std::vector<float>& vectors, int64_t count) {
  const auto kernel = Kernel(e.choice("kernel_type", "LINEAR", {"LINEAR", "POLY", "RBF", "SIGMOID"}));
  std::vector<float> params = e.floats("kernel_params");
  if (kernel != kLinear && params.size() != 3) e.fail("kernel_params must be gamma, coef0 and degree");
  const int64_t features = int64_t(vectors.size()) / count;
  const ValueId stored = e.reals(vectors, {count, features});
  if (kernel == kRbf) {
    const ValueId rows = e.add("Unsqueeze", {x, e.integers({1})});
    const ValueId distance =
        e.add("ReduceSumSquare", {e.add("Sub", {rows, stored}), e.integers({2})}, {{"keepdims", int64_t(0)}});
    return e.add("Exp", {e.add("Mul", {distance, e.real_scalar(-params[0])})});
  }
  const ValueId product = e.add("Gemm", {x, stored}, {{"transB", int64_t(1)}});
  if (kernel == kLinear) return product;
  const ValueId moved = e.add("Add", {e.add("Mul", {product, e.real_scalar(params[0])}), e.real_scalar(params[1])});
  return kernel == kPoly ? e.add("Pow", {moved, e.real_scalar(params[2])}) : e.add("Tanh", {moved});
}

// Checked: `count` support vectors of equal length.
std::vector<float> support_vectors(const Learner& e, int64_t count) {
  std::vector<float> vectors = e.floats("support_vectors");
  if (vectors.empty() || int64_t(vectors.size()) % count != 0)
    e.fail(std::to_string(vectors.size()) + " numbers for " + std::to_string(count) + " support vectors");
  return vectors;
}

// A product with coefficients that need no support vectors, plus rho.
ValueId plain_scores(Learner& e, const std::vector<float>& coefficients, int64_t count, float rho) {
  if (coefficients.empty() || int64_t(coefficients.size()) % count != 0)
    e.fail(std::to_string(coefficients.size()) + " coefficients for " + std::to_string(count) + " scores");
  const ValueId weights = e.reals(coefficients, {count, int64_t(coefficients.size()) / count});
  const ValueId product = e.add("Gemm", {e.features(), weights}, {{"transB", int64_t(1)}});
  return e.add("Add", {product, e.real_scalar(rho)});
}

std::vector<float> given_rho(const Learner& e, int64_t count) {
  std::vector<float> rho = e.floats("rho");
  if (int64_t(rho.size()) < count)
    e.fail("rho has " + std::to_string(rho.size()) + " numbers, not " + std::to_string(count));
  rho.resize(size_t(count));
  return rho;
}

void expand_support_vector_regressor(Learner& e) {
  const int64_t count = e.number("n_supports", 0);
  const std::vector<float> coefficients = e.floats("coefficients");
  const float rho = given_rho(e, 1)[0];
  ValueId score;
  if (count > 0) {
    if (int64_t(coefficients.size()) != count)
      e.fail(std::to_string(coefficients.size()) + " coefficients for " + std::to_string(count) + " support vectors");
    const ValueId each = kernels(e, e.features(), support_vectors(e, count), count);
    score = e.add("Add", {e.add("MatMul", {each, e.reals(coefficients, {count, 1})}), e.real_scalar(rho)});
  } else {
    score = plain_scores(e, coefficients, 1, rho);
  }
  if (e.number("one_class", 0) != 0) {
    const ValueId inside = e.add("Greater", {score, e.real_scalar(0)});
    score = e.add("Where", {inside, e.real_scalar(1), e.real_scalar(-1)});
  }
  e.give({score});
}

// The classifiers of pairs of classes: 01, 02, .. 12, ..
struct Pairs {
  int64_t classes, vectors, count;
  std::vector<int64_t> first_vector;  // of each class, and one more for the end
};

Pairs pairs_of(const Learner& e, int64_t classes) {
  Pairs p{classes, 0, classes * (classes - 1) / 2, {}};
  for (int64_t n : e.ints("vectors_per_class")) {
    if (n < 0 || n > (int64_t(1) << 31)) e.fail("vectors_per_class has " + std::to_string(n));
    p.first_vector.push_back(p.vectors), p.vectors += n;
  }
  p.first_vector.push_back(p.vectors);
  return p;
}

// Coefficients [classes - 1, vectors] as [vectors, pairs].
std::vector<float> pair_weights(const Learner& e, const Pairs& p) {
  const std::vector<float> given = e.floats("coefficients");
  if (int64_t(p.first_vector.size()) != p.classes + 1)
    e.fail("vectors_per_class does not say how many each of " + std::to_string(p.classes) + " classes has");
  if (int64_t(given.size()) < (p.classes - 1) * p.vectors) e.fail("it has too few coefficients");
  std::vector<float> weights(size_t(p.vectors * p.count), 0);
  int64_t pair = 0;
  for (int64_t i = 0; i < p.classes; i++)
    for (int64_t j = i + 1; j < p.classes; j++, pair++) {
      auto take = [&](int64_t of, int64_t row) {
        for (int64_t v = p.first_vector[size_t(of)]; v < p.first_vector[size_t(of) + 1]; v++)
          weights[size_t(v * p.count + pair)] = given[size_t(row * p.vectors + v)];
      };
      take(i, j - 1), take(j, i);
    }
  return weights;
}

// The class with the most votes: a pair votes for its first class if its score is positive.
ValueId elected(Learner& e, const Pairs& p, ValueId scores) {
  std::vector<float> change(size_t(p.count * p.classes), 0), otherwise(size_t(p.classes), 0);
  int64_t pair = 0;
  for (int64_t i = 0; i < p.classes; i++)
    for (int64_t j = i + 1; j < p.classes; j++, pair++) {
      change[size_t(pair * p.classes + i)] = 1, change[size_t(pair * p.classes + j)] = -1;
      otherwise[size_t(j)] += 1;
    }
  const ValueId first = e.cast(e.add("Greater", {scores, e.real_scalar(0)}), DType::f32);
  const ValueId votes = e.add("Gemm", {first, e.reals(change, {p.count, p.classes}), e.reals(otherwise, {p.classes})});
  return greatest_column(e, votes);
}

ValueId probabilities(Learner& e, const Pairs& p, ValueId scores) {
  std::vector<float> a = e.floats("prob_a"), b = e.floats("prob_b");
  if (int64_t(a.size()) < p.count || a.size() != b.size())
    e.fail("prob_a and prob_b do not have a number for each pair of classes");
  a.resize(size_t(p.count)), b.resize(size_t(p.count));
  const ValueId line = e.add("Add", {e.add("Mul", {scores, e.reals(a, {p.count})}), e.reals(b, {p.count})});
  const ValueId sure = e.add("Sigmoid", {e.add("Neg", {line})});
  const ValueId clipped = e.add("Clip", {sure, e.real_scalar(1e-7F), e.real_scalar(1 - 1e-7F)});
  return e.add("CoupledProbabilities", {clipped}, {{"classes", p.classes}}, kOwn);
}

void expand_linear(Learner& e, const Labels& labels, PostTransform transform) {
  const std::vector<float> coefficients = e.floats("coefficients");
  const ValueId scores = plain_scores(e, coefficients, labels.count(), given_rho(e, 1)[0]);
  ValueId chosen = greatest_column(e, scores);
  if (labels.count() == 2 && e.floats("prob_a").empty()) {
    // A great enough score of either class decides for the second one.
    const bool positive = std::all_of(coefficients.begin(), coefficients.end(), [](float c) { return c >= 0; });
    const ValueId most = e.add("ReduceMax", {scores, e.integers({1})}, {{"keepdims", int64_t(0)}});
    const ValueId second = e.add(positive ? "GreaterOrEqual" : "Greater", {most, e.real_scalar(positive ? 0.5F : 0)});
    chosen = e.add("Where", {second, e.integers({1}, {}), chosen});
  }
  e.give({labels_at(e, labels, chosen), transformed(e, scores, transform)});
}

void expand_support_vector_classifier(Learner& e) {
  const Labels labels = labels_of(e, "classlabels_ints");
  const PostTransform transform = post_transform(e);
  if (labels.count() < 2 || labels.count() > 4096) e.fail("it has " + std::to_string(labels.count()) + " classes");
  const Pairs p = pairs_of(e, labels.count());
  if (p.vectors == 0) return expand_linear(e, labels, transform);
  const std::vector<float> vectors = support_vectors(e, p.vectors);
  const ValueId weights = e.reals(pair_weights(e, p), {p.vectors, p.count});
  const ValueId rho = e.reals(given_rho(e, p.count), {p.count});
  const ValueId scores = e.add("Add", {e.add("MatMul", {kernels(e, e.features(), vectors, p.vectors), weights}), rho});
  const ValueId label = labels_at(e, labels, elected(e, p, scores));
  if (!e.floats("prob_a").empty()) return e.give({label, transformed(e, probabilities(e, p, scores), transform)});
  if (p.classes == 2) return e.give({label, two_columns(e, scores, transform, transform == PostTransform::none)});
  e.give({label, transformed(e, scores, transform)});
}

}  // namespace

std::vector<LearnerRow> support_vector_expansions() {
  const std::string of_both =
      "coefficients:floats kernel_params:floats kernel_type:string post_transform:string rho:floats "
      "support_vectors:floats ";
  return {
      {.name = "SVMClassifier",
       .domain = kLearners,
       .versions = {{1, of_both + "classlabels_ints:ints classlabels_strings:strings prob_a:floats prob_b:floats "
                                  "vectors_per_class:ints"}},
       .expand = expand_support_vector_classifier},
      {.name = "SVMRegressor",
       .domain = kLearners,
       .versions = {{1, of_both + "n_supports:int one_class:int"}},
       .expand = expand_support_vector_regressor},
  };
}

}  // namespace cppgen::passes
