#include "cppgen/schedule/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cppgen/schedule/uses.h"
#include "cppgen/support/hashing.h"

namespace cppgen::schedule {
namespace {

constexpr size_t kHashDigits = 16;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Renumbers buffers (b17) and variables (i42, row7) in the order in which they appear.
class Renumbering {
 public:
  std::string apply(std::string_view text) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
      size_t end = at;
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) end++;
      if (end == at) {
        result += text[at++];
        continue;
      }
      result += word(std::string(text.substr(at, end - at)));
      at = end;
    }
    return result;
  }

 private:
  std::map<std::string, size_t> numbers_;

  // Letters and a number, except for types, operations and values within a nest (float32, log2, acc0, t1).
  std::string word(std::string text) {
    static const std::set<std::string, std::less<>> kOthers{"float", "bfloat", "int", "uint", "acc",
                                                            "t",     "exp",    "log", "atan", "complex"};
    const size_t letters = size_t(std::find_if(text.begin(), text.end(), is_digit) - text.begin());
    const bool is_numbered = letters > 0 && letters < text.size() &&
                             text.find_first_not_of("0123456789", letters) == text.npos &&
                             !kOthers.count(text.substr(0, letters));
    if (!is_numbered) return text;
    return fmt::format("{}{}", text.substr(0, letters), numbers_.emplace(text, numbers_.size()).first->second);
  }
};

std::string tensor_text(const ir::Program& program, ir::BufferId id) {
  const ir::Buffer& b = program.buffer(id);
  std::string text =
      fmt::format("b{} {}{}", id, name_of(b.type), b.kind == ir::BufferKind::constant ? " constant" : "");
  for (const ir::IndexExpr& extent : b.shape) text += " " + ir::to_string(extent);
  return text + "\n";
}

std::string text_of(const ir::Program& program, const ir::LoopNest& nest) {
  ir::LoopNest anonymous = nest;
  anonymous.origins.clear();
  std::string text = ir::to_string(anonymous, program);
  std::set<ir::BufferId> described;
  for (const Expr& load : loads_of(nest))
    if (described.insert(load->buffer).second) text += tensor_text(program, load->buffer);
  for (const ir::Store& store : nest.stores) text += tensor_text(program, store.buffer);
  return text;
}

std::string hash_of(const ir::Program& program, std::span<const ir::LoopNest* const> nests) {
  std::string text;
  for (const ir::LoopNest* nest : nests) text += text_of(program, *nest);
  return sha256_hex(Renumbering().apply(text)).substr(0, kHashDigits);
}

}  // namespace

std::string site_of(const ir::Program& program, std::span<const ir::LoopNest* const> nests) {
  return nests[0]->name + "-" + hash_of(program, nests);
}

std::string site_of_program(const ir::Program& program) {
  std::vector<const ir::LoopNest*> nests;
  ir::each_nest(program.statements, [&](const ir::LoopNest& nest) { nests.push_back(&nest); });
  return nests.empty() ? "" : "program-" + hash_of(program, nests);
}

}  // namespace cppgen::schedule
