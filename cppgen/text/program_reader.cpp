#include "cppgen/text/program_reader.h"

#include <fmt/format.h>

#include "cppgen/text/program_parts.h"
#include "cppgen/text/tensor_reader.h"

namespace cppgen::text {

using ir::AxisRole;
using ir::BufferId;
using ir::BufferKind;
using ir::Carried;
using ir::ConstantData;
using ir::IndexExpr;
using ir::LibraryCall;
using ir::Loop;
using ir::LoopNest;
using ir::Program;
using ir::ReduceOp;
using ir::Reduction;
using ir::Repetition;
using ir::Statement;
using ir::Store;

namespace {

constexpr const char* kBufferKinds[] = {"input", "output", "constant", "temporary"};
constexpr const char* kAxisRoles[] = {"none", "batch", "rows", "columns", "k"};
constexpr int kMostRepetitions = 16;

constexpr int kReductionCount = 0
#define CPPGEN_REDUCTION(...) +1
#define CPPGEN_POSITION_REDUCTION(...) +1
#include "cppgen/ir/values/operations.def"
    ;

template <size_t N>
size_t word_of(Reader& reader, const char* const (&words)[N], const char* what) {
  for (size_t i = 0; i < N; i++)
    if (reader.accept_word(words[i])) return i;
  reader.expected(what);
}

}  // namespace

void ProgramReader::read() {
  reader_.expect_word("program");
  for (;;) {
    if (reader_.accept_word("symbol"))
      symbols_.read_symbol(reader_);
    else if (reader_.accept_word("assume"))
      symbols_.read_assumption(reader_);
    else
      break;
  }
  while (values_.at_buffer()) buffer();
  program_.statements = statements();
  reader_.expect_word("inputs");
  program_.inputs = buffers();
  reader_.expect_word("outputs");
  program_.outputs = buffers();
}

// Buffers are numbered in their order.
void ProgramReader::buffer() {
  const auto id = BufferId(program_.buffers.size());
  if (!reader_.accept_word(fmt::format("b{}", id))) reader_.expected(fmt::format("the buffer b{}", id));
  const auto kind = BufferKind(word_of(reader_, kBufferKinds, "input, output, constant or temporary"));
  const std::optional<DType> type = accept_element_type(reader_);
  if (!type || size_t(*type) >= size_t(kDTypeCount)) reader_.expected("an element type, such as float32");
  const Place place = reader_.peek().place;
  std::vector<IndexExpr> shape = read_indices(reader_, symbols_.finder());
  if (shape.size() > kMostDimensions) reader_.fail_at(place, "too many dimensions");
  const std::string name = reader_.at(TokenKind::quoted) ? reader_.take().text : "";
  ConstantData data;
  if (kind == BufferKind::constant) {
    reader_.expect_sign("=");
    if (!reader_.accept_word("packed")) data = read_data(reader_, *type, constant_dims(reader_, *type, shape, place));
  }
  program_.add_buffer(name, *type, std::move(shape), kind, data);
}

std::vector<BufferId> ProgramReader::buffers() {
  std::vector<BufferId> ids;
  if (!values_.at_buffer()) return ids;
  reader_.items([&] { ids.push_back(values_.buffer()); });
  return ids;
}

std::vector<std::string> ProgramReader::origins() {
  std::vector<std::string> names;
  if (!reader_.accept_sign("#")) return names;
  reader_.expect_word("from");
  reader_.items([&] { names.push_back(reader_.string("the name of a node, a string")); });
  return names;
}

std::vector<Statement> ProgramReader::statements() {
  const Reader::Level level(reader_, depth_, kMostRepetitions, "repetitions");
  std::vector<Statement> all;
  for (;;) {
    if (reader_.accept_word("nest"))
      all.emplace_back(nest());
    else if (reader_.accept_word("call"))
      all.emplace_back(call());
    else if (reader_.accept_word("repeat"))
      all.emplace_back(repetition());
    else
      return all;
  }
}

std::vector<Loop> ProgramReader::loops(const char* word) {
  std::vector<Loop> all;
  if (!reader_.accept_word(word)) return all;
  reader_.items([&] { all.push_back(values_.loop()); });
  return all;
}

LoopNest ProgramReader::nest() {
  LoopNest nest;
  nest.name = reader_.name("the name of the nest");
  nest.origins = origins();
  values_.begin_nest();
  nest.loops = loops("for"), nest.reduced = loops("reduce");
  while (line(nest)) {
  }
  if (reader_.accept_word("roles")) reader_.items([&] { nest.roles.push_back(role()); });
  return nest;
}

AxisRole ProgramReader::role() { return AxisRole(word_of(reader_, kAxisRoles, "none, batch, rows, columns or k")); }

// A named value, a reduction or a store.
bool ProgramReader::line(LoopNest& nest) {
  if (values_.at_named_value()) {
    values_.named_value();
  } else if (at_reduction(nest.reductions.size())) {
    nest.reductions.push_back(reduction());
  } else if (at_store()) {
    nest.stores.push_back(store());
  } else {
    return false;
  }
  return true;
}

bool ProgramReader::at_reduction(size_t number) const { return reader_.at_word(fmt::format("acc{}", number)); }

Reduction ProgramReader::reduction() {
  reader_.take();
  reader_.expect_sign("=");
  Reduction r;
  r.op = reduce_op();
  const std::optional<DType> type = accept_element_type(reader_);
  if (!type || size_t(*type) >= size_t(kDTypeCount)) reader_.expected("the type of the result");
  r.type = *type;
  reader_.expect_sign("(");
  r.value = values_.value();
  while (reader_.accept_sign(",")) {
    if (reader_.accept_word("last")) {
      r.select_last = true;
    } else {
      reader_.expect_word("at");
      r.position = values_.index();
    }
  }
  reader_.expect_sign(")");
  values_.add_accumulator(r.type);
  return r;
}

ReduceOp ProgramReader::reduce_op() {
  for (int i = 0; i < kReductionCount; i++)
    if (reader_.accept_word(name_of(ReduceOp(i)))) return ReduceOp(i);
  reader_.expected("a reduction, such as sum");
}

Store ProgramReader::store() {
  Store s;
  s.buffer = values_.buffer();
  s.indices = values_.indices();
  reader_.expect_sign("=");
  s.value = values_.value();
  return s;
}

LibraryCall ProgramReader::call() {
  LibraryCall call;
  call.function = reader_.any_name("the name of a function");
  call.origins = origins();
  reader_.expect_word("inputs");
  call.inputs = buffers();
  reader_.expect_word("outputs");
  call.outputs = buffers();
  const FindVariable find = symbols_.finder();
  if (reader_.accept_word("params")) reader_.items([&] { call.params.push_back(read_index(reader_, find)); });
  if (reader_.accept_word("numbers")) reader_.items([&] { call.numbers.push_back(read_double(reader_)); });
  return call;
}

Repetition ProgramReader::repetition() {
  Repetition r;
  const Place place = reader_.peek().place;
  r.step = symbols_.finder()(reader_.any_name("the symbol of the step"), place);
  reader_.expect_sign("<");
  r.steps = read_index(reader_, symbols_.finder());
  r.origins = origins();
  while (reader_.accept_word("carry")) {
    Carried c{};
    c.before = values_.buffer();
    reader_.expect_sign("=");
    c.initial = values_.buffer();
    reader_.expect_sign(",");
    reader_.expect_word("then");
    c.after = values_.buffer();
    r.carried.push_back(c);
  }
  r.body = statements();
  reader_.expect_word("end");
  return r;
}

bool is_program(std::string_view text, const std::string& file) { return Lexer(text, file).next().text == "program"; }

Program read_program(std::string_view text, const std::string& file) {
  Program program;
  Reader reader(text, file);
  const Place begin = reader.peek().place;
  ProgramReader parts(reader, program);
  parts.read();
  reader.expect_end();
  parts.end();
  reader.at_place(begin, [&] { verify(program); });
  return program;
}

}  // namespace cppgen::text
