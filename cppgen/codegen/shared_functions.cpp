#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "cppgen/codegen/kernel_text.h"

namespace cppgen::codegen {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A function cut at the decimal numbers in which others may differ: piece, number, piece, ..., piece.
struct NumberedText {
  std::vector<std::string> pieces;
  std::vector<int64_t> numbers;
  std::vector<bool> is_elements;  // of an array; it may have more

  std::string key() const { return fmt::format("{}", fmt::join(pieces, "\1")); }
};

// Cuts emitted code. Other numbers than those of an array's elements stay where C++ wants constants: in lines that
// declare something static, constexpr or aligned, in template arguments, in [N], which is a field of the kernel's
// arguments, and in braces of one line, which initialise a struct and refuse values of a wider type.
class NumberCutter {
 public:
  explicit NumberCutter(const std::string& text) : text_(text) {}

  NumberedText cut() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (at_line_start()) start_line();
      if (is_digit(c) && !follows_word()) {
        take_number();
      } else {
        note_bracket(c);
        at_++;
      }
    }
    result_.pieces.push_back(text_.substr(piece_));
    return std::move(result_);
  }

 private:
  const std::string& text_;
  size_t at_ = 0, piece_ = 0;
  bool line_is_fixed_ = false, line_assigns_ = false;
  int braces_ = 0, angles_ = 0;
  NumberedText result_;

  bool at_line_start() const { return at_ == 0 || text_[at_ - 1] == '\n'; }
  char before() const { return at_ == 0 ? '\n' : text_[at_ - 1]; }
  bool follows_word() const { return is_word(before()) || before() == '.'; }
  char next(size_t from) const { return from < text_.size() ? text_[from] : '\n'; }

  void start_line() {
    const std::string_view rest = std::string_view(text_).substr(at_);
    const std::string_view line = rest.substr(0, rest.find('\n'));
    braces_ = angles_ = 0;
    line_is_fixed_ = line_assigns_ = false;
    for (const std::string_view word : {"static ", "constexpr ", "alignas(", "_Pragma(", "asm", "case ", "//", "#"})
      line_is_fixed_ |= line.find(word) != line.npos;
  }

  void note_bracket(char c) {
    if (c == '=') line_assigns_ = true;
    if (c == '{') braces_++;
    if (c == '}' && braces_ > 0) braces_--;
    if (c == '<' && is_word(before())) angles_++;
    if (c == '>' && angles_ > 0) angles_--;
  }

  // The end of the number, which may be one of floating point or have a suffix.
  size_t end_of_number() const {
    size_t end = at_;
    while (is_word(next(end)) || next(end) == '.' ||
           ((next(end) == '+' || next(end) == '-') && (text_[end - 1] == 'e' || text_[end - 1] == 'p')))
      end++;
    return end;
  }

  // TYPE NAME[N]; or TYPE NAME[N] = {};
  bool declares_array(size_t end) const {
    const std::string_view rest = std::string_view(text_).substr(end);
    return before() == '[' && !line_assigns_ && (rest.starts_with("];") || rest.starts_with("] = {};"));
  }

  bool is_fixed(size_t end) const {
    return line_is_fixed_ || braces_ > 0 || angles_ > 0 || (before() == '[' && next(end) == ']');
  }

  void take_number() {
    const size_t end = end_of_number();
    const bool is_elements = declares_array(end);
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(text_.data() + at_, text_.data() + end, value);
    const bool is_decimal = error == std::errc() && stop == text_.data() + end;
    if (is_decimal && (is_elements || !is_fixed(end))) {
      result_.pieces.push_back(text_.substr(piece_, at_ - piece_));
      result_.numbers.push_back(value);
      result_.is_elements.push_back(is_elements);
      piece_ = end;
    }
    at_ = end;
  }
};

// Kernels whose functions are equal except for such numbers.
struct Family {
  std::vector<size_t> kernels;
  std::vector<NumberedText> texts;  // by member

  // The values of a number in all members.
  std::vector<int64_t> values(size_t number) const {
    std::vector<int64_t> all;
    for (const NumberedText& t : texts) all.push_back(t.numbers[number]);
    return all;
  }
};

