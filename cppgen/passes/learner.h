#pragma once
#include <string>
#include <vector>

#include "cppgen/passes/expansion.h"
#include "runtime/base/errors.h"

// Helpers that expansions of the operators of ai.onnx.ml share: attributes, class labels and transforms of scores.
namespace cppgen::passes {

inline constexpr const char* kLearners = "ai.onnx.ml";
inline constexpr const char* kOwn = "cppgen";

class Learner : public Expansion {
 public:
  using Expansion::Expansion;

  [[noreturn]] void fail(const std::string& what) const {
    user_error("node {} ({}.{}): {}", quoted(old.name), kLearners, old.op, what);
  }

  // Attributes: if absent, an empty list or the default; UserError if the kind is wrong.
  bool has(const char* name) const { return old.attributes.count(name) > 0; }
  std::vector<float> floats(const char* name) const { return list<std::vector<float>>(name); }
  std::vector<int64_t> ints(const char* name) const { return list<std::vector<int64_t>>(name); }
  std::vector<std::string> strings(const char* name) const { return list<std::vector<std::string>>(name); }
  const Tensor* tensor(const char* name) const;
  std::string text(const char* name, const std::string& otherwise) const {
    return single<std::string>(name, otherwise);
  }
  int64_t number(const char* name, int64_t otherwise) const { return single<int64_t>(name, otherwise); }
  float real(const char* name, float otherwise) const { return single<float>(name, otherwise); }
  // The position of an attribute's text among the allowed ones.
  int choice(const char* name, const std::string& otherwise, const std::vector<std::string>& allowed) const;

  ValueId reals(const std::vector<float>& values, std::vector<int64_t> dims);
  ValueId doubles(const std::vector<double>& values, std::vector<int64_t> dims);
  ValueId integers(const std::vector<int64_t>& values, std::vector<int64_t> dims);
  ValueId integers(const std::vector<int64_t>& values) { return integers(values, {int64_t(values.size())}); }
  ValueId texts(const std::vector<std::string>& values);  // [count] strings
  ValueId real_scalar(float value) { return reals({value}, {}); }
  ValueId cast(ValueId x, DType to);
  ValueId concat(std::vector<ValueId> parts, int64_t axis = 1) {
    return add("Concat", std::move(parts), {{"axis", axis}});
  }
  // Input `i` as float32 [rows, features].
  ValueId features(size_t i = 0, bool keep_double = false);

  // Sets the operator's outputs to these values.
  void give(const std::vector<ValueId>& values);

 private:
  template <class T>
  T list(const char* name) const {
    return single<T>(name, T());
  }
  template <class T>
  T single(const char* name, const T& otherwise) const {
    const auto found = old.attributes.find(name);
    if (found == old.attributes.end()) return otherwise;
    if (const T* held = std::get_if<T>(&found->second)) return *held;
    if (const auto* none = std::get_if<std::vector<int64_t>>(&found->second); none && none->empty()) return otherwise;
    fail(std::string("attribute '") + name + "' is of another kind");
  }
};

enum class PostTransform { none, softmax, logistic, softmax_zero, probit };
PostTransform post_transform(const Learner&);

// Transforms scores [rows, classes] of this float type.
ValueId transformed(Learner&, ValueId scores, PostTransform, DType type = DType::f32);
// The two columns for one score [rows, 1] if an ensemble or a linear model decides between two classes: 1 - s and s, or
// -s and s (mirrored), or the logistic function of -s and s.
ValueId two_columns(Learner&, ValueId score, PostTransform, bool mirrored);

// Class labels of a classifier, strings or integers.
struct Labels {
  std::vector<std::string> strings;
  std::vector<int64_t> ints;
  int64_t count() const { return int64_t(strings.empty() ? ints.size() : strings.size()); }
};
Labels labels_of(const Learner&, const char* ints_name);
// The labels at positions [rows].
ValueId labels_at(Learner&, const Labels&, ValueId positions);
ValueId greatest_column(Learner&, ValueId scores);            // [rows] int64; of equal scores, the first
ValueId exceeds(Learner&, ValueId column, double threshold);  // of [rows, 1]: [rows] int64, 1 where it is greater

using LearnerRow = ExpansionRow<Learner&>;
std::vector<LearnerRow> preprocessing_expansions();
std::vector<LearnerRow> encoder_expansions();
std::vector<LearnerRow> linear_expansions();
std::vector<LearnerRow> support_vector_expansions();
std::vector<LearnerRow> tree_expansions();

}  // namespace cppgen::passes
