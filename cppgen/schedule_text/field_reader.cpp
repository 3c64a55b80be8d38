#include "cppgen/schedule_text/field_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "cppgen/ir/text/print_expr.h"
#include "cppgen/schedule/costs.h"
#include "cppgen/schedule/engines/attention_engine.h"
#include "cppgen/schedule_text/fields.h"
#include "cppgen/text/tensor_reader.h"

namespace cppgen::schedule_text {
namespace {

constexpr int kMostLevels = 32;

}  // namespace

// Values that have lines of their own precede the field that uses them.
void FieldReader::named_values() {
  while (has_values_ && program_.values().at_named_value()) program_.values().named_value();
}

bool FieldReader::accept(std::string_view name) {
  named_values();
  if (reader_.accept_word(name)) {
    names_.clear();
    return true;
  }
  if (names_.empty() || names_.back() != name) names_.emplace_back(name);
  return false;
}

void FieldReader::require(std::string_view name) {
  if (!accept(name)) expected(name);
}

void FieldReader::expected(std::string_view name) const { reader_.expected(fmt::format("'{}'", name)); }

void FieldReader::expected_field(const char* otherwise) const {
  reader_.expected(names_.empty() ? otherwise : fmt::format("{} or {}", fmt::join(names_, ", "), otherwise));
}

void FieldReader::begin() {
  if (depth_++ == kMostLevels) reader_.fail(fmt::format("braces are nested more than {} levels deep", kMostLevels));
  reader_.expect_sign("{");
  names_.clear();
}

void FieldReader::end() {
  if (!reader_.at_sign("}")) expected_field("'}'");
  reader_.take();
  reader_.accept_sign(",");
  depth_--;
}

void FieldReader::word(std::string_view name, std::string& x) {
  require(name);
  reader_.expect_sign("=");
  word_ = reader_.peek().place;
  x = reader_.any_name("a name");
  reader_.accept_sign(",");
}

void FieldReader::word(std::string_view name, std::string& x, std::string_view usual) {
  x = usual;
  if (!accept(name)) return;
  reader_.expect_sign("=");
  x = reader_.any_name("a name");
  reader_.accept_sign(",");
}

void FieldReader::buffer(std::string_view name, ir::BufferId& x) {
  require(name);
  reader_.expect_sign("=");
  x = program_.values().buffer();
  reader_.accept_sign(",");
}

void FieldReader::buffer(std::string_view name, ir::BufferId& x, ir::BufferId usual) {
  x = usual;
  if (!accept(name)) return;
  reader_.expect_sign("=");
  x = program_.values().buffer();
  reader_.accept_sign(",");
}

std::vector<ir::BufferId> FieldReader::buffer_list(std::string_view name) {
  std::vector<ir::BufferId> read;
  if (!accept(name)) return read;
  reader_.expect_sign("=");
  reader_.list("[", "]", [&] { read.push_back(program_.values().buffer()); });
  reader_.accept_sign(",");
  return read;
}

size_t FieldReader::one_of(std::string_view name, std::span<const std::string_view> names) {
  require(name);
  reader_.expect_sign("=");
  for (size_t i = 0; i < names.size(); i++)
    if (reader_.accept_word(names[i])) return reader_.accept_sign(","), i;
  reader_.expected(fmt::format("one of {}", fmt::join(names, ", ")));
}

void FieldReader::engine(std::string_view name, const schedule::Engine*& x) {
  require(name);
  reader_.expect_sign("=");
  const text::Place place = reader_.peek().place;
  const std::string read = reader_.any_name("the name of an engine");
  x = engine_named(read);
  if (!x) reader_.fail_at(place, fmt::format("there is no engine {}", ir::quoted(read)));
  reader_.accept_sign(",");
}

void FieldReader::engine(std::string_view name, const schedule::AttentionEngine*& x) {
  x = nullptr;
  if (!accept(name)) return;
  reader_.expect_sign("=");
  const text::Place place = reader_.peek().place;
  const std::string read = reader_.any_name("the name of an engine of attentions");
  const auto& all = schedule::attention_engine_list();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& engine) { return engine.name == read; });
  if (found == all.end()) reader_.fail_at(place, fmt::format("there is no engine of attentions {}", ir::quoted(read)));
  x = &*found;
  reader_.accept_sign(",");
}

