#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/schedule/draft.h"
#include "cppgen/schedule_text/target_text.h"
#include "cppgen/text/program_parts.h"

namespace cppgen::schedule_text {

// Reads the fields of structs (fields.h) behind their program, each in its place. UserError with file, line and column.
class FieldReader {
 public:
  // The text of a kernel's plan, which is compared with its plan.
  struct PlanTokens {
    size_t kernel;  // its number in the schedule
    std::vector<text::Token> tokens;
  };

  FieldReader(text::Reader& reader, text::ProgramReader& program) : reader_(reader), program_(program) {
    program_.values().begin_nest();
  }

  template <class T>
  void all(T& x) {  // to the end of the text
    names_.clear();
    fields(*this, x);
    if (!reader_.at(text::TokenKind::end)) expected_field("the end of the text");
  }
  const std::vector<PlanTokens>& plans() const { return plans_; }

  template <class T>
  void operator()(std::string_view name, T& x) {
    require(name);
    assign(x);
  }
  template <class T>
  void operator()(std::string_view name, T& x, const std::type_identity_t<T>& usual) {
    x = usual;
    if (accept(name)) assign(x);
  }
  void word(std::string_view name, std::string& x);
  void word(std::string_view name, std::string& x, std::string_view usual);
  void buffer(std::string_view name, ir::BufferId& x);
  void buffer(std::string_view name, ir::BufferId& x, ir::BufferId usual);
  template <class Buffers>
  void buffers(std::string_view name, Buffers& x) {
    const std::vector<ir::BufferId> read = buffer_list(name);
    x = Buffers(read.begin(), read.end());
  }
  template <class E, size_t N>
  void choice(std::string_view name, E& x, const std::string_view (&names)[N]) {
    x = E(one_of(name, names));
  }
  void engine(std::string_view name, const schedule::Engine*& x);
  void engine(std::string_view name, const schedule::AttentionEngine*& x);  // null if there is no such field
  void tuning(std::string_view name, std::shared_ptr<const schedule::Tuning>& x);
  void tuning(std::string_view name, schedule::Tuning& x, const schedule::Tuning& usual);
  void costs(std::string_view name, std::shared_ptr<const schedule::Costs>& x);
  schedule::Target usual_target(const std::string& isa) const;

  template <class T>
  void record(std::string_view name, T& x) {
    if (!accept(name)) expected(name);
    braces(x);
  }
  template <class T>
  void record(std::string_view name, T& x, const std::type_identity_t<T>& usual) {
    x = usual;
    if (accept(name)) braces(x);
  }
  template <class T>
  void records(std::string_view name, std::vector<T>& all) {
    while (accept(name)) braces(all.emplace_back());
  }
  template <class T>
  void maybe(std::string_view name, std::optional<T>& x) {
    if (accept(name)) braces(x.emplace());
  }
  // The list has all elements already.
  template <class T, class IsUsual>
  void by(std::string_view index, std::string_view name, std::vector<T>& all, const IsUsual&) {
    while (accept(name)) {
      begin();
      fields(*this, all[element(index, all.size())]);
      end();
    }
  }
  template <class T, class Variant>
  bool alternative(std::string_view name, Variant& x) {
    if (!accept(name)) return false;
    braces(x.template emplace<T>());
    return true;
  }
  void steps(std::vector<schedule::ScheduledStep>& all);

  class Scope {
   public:
    explicit Scope(FieldReader& reader)
        : reader_(reader),
          result_(reader.result_),
          has_values_(reader.has_values_),
          outer_(reader.program_.values().enter()) {
      reader.has_values_ = false;
    }
    ~Scope() {
      reader_.program_.values().leave(std::move(outer_));
      reader_.result_ = result_, reader_.has_values_ = has_values_;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    FieldReader& reader_;
    std::optional<DType> result_;
    bool has_values_;
    text::ExprReader::Scope outer_;
  };
  Scope scope() { return Scope(*this); }
  void values(const std::vector<ir::Expr>&);
  void result(DType type) { result_ = type; }
  void reductions(std::vector<ir::Reduction>&);
  void stores(std::vector<ir::Store>&);
  void stores_inside(std::string_view name, std::vector<ir::Store>&);
  void plan(const schedule::FusedKernel&);

 private:
  text::Reader& reader_;
  text::ProgramReader& program_;
  std::vector<std::string> names_;  // of the fields that may be next
  std::optional<DType> result_;
  bool has_values_ = false;                 // named ones may be next
  std::optional<schedule::Tuning> tuning_;  // the target's
  std::vector<PlanTokens> plans_;
  size_t kernels_ = 0;
  text::Place word_;  // the place of the last word
  int depth_ = 0;

  void named_values();
  bool accept(std::string_view name);
  void require(std::string_view name);  // `name =`
  [[noreturn]] void expected(std::string_view name) const;
  [[noreturn]] void expected_field(const char* otherwise) const;
  void begin();
  void end();
  template <class T>
  void braces(T& x) {
    const std::vector<std::string> outer = names_;
    begin();
    fields(*this, x);
    end();
    names_ = outer;
  }
  template <class T>
  void assign(T& x) {
    reader_.expect_sign("=");
    read(x);
    reader_.accept_sign(",");
  }

  size_t element(std::string_view index, size_t count);
  size_t one_of(std::string_view name, std::span<const std::string_view> names);
  std::vector<ir::BufferId> buffer_list(std::string_view name);
  schedule::Tuning tuned(const schedule::Tuning& usual);

  void read(bool&);
  void read(int&);
  void read(int64_t&);
  void read(double&);
  void read(std::string&);
  void read(ir::IndexExpr& x) { x = program_.values().index(); }
  void read(ir::Loop& x) { x = program_.values().loop(); }
  void read(ir::Expr& x) { x = program_.values().value(); }
  template <class T>
  void read(std::vector<T>& all) {
    all.clear();
    reader_.list("[", "]", [&] {
      T x{};
      read(x);
      all.push_back(std::move(x));
    });
  }
};

}  // namespace cppgen::schedule_text
