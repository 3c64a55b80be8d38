#include "cppgen/schedule/draft.h"

#include "cppgen/schedule/site.h"

namespace cppgen::schedule {

const Choice& Draft::choice(std::span<const LoopNest* const> nests, std::string& site) {
  if (options.choices) site = site_of(schedule.program, nests);
  const Choice& choice = choice_for(options.choices.get(), site);
  if (choice != Choice()) log().add("tuning", site, FusionDecision::yes(to_string(choice)));
  return choice;
}

std::shared_ptr<const Tuning> Draft::tuning(const Choice& choice) const {
  if (choice.tuning.empty()) return nullptr;
  return std::make_shared<const Tuning>(tuned(target.tuning, choice.tuning));
}

}  // namespace cppgen::schedule
