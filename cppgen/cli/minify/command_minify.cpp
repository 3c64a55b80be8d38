// cppgen minify
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cppgen/cli/minify/minifier.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/pass_text.h"
#include "cppgen/cli/shared/ready_model.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

std::vector<std::string> commands_for(const Minifier& minifier, const Settings& settings,
                                      const MinifyOptions& options) {
  const std::string folder = shell_word(minifier.output()), model = shell_word(minifier.output() + "/model.onnx"),
                    set = settings_words(settings);
  std::string show = fmt::format("cppgen verify {} {}", model, folder);
  if (minifier.outcome().fault == Fault::slow) {
    show = fmt::format("cppgen profile {}", model);
  } else if (!minifier.has_results()) {
    show = fmt::format("cppgen run {}", model);
    for (size_t i = 0; i < minifier.smallest().inputs.size(); i++)
      show += fmt::format(" --input {}", shell_word(minifier.input_option(i)));
  } else {
    if (options.rtol) show += fmt::format(" --rtol {}", *options.rtol);
    if (options.atol) show += fmt::format(" --atol {}", *options.atol);
  }
  return {show + set, fmt::format("cppgen explain {} --source", model) + set};
}

std::string pass_text(const NeededPass& pass) {
  if (!pass.known) return "which passes it needs was not tried";
  if (pass.first.empty()) return "no optional pass is needed for it";
  return pass.alone ? fmt::format("the pass {} is needed for it", pass.first)
                    : fmt::format("it needs one of several passes, of which {} is the first", pass.first);
}

std::string text_of(const Minifier& minifier, const NeededPass& pass, const std::vector<std::string>& commands,
                    const std::optional<PassText>& written) {
  constexpr size_t kMost = 20;
  std::vector<std::string> nodes = minifier.nodes();
  const size_t count = nodes.size();
  if (count > kMost) nodes.resize(kMost), nodes.push_back("...");
  std::string text =
      fmt::format("{}: {}\n{} of {}: {}\n{}\n", name_of(minifier.outcome().fault), minifier.outcome().text, count,
                  counted(int64_t(minifier.nodes_before()), "node"), fmt::join(nodes, ", "), pass_text(pass));
  if (!minifier.in_time()) text += "the time is up (--seconds): the model may become smaller\n";
  text += fmt::format("{}: {}, {:.0f} s\nTo see it:\n", minifier.output(), counted(minifier.trials(), "trial"),
                      minifier.seconds());
  for (const std::string& command : commands) text += "  " + command + "\n";
  return for_terminal(text) + (written ? pass_text_report(*written) : "");
}

std::string nothing_text(const Outcome& found) {
  if (found.fault == Fault::none) return "no fault was found: there is nothing to shrink\n";
  return for_terminal(
      fmt::format("only a fault that --predicate excludes was found ({}): {}\n", name_of(found.fault), found.text));
}

std::string nothing_json(const Outcome& found) {
  Json json;
  json["fault"] = nullptr;
  json["excluded_fault"] = found.fault == Fault::none ? Json() : Json(name_of(found.fault));
  json["description"] = found.text;
  return json_text(json, 2) + "\n";
}

std::string minify_json(const Minifier& minifier, const NeededPass& pass, const std::vector<std::string>& commands,
                        const std::optional<PassText>& written) {
  Json json;
  json["fault"] = name_of(minifier.outcome().fault);
  json["description"] = minifier.outcome().text;
  json["nodes"] = minifier.nodes();
  json["nodes_before"] = minifier.nodes_before();
  json["pass"] = pass.first;
  json["pass_is_needed"] = pass.alone;
  json["in_time"] = minifier.in_time();
  json["directory"] = minifier.output();
  json["trials"] = minifier.trials();
  json["seconds"] = minifier.seconds();
  json["commands"] = commands;
  if (written) json["text"] = pass_text_json(*written);
  return json_text(json, 2) + "\n";
}

}  // namespace

ExitCode command_minify(const MinifyOptions& options, const CancelToken& cancel) {
  require_onnx(options.model, "minify");
  if (!(std::isfinite(options.seconds) && options.seconds > 0))
    user_error("--seconds {}: expected a number greater than 0", options.seconds);
  const Settings settings = read_settings(options);
  if (settings.force_native_runtime)
    user_error("minify looks for faults of compiled code: remove FORCE_NATIVE_RUNTIME");
  require_text_file(options.text);
  Minifier minifier(options, settings, cancel);
  const Outcome found = minifier.find();
  if (minifier.outcome().fault == Fault::none) {
    print_result(options.json ? nothing_json(found) : nothing_text(found));
    return kCheckFailed;
  }
  minifier.shrink();
  const NeededPass pass = minifier.find_pass();
  const std::vector<std::string> commands = commands_for(minifier, settings, options);
  std::optional<PassText> text;
  if (!options.text.empty())
    text = write_pass_text({minifier.output() + "/model.onnx", {}, {}, options.text, pass.first}, settings, cancel);
  print_result(options.json ? minify_json(minifier, pass, commands, text) : text_of(minifier, pass, commands, text));
  return kDone;
}

}  // namespace cppgen
