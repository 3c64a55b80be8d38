// Checks of a description's texts that do not require a node.
#include <algorithm>
#include <set>

#include "cppgen/custom/functions.h"
#include "cppgen/custom/operator.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen::custom {
namespace {

class Checker {
 public:
  explicit Checker(const ops::CustomOperator& op) : op_(op), d_(op.description()) {}

  void run() {
    note_names();
    for (size_t o = 0; o < d_.outputs.size(); o++)
      for (const Term& term : op_.shape(o)) check_dimension(term);
    for (const Statement& s : op_.statements()) check(s);
    if (d_.function) return;
    for (const rt::CustomOutput& output : d_.outputs)
      if (!tensors_.count(output.name)) user_error("{}: lowering: no statement stores '{}'", d_.place, output.name);
  }

 private:
  const ops::CustomOperator& op_;
  const rt::CustomDescription& d_;
  std::set<std::string> inputs_, attributes_, dims_, groups_, outputs_;
  std::set<std::string> tensors_;    // that can be read
  std::set<std::string> variables_;  // of the loops around

  [[noreturn]] static void fail(const Term& term, const std::string& what) {
    fail_at(*term.source, term.position, what);
  }

  void take_name(const std::string& name, const std::string& place) const {
    if (inputs_.count(name) || attributes_.count(name) || outputs_.count(name) || dims_.count(name))
      user_error("{}: the name '{}' is already in use", place, name);
    for (const char* word : {"and", "or", "not"})
      if (name == word) user_error("{}: '{}' is a reserved word", place, name);
  }

  void note_names() {
    for (const rt::CustomInput& input : d_.inputs) {
      take_name(input.name, d_.place);
      inputs_.insert(input.name);
    }
    for (const rt::CustomAttribute& a : d_.attributes) {
      take_name(a.name, d_.place);
      attributes_.insert(a.name);
    }
    for (const rt::CustomOutput& output : d_.outputs) {
      take_name(output.name, d_.place);
      outputs_.insert(output.name);
    }
    for (const rt::CustomInput& input : d_.inputs)
      if (input.shape) note_dims(*input.shape);
    tensors_ = inputs_;
  }

  void note_dims(const std::vector<rt::CustomText>& shape) {
    constexpr size_t kMostDigits = 18;
    int groups = 0;
    for (const rt::CustomText& dim : shape) {
      if (!dim.text.empty() && dim.text.find_first_not_of("0123456789") == std::string::npos) {
        if (dim.text.size() > kMostDigits) user_error("{}: {} is not a dimension", dim.place, dim.text);
        continue;
      }
      const Term term = parse_dimension(dim);
      const bool group = term.kind == TermKind::group;
      if ((!group && term.kind != TermKind::name) || dim.text != term.name + (group ? "..." : ""))
        user_error("{}: '{}' is neither a name, nor a number, nor a name followed by '...'", dim.place, dim.text);
      if (!dims_.count(term.name)) take_name(term.name, dim.place);
      if (group && ++groups > 1) user_error("{}: a shape may have at most one '...'", dim.place);
      (group ? groups_ : dims_).insert(term.name);
    }
  }

  void check_dimension(const Term& term) const {
    if (term.kind == TermKind::name && !dims_.count(term.name) && !attributes_.count(term.name))
      fail(term, fmt::format("'{}' is neither a named dimension nor an attribute", term.name));
    if (term.kind == TermKind::dim && !inputs_.count(term.name))
      fail(term, fmt::format("there is no input '{}'", term.name));
    if (term.kind == TermKind::group && !groups_.count(term.name))
      fail(term, fmt::format("no input has dimensions '{}...'", term.name));
    const bool broadcast = term.is(Own::broadcast);
    if (!broadcast)
      for (const Term& arg : term.args) check_dimension(arg);
  }

