#include <re2/re2.h>

#include "runtime/plugins/plugin.h"

namespace cppgen::rt {
namespace {

RE2::Options options_of(RegexMatch match) {
  RE2::Options options(RE2::Quiet);
  options.set_longest_match(match == RegexMatch::longest);
  return options;
}

class Re2Regex : public Regex {
 public:
  Re2Regex(const std::string& pattern, RegexMatch match) : program_(pattern, options_of(match)) {}

  const RE2& program() const { return program_; }
  bool matches_all_of(std::string_view text) const override {
    return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), program_);
  }
  std::optional<Found> find(std::string_view text, size_t from) const override {
    re2::StringPiece found;
    const re2::StringPiece all(text.data(), text.size());
    if (!program_.Match(all, from, text.size(), RE2::UNANCHORED, &found, 1)) return std::nullopt;
    return Found{size_t(found.data() - text.data()), found.size()};
  }

 private:
  const RE2 program_;
};

std::unique_ptr<const Regex> compile(const std::string& pattern, RegexMatch match, std::string& error) {
  auto made = std::make_unique<const Re2Regex>(pattern, match);
  if (made->program().ok()) return made;
  error = made->program().error();
  return nullptr;
}

}  // namespace
}  // namespace cppgen::rt

extern "C" __attribute__((visibility("default")))
const cppgen::rt::RegexPlugin cppgen_plugin{cppgen::rt::kPluginBuild.data(), cppgen::rt::compile};
