#include <fmt/format.h>

#include <algorithm>

#include "cppgen/schedule/kernels/kernels.h"
#include "cppgen/schedule/kernels/repetition.h"
#include "cppgen/schedule/passes.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

// The words with which both names begin: "softmax" for softmax_max and softmax_exp.
std::string common_words(const std::string& a, const std::string& b) {
  const size_t most = std::min(a.size(), b.size());
  size_t end = 0;
  for (size_t i = 0; i <= most && std::equal(a.begin(), a.begin() + long(i), b.begin()); i++) {
    const bool ends_word = (i == a.size() || a[i] == '_') && (i == b.size() || b[i] == '_');
    if (ends_word) end = i;
  }
  return a.substr(0, end);
}

// The common name of the first nests: the nests of one operator begin with its name.
std::vector<std::string> operators_of(const Program& program, const Group& group, size_t most) {
  std::vector<std::string> parts;
  for (int s : group.statements) {
    const std::string& part = as_nest(program.statements[size_t(s)])->name;
    const std::string common = parts.empty() ? "" : common_words(parts.back(), part);
    if (!common.empty())
      parts.back() = common;
    else if (parts.size() < most)
      parts.push_back(part);
  }
  return parts;
}

// Makes a name of the model part of an identifier.
std::string identifier(const std::string& name) {
  constexpr size_t kMostLetters = 40;
  std::string text = name.substr(0, kMostLetters);
  for (char& c : text)
    if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9')) c = '_';
  return text;
}

std::vector<std::string> nodes_of(const Program& program, const Group& group, size_t most) {
  std::vector<std::string> parts;
  for (int s : group.statements)
    for (const std::string& origin : origins_of(program.statements[size_t(s)])) {
      std::string part = identifier(origin);
      const bool is_new = !part.empty() && std::find(parts.begin(), parts.end(), part) == parts.end();
      if (is_new && parts.size() < most) parts.push_back(std::move(part));
    }
  return parts;
}

// The name of a group's step, which its position makes unique.
std::string kernel_name(size_t position, const Program& program, const Group& group, const Options& options) {
  const auto most = size_t(options.kernel_name_max_ops);
  if (options.kernel_names == KernelNames::nodes)
    return fmt::format("k{}_{}", position, fmt::join(nodes_of(program, group, most), "_"));
  if (group.attention >= 0) return fmt::format("k{}_attention", position);
  return fmt::format("k{}_{}", position, fmt::join(operators_of(program, group, most), "_"));
}

FusedKernel make_chosen_kernel(Draft& draft, const Uses& uses, const Group& group, const std::string& name) {
  Program& program = draft.program();
  std::vector<const LoopNest*> nests;
  for (const int s : group.statements) nests.push_back(as_nest(program.statements[size_t(s)]));
  std::string site;
  const auto tuning = draft.tuning(draft.choice(nests, site));
  FusedKernel kernel =
      group.attention >= 0
          ? make_attention_kernel(program, draft.attentions[size_t(group.attention)], name)
          : make_kernel(program, draft.layouts(), uses, group, draft.options, tuning ? *tuning : draft.tuning(), name);
  kernel.site = std::move(site), kernel.tuning = tuning;
  return kernel;
}

ScheduledStep make_step(Draft& draft, const Uses& uses, const Group& group, size_t position) {
  Program& program = draft.program();
  const auto first = size_t(group.statements[0]);
  if (const auto* step = std::get_if<LibraryStep>(&draft.contractions[first])) return *step;
  if (const auto* call = std::get_if<ir::LibraryCall>(&program.statements[first]))
    return LibraryStep{call->function, "library",     call->inputs, call->outputs,
                       call->params,   call->numbers, call->origins};
  const std::string name = kernel_name(position, program, group, draft.options);
  if (const auto* tiles = std::get_if<TileContraction>(&draft.contractions[first]))
    return make_tile_kernel(*as_nest(program.statements[first]), *tiles, name);
  return make_chosen_kernel(draft, uses, group, name);
}

}  // namespace

void make_steps(Draft& draft) {
  const Uses uses = collect_uses(draft.program());
  auto& steps = draft.schedule.steps;
  for (const Group& group : draft.groups) {
    const size_t position = steps.size();
    const ir::Statement& first = draft.program().statements[size_t(group.statements[0])];
    if (const auto* repetition = std::get_if<ir::Repetition>(&first)) {
      auto parts = schedule_repetition(draft.schedule, *repetition, uses, draft.options, draft.target,
                                       fmt::format("k{}", position));
      std::move(parts.begin(), parts.end(), std::back_inserter(steps));
    } else {
      steps.push_back(make_step(draft, uses, group, position));
    }
  }
  draft.inside_attentions.clear(), draft.attentions.clear(), draft.contractions.clear(), draft.groups.clear();
}

}  // namespace cppgen::schedule
