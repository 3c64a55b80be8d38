// Operators of ai.onnx.ml that prepare features: Scaler, Normalizer, Imputer, Binarizer, FeatureVectorizer.
#include <cmath>

#include "cppgen/passes/learner.h"

namespace cppgen::passes {
namespace {

void expand_scaler(Learner& e) {
  const std::vector<float> offset = e.floats("offset"), scale = e.floats("scale");
  if (offset.empty() || scale.empty()) e.fail("offset and scale must be given");
  const ValueId x = e.cast(e.input(0), DType::f32);
  const ValueId moved = e.add("Sub", {x, e.reals(offset, {int64_t(offset.size())})});
  e.become("Mul", {moved, e.reals(scale, {int64_t(scale.size())})}, {});
}

// Rows whose norm is 0 stay as they are.
void expand_normalizer(Learner& e) {
  constexpr const char* kReductions[] = {"ReduceMax", "ReduceL1", "ReduceL2"};
  const int norm = e.choice("norm", "MAX", {"MAX", "L1", "L2"});
  const ValueId x = e.cast(e.input(0), DType::f32);
  const ValueId size = e.add(kReductions[norm], {x, e.integers({-1})}, {{"keepdims", int64_t(1)}});
  const ValueId zero = e.add("Equal", {size, e.real_scalar(0)});
  e.become("Div", {x, e.add("Where", {zero, e.real_scalar(1), size})}, {});
}

void expand_imputer(Learner& e) {
  const std::vector<float> reals = e.floats("imputed_value_floats");
  const std::vector<int64_t> ints = e.ints("imputed_value_int64s");
  if (reals.empty() == ints.empty()) e.fail("one of imputed_value_floats and imputed_value_int64s must be given");
  const ValueId x = e.input(0);
  const float replaced = e.real("replaced_value_float", 0);
  const ValueId values = ints.empty() ? e.reals(reals, {int64_t(reals.size())}) : e.integers(ints);
  ValueId missing;
  if (ints.empty() && std::isnan(replaced)) {
    missing = e.add("IsNaN", {x});
  } else {
    const ValueId given =
        ints.empty() ? e.real_scalar(replaced) : e.integers({e.number("replaced_value_int64", 0)}, {});
    missing = e.add("Equal", {x, e.add("CastLike", {given, x})});
  }
  e.become("Where", {missing, e.add("CastLike", {values, x}), x}, {});
}

void expand_binarizer(Learner& e) {
  const ValueId x = e.input(0), wide = e.cast(x, DType::f64);
  const ValueId above = e.add("Greater", {wide, e.doubles({double(e.real("threshold", 0))}, {})});
  e.become("CastLike", {above, x}, {});
}

void expand_feature_vectorizer(Learner& e) {
  std::vector<ValueId> parts;
  for (size_t i = 0; i < e.old.inputs.size(); i++) parts.push_back(e.features(i));
  if (parts.empty()) e.fail("it has no inputs");
  e.become("Concat", std::move(parts), {{"axis", int64_t(1)}});
}

}  // namespace

std::vector<LearnerRow> preprocessing_expansions() {
  return {
      {.name = "Scaler", .domain = kLearners, .versions = {{1, "offset:floats scale:floats"}}, .expand = expand_scaler},
      {.name = "Normalizer", .domain = kLearners, .versions = {{1, "norm:string"}}, .expand = expand_normalizer},
      {.name = "Imputer",
       .domain = kLearners,
       .versions = {{1,
                     "imputed_value_floats:floats imputed_value_int64s:ints replaced_value_float:float "
                     "replaced_value_int64:int"}},
       .expand = expand_imputer},
      {.name = "Binarizer", .domain = kLearners, .versions = {{1, "threshold:float"}}, .expand = expand_binarizer},
      {.name = "FeatureVectorizer",
       .domain = kLearners,
       .versions = {{1, "inputdimensions:ints"}},
       .expand = expand_feature_vectorizer},
  };
}

}  // namespace cppgen::passes