// The numbers of a family that differ become parameters; those that are equal in each member are one. Arrays have as
// many elements as the largest one.
class Parameters {
 public:
  explicit Parameters(const Family& family) : text_(family.texts[0]) {
    for (size_t n = 0; n < text_.numbers.size(); n++) {
      const std::vector<int64_t> values = family.values(n);
      const auto [least, largest] = std::minmax_element(values.begin(), values.end());
      if (text_.is_elements[n] || *least == *largest) {
        numbers_.push_back(std::to_string(*largest));
      } else {
        numbers_.push_back(fmt::format("c{}", parameters_.try_emplace(values, parameters_.size()).first->second));
      }
    }
  }

  size_t count() const { return parameters_.size(); }

  // The values of a member, in order.
  std::vector<ir::IndexExpr> of_member(size_t member) const {
    std::vector<ir::IndexExpr> result(parameters_.size());
    for (const auto& [values, parameter] : parameters_) result[parameter] = ir::IndexExpr(values[member]);
    return result;
  }

  // The function of all members, whose other parameters are the first ones.
  std::string function(size_t first) const {
    std::string function = text_.pieces[0];
    for (size_t n = 0; n < numbers_.size(); n++) function += numbers_[n] + text_.pieces[n + 1];
    std::string declarations;
    for (size_t p = 0; p < parameters_.size(); p++)
      declarations += fmt::format("  const vec::i64 c{} = args->params[{}];\n", p, first + p);
    return function.insert(function.find('\n') + 1, declarations);
  }

 private:
  const NumberedText& text_;
  std::map<std::vector<int64_t>, size_t> parameters_;  // by the values in all members
  std::vector<std::string> numbers_;                   // as the function has them
};

// Functions that stay as they are written, if they are not equal: loops over the taps of windows are unrolled where
// their numbers are constants, and the id of a check follows the last parameter.
bool has_own_numbers(const KernelText& k) { return !k.checks.empty() || k.plan.keeps_numbers; }

std::vector<Family> families_of(const std::vector<KernelText>& kernels) {
  std::vector<Family> families;
  std::unordered_map<std::string, size_t> seen;
  for (size_t i = 0; i < kernels.size(); i++) {
    const KernelText& k = kernels[i];
    NumberedText text = has_own_numbers(k) ? NumberedText{{k.function}, {}, {}} : NumberCutter(k.function).cut();
    const auto [it, fresh] = seen.try_emplace(k.linkage + text.key(), families.size());
    if (fresh) families.emplace_back();
    Family& family = families[it->second];
    family.kernels.push_back(i);
    family.texts.push_back(std::move(text));
  }
  return families;
}

// "k5_conv, k9_conv and 3 more": the kernels beside the first.
std::string names_of_others(const Family& family, const std::vector<KernelText>& kernels) {
  constexpr size_t kMostNames = 6;
  std::string names;
  const size_t last = std::min(family.kernels.size() - 1, kMostNames);
  for (size_t member = 1; member <= last; member++)
    names += (member == 1 ? "" : ", ") + kernels[family.kernels[member]].name;
  return last + 1 == family.kernels.size() ? names
                                           : fmt::format("{} and {} more", names, family.kernels.size() - 1 - last);
}

void share(const Family& family, std::vector<KernelText>& kernels) {
  KernelText& holder = kernels[family.kernels[0]];
  const Parameters parameters(family);
  const std::string function = parameters.function(holder.params.size());
  for (size_t member = 0; member < family.kernels.size(); member++) {
    KernelText& k = kernels[family.kernels[member]];
    for (const ir::IndexExpr& value : parameters.of_member(member)) k.params.push_back(value);
    k.written = std::move(k.function);
    k.function.clear();
    if (member == 0) continue;
    k.shared = holder.name;
    const auto& tiles = k.finished_tiles;
    holder.finished_tiles.insert(holder.finished_tiles.end(), tiles.begin(), tiles.end());
  }
  holder.function = function;
  if (!holder.comment.empty())
    holder.comment += fmt::format("// Also the function of {}{}.\n", names_of_others(family, kernels),
                                  parameters.count() == 0 ? "" : ", whose numbers are parameters");
}

}  // namespace

std::vector<size_t> share_functions(std::vector<KernelText>& kernels) {
  std::vector<size_t> holder(kernels.size());
  for (const Family& family : families_of(kernels)) {
    for (const size_t k : family.kernels) holder[k] = family.kernels[0];
    if (family.kernels.size() > 1) share(family, kernels);
  }
  return holder;
}

}  // namespace cppgen::codegen