schedule::Tuning FieldReader::tuned(const schedule::Tuning& usual) {
  reader_.expect_sign("=");
  const text::Place place = reader_.peek().place;
  const std::string read = reader_.string("constants, a string");
  reader_.accept_sign(",");
  return reader_.at_place(place, [&] { return read.empty() ? usual : schedule::tuned(usual, read); });
}

void FieldReader::tuning(std::string_view name, std::shared_ptr<const schedule::Tuning>& x) {
  if (accept(name)) x = std::make_shared<const schedule::Tuning>(tuned(*tuning_));
}

void FieldReader::tuning(std::string_view name, schedule::Tuning& x, const schedule::Tuning& usual) {
  x = accept(name) ? tuned(usual) : usual;
  tuning_ = x;
}

void FieldReader::costs(std::string_view name, std::shared_ptr<const schedule::Costs>& x) {
  if (!accept(name)) return;
  reader_.expect_sign("=");
  const text::Place place = reader_.peek().place;
  const std::string read = reader_.string("numbers, a string");
  reader_.accept_sign(",");
  x = reader_.at_place(place, [&] { return std::make_shared<const schedule::Costs>(schedule::costs_with(read)); });
}

schedule::Target FieldReader::usual_target(const std::string& isa) const {
  return reader_.at_place(word_, [&] { return schedule_text::usual_target(isa); });
}

size_t FieldReader::element(std::string_view index, size_t count) {
  require(index);
  reader_.expect_sign("=");
  const text::Place place = reader_.peek().place;
  const int64_t number =
      index == "buffer" ? program_.values().buffer() : reader_.integer("a number", 0, std::numeric_limits<int>::max());
  if (size_t(number) >= count) reader_.fail_at(place, fmt::format("there is no {} {} of this kind", index, number));
  reader_.accept_sign(",");
  return size_t(number);
}

void FieldReader::steps(std::vector<schedule::ScheduledStep>& all) {
  while (reader_.at_word("kernel") || reader_.at_word("library") || reader_.at_word("repeat"))
    fields(*this, all.emplace_back());
  names_ = {"kernel", "library", "repeat"};
}

void FieldReader::values(const std::vector<ir::Expr>&) {
  has_values_ = true;
  program_.values().begin_values(result_ ? std::vector<DType>{*result_} : std::vector<DType>());
}

void FieldReader::reductions(std::vector<ir::Reduction>& all) {
  for (;;) {
    named_values();
    if (!program_.at_reduction(all.size())) return;
    if (result_) reader_.fail("acc0 is the product already");
    all.push_back(program_.reduction());
  }
}

void FieldReader::stores(std::vector<ir::Store>& all) {
  for (;;) {
    named_values();
    if (!program_.at_store()) return;
    all.push_back(program_.store());
    reader_.accept_sign(",");
  }
}

void FieldReader::stores_inside(std::string_view name, std::vector<ir::Store>& all) {
  if (!accept(name)) return;
  begin();
  stores(all);
  end();
}

void FieldReader::plan(const schedule::FusedKernel&) {
  const size_t number = kernels_++;
  if (!accept("plan")) return;
  PlanTokens plan{number, {}};
  int open = 0;
  do {
    if (reader_.at(text::TokenKind::end)) reader_.expected("'}'");
    open += reader_.at_sign("{") - reader_.at_sign("}");
    plan.tokens.push_back(reader_.take());
  } while (open > 0 || plan.tokens.back().text != "}");
  reader_.accept_sign(",");
  plans_.push_back(std::move(plan));
}

void FieldReader::read(bool& x) {
  x = reader_.accept_word("true");
  if (!x && !reader_.accept_word("false")) reader_.expected("true or false");
}
void FieldReader::read(int& x) {
  x = int(reader_.integer("a number", std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}
void FieldReader::read(int64_t& x) { x = reader_.integer("a number"); }
void FieldReader::read(double& x) { x = text::read_double(reader_); }
void FieldReader::read(std::string& x) { x = reader_.string("a string"); }

}  // namespace cppgen::schedule_text