  void check(const Statement& s) {
    const auto fail_here = [&](const std::string& what) { fail_at(*s.source, s.position, what); };
    const bool output = outputs_.count(s.target) > 0;
    if (inputs_.count(s.target)) fail_here(fmt::format("'{}' is an input, which cannot be stored", s.target));
    if (tensors_.count(s.target)) fail_here(fmt::format("'{}' is stored twice", s.target));
    if (!output) take_name(s.target, s.source->place);
    variables_.clear();
    for (const Axis& axis : s.axes) {
      if (output && !axis.extent.empty())
        fail_at(*s.source, axis.position, fmt::format("the range of '{}' follows from the output's shape", axis.name));
      if (!output && axis.extent.empty())
        fail_at(*s.source, axis.position,
                fmt::format("'{}' is not an output: give the range of '{}', as in {}[{} : N]", s.target, axis.name,
                            s.target, axis.name));
      add_variable(axis, *s.source);
    }
    check(s.value);
    tensors_.insert(s.target);
  }

  void add_variable(const Axis& axis, const rt::CustomText& source) {
    if (tensors_.count(axis.name) || attributes_.count(axis.name) || dims_.count(axis.name) ||
        outputs_.count(axis.name))
      fail_at(source, axis.position, fmt::format("the name '{}' is already in use", axis.name));
    if (!variables_.insert(axis.name).second)
      fail_at(source, axis.position, fmt::format("'{}' is a variable of an enclosing loop", axis.name));
    for (const Term& extent : axis.extent) check_extent(axis, extent);
  }

  void check_extent(const Axis& axis, const Term& extent) const {
    if (!axis.group) return check(extent);
    const bool of_tensor = extent.kind == TermKind::name && tensors_.count(extent.name);
    const bool of_group = extent.kind == TermKind::group && groups_.count(extent.name);
    if (!of_tensor && !of_group)
      fail(
          extent,
          fmt::format("'{}...' ranges over a tensor, as in {}... : x, or over named dimensions, as in {}... : batch...",
                      axis.name, axis.name, axis.name));
  }

  void check(const Term& term) const {
    switch (term.kind) {
      case TermKind::name:
        if (!variables_.count(term.name) && !attributes_.count(term.name) && !dims_.count(term.name) &&
            !tensors_.count(term.name))
          fail(term, fmt::format("'{}' is not a variable, attribute, named dimension or tensor here", term.name));
        return;
      case TermKind::group:
        if (!variables_.count(term.name)) fail(term, fmt::format("'{}...' is not a variable here", term.name));
        return;
      case TermKind::dim:
        if (!tensors_.count(term.name)) fail(term, fmt::format("there is no tensor '{}' here", term.name));
        return;
      case TermKind::load:
        if (!tensors_.count(term.name) && !attributes_.count(term.name))
          fail(term, fmt::format("there is no tensor '{}' here", term.name));
        break;
      case TermKind::call:
        check_function(term);
        if (term.is(Own::cast)) return check(term.args[0]);
        break;
      case TermKind::reduction: {
        Checker inner = *this;
        for (const Axis& axis : term.axes) inner.add_variable(axis, *term.source);
        return inner.check(term.args[0]);
      }
      default:
        break;
    }
    for (const Term& arg : term.args) check(arg);
  }

  static void check_function(const Term& term) {
    const std::optional<size_t> wanted = arguments_of(term.operation);
    if (!wanted) fail(term, fmt::format("there is no function '{}'; there are {}", term.name, function_names()));
    if (term.args.size() != *wanted)
      fail(term,
           fmt::format("'{}' takes {}, not {}", term.name, counted(int64_t(*wanted), "argument"), term.args.size()));
    if (term.is(Own::inside) && term.args[0].kind != TermKind::load)
      fail(term.args[0], "inside takes an element of a tensor, as in inside(x[i - 1], 0)");
    if (term.is(Own::cast) && term.args[1].kind != TermKind::name)
      fail(term.args[1], "cast takes an element type or the name of a tensor, as in cast(x[i], float32)");
  }
};

}  // namespace

void check_names(const ops::CustomOperator& op) { Checker(op).run(); }

}  // namespace cppgen::custom
