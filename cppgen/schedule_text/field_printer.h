#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/ir/text/exact_text.h"
#include "cppgen/ir/text/program_text.h"
#include "cppgen/schedule/draft.h"
#include "cppgen/schedule/engines/attention_engine.h"
#include "cppgen/schedule_text/target_text.h"

namespace cppgen::schedule_text {

// Prints the fields of structs (fields.h).
class FieldPrinter {
 public:
  using PlanText = std::function<std::string(const schedule::FusedKernel&)>;

  // `plan`: the text of a kernel's plan; null: plans are left out.
  explicit FieldPrinter(PlanText plan = {}) : plan_(std::move(plan)) { blocks_.emplace_back(); }

  // The text of all visited fields, each entry on lines of its own.
  std::string lines() const;
  // Prints a record in braces: on one line if it is short.
  std::string in_braces() const;

  template <class T>
  void operator()(std::string_view name, const T& x) {
    assign(name, text_of(x));
  }
  template <class T>
  void operator()(std::string_view name, const T& x, const std::type_identity_t<T>& usual) {
    if (!(x == usual)) assign(name, text_of(x));
  }
  template <class T>  // the usual list is empty
  void operator()(std::string_view name, const std::vector<T>& x, const std::type_identity_t<std::vector<T>>&) {
    if (!x.empty()) assign(name, text_of(x));
  }
  void word(std::string_view name, const std::string& x);
  void word(std::string_view name, const std::string& x, std::string_view usual) {
    if (x != usual) word(name, x);
  }
  void buffer(std::string_view name, ir::BufferId x) { assign(name, buffer_text(x)); }
  void buffer(std::string_view name, ir::BufferId x, ir::BufferId usual) {
    if (x != usual) buffer(name, x);
  }
  template <class Buffers>
  void buffers(std::string_view name, const Buffers& x) {
    if (!x.empty()) assign(name, list_text(x, buffer_text));
  }
  template <class E, size_t N>
  void choice(std::string_view name, E x, const std::string_view (&names)[N]) {
    assign(name, std::string(names[size_t(x)]));
  }
  void engine(std::string_view name, const schedule::Engine* x) { word(name, engine_name(*x)); }
  void engine(std::string_view name, const schedule::AttentionEngine* x) {
    if (x) word(name, x->name);
  }
  void tuning(std::string_view name, const std::shared_ptr<const schedule::Tuning>& x);
  void tuning(std::string_view name, const schedule::Tuning& x, const schedule::Tuning& usual);
  void costs(std::string_view name, const std::shared_ptr<const schedule::Costs>& x);
  schedule::Target usual_target(const std::string& isa) const { return schedule_text::usual_target(isa); }

  template <class T>
  void record(std::string_view name, T& x) {
    begin();
    fields(*this, x);
    end(name);
  }
  template <class T>
  void record(std::string_view name, T& x, const std::type_identity_t<T>& usual) {
    if (!(x == usual)) record(name, x);
  }
  template <class T>
  void records(std::string_view name, std::vector<T>& all) {
    for (T& x : all) record(name, x);
  }
  template <class T>
  void maybe(std::string_view name, std::optional<T>& x) {
    if (x) record(name, *x);
  }
  template <class T, class IsUsual>
  void by(std::string_view index, std::string_view name, std::vector<T>& all, const IsUsual& is_usual) {
    for (size_t i = 0; i < all.size(); i++) {
      if (is_usual(all[i], i)) continue;
      begin();
      assign(index, index == "buffer" ? buffer_text(ir::BufferId(i)) : text_of(i));
      fields(*this, all[i]);
      end(name);
    }
  }
  template <class T, class Variant>
  bool alternative(std::string_view name, Variant& x) {
    T* held = std::get_if<T>(&x);
    if (held) record(name, *held);
    return held;
  }
  template <class Step>
  void steps(std::vector<Step>& all) {
    for (Step& step : all) fields(*this, step);
  }

  struct Scope {
    ~Scope() {}
  };
  Scope scope() const { return {}; }
  void values(std::vector<ir::Expr> roots);
  void result(DType) const {}
  void reductions(const std::vector<ir::Reduction>&);
  void stores(const std::vector<ir::Store>&);
  void stores_inside(std::string_view name, const std::vector<ir::Store>&);
  void plan(const schedule::FusedKernel&);

 private:
  struct Block {
    std::vector<std::string> entries;
    bool on_lines = false;  // even if it is short
  };

  PlanText plan_;
  std::vector<Block> blocks_;  // the outermost first
  std::optional<ir::ExprPrinter> values_;
  std::optional<schedule::Tuning> tuning_;  // the target's

  void begin() { blocks_.emplace_back(); }
  void end(std::string_view name);
  void add(std::string entry) { blocks_.back().entries.push_back(std::move(entry)); }
  void add_line(std::string entry);
  void assign(std::string_view name, const std::string& text);
  void add_named_values();

  static std::string buffer_text(ir::BufferId);
  static std::string text_of(bool x) { return x ? "true" : "false"; }
  static std::string text_of(int x) { return std::to_string(x); }
  static std::string text_of(int64_t x) { return std::to_string(x); }
  static std::string text_of(size_t x) { return std::to_string(x); }
  static std::string text_of(double x) { return ir::exact_number(x); }
  static std::string text_of(DType x) { return std::string(name_of(x)); }
  static std::string text_of(const std::string& x) { return ir::quoted(x); }
  static std::string text_of(ir::IndexExpr x) { return ir::exact_text(x); }
  static std::string text_of(const ir::Loop& x) { return ir::loop_text(x); }
  std::string text_of(ir::Expr x) { return values_->print(x); }
  template <class T>
  std::string text_of(const std::vector<T>& all) {
    return list_text(all, [this](const T& x) { return text_of(x); });
  }
  template <class List, class F>
  static std::string list_text(const List& all, const F& text) {
    std::string joined;
    for (const auto& x : all) joined += (joined.empty() ? "" : ", ") + text(x);
    return "[" + joined + "]";
  }
};

}  // namespace cppgen::schedule_text
