#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cppgen/diagram/display_text.h"
#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/flow/explain/drawing.h"
#include "runtime/plan/module.h"

namespace cppgen {
namespace {

using schedule::FusedKernel;
using schedule::LibraryStep;
using schedule::RepeatedSteps;

constexpr size_t kMostOrigins = 3;

class StepDrawer {
 public:
  StepDrawer(const std::vector<ModelPart>& parts, const std::optional<rt::Module>& module, const DrawOptions& options)
      : parts_(parts), module_(module), options_(options) {
    for (const ModelPart& part : parts) {
      first_step_.push_back(count_);
      schedule::each_step(part.schedule.steps, [&](const auto&) { count_++; });
    }
    if (!module) return;
    for (const rt::HostBody& body : module->bodies)
      for (const rt::HostStep& step : body.steps)
        if (step.op != rt::HostOp::plan) host_step_[&step] = count_++;
  }

  DrawnSteps run() {
    const std::vector<std::string> inputs = module_ ? names_of(module_->inputs) : parts_[0].input_names;
    const std::vector<std::string> outputs = module_ ? names_of(module_->outputs) : parts_[0].output_names;
    std::vector<Writers> writers;
    for (const std::string& name : inputs) writers.push_back({add_box("input", name, {"input"}, -1)});
    const std::vector<Writers> results = module_ ? add_body(module_->bodies[0], writers) : add_part(0, writers);
    for (size_t i = 0; i < std::min(results.size(), outputs.size()); i++)
      connect(drawn_.diagram, results[i], add_box("output", outputs[i], {"output"}, -1));
    return std::move(drawn_);
  }

 private:
  const std::vector<ModelPart>& parts_;
  const std::optional<rt::Module>& module_;
  const DrawOptions& options_;
  DrawnSteps drawn_;
  int32_t count_ = 0;
  std::vector<int32_t> first_step_;  // by part
  std::map<const rt::HostStep*, int32_t> host_step_;

  static std::vector<std::string> names_of(const std::vector<rt::ValueInfo>& values) {
    std::vector<std::string> names;
    for (const rt::ValueInfo& value : values) names.push_back(value.name);
    return names;
  }

  int32_t add_box(const std::string& kind, const std::string& title, std::vector<std::string> lines, int32_t step) {
    drawn_.diagram.boxes.push_back({kind, shortened(title, options_.most_columns), std::move(lines)});
    drawn_.steps.push_back(step);
    return int32_t(drawn_.steps.size()) - 1;
  }

  // Each node once.
  std::vector<std::string> origin_lines(const std::vector<std::string>& all) const {
    std::vector<std::string> origins, lines;
    for (const std::string& origin : all)
      if (std::find(origins.begin(), origins.end(), origin) == origins.end()) origins.push_back(origin);
    for (size_t i = 0; i < std::min(origins.size(), kMostOrigins); i++)
      lines.push_back(shortened(origins[i], options_.most_columns));
    if (origins.size() > kMostOrigins) lines.push_back(fmt::format("and {} more", origins.size() - kMostOrigins));
    return lines;
  }

  // The steps of one plan, and the writers of its buffers so far.
  struct Part {
    const ir::Program& program;
    std::vector<Writers> writers;
    int32_t step;  // the next one
  };

  std::vector<Writers> add_part(size_t number, const std::vector<Writers>& inputs) {
    const ModelPart& source = parts_[number];
    Part part{source.schedule.program, std::vector<Writers>(source.schedule.program.buffers.size()),
              first_step_[number]};
    const auto& buffers = part.program.inputs;
    for (size_t i = 0; i < std::min(buffers.size(), inputs.size()); i++) part.writers[size_t(buffers[i])] = inputs[i];
    add_steps(part, source.schedule.steps);
    std::vector<Writers> results;
    for (const ir::BufferId b : part.program.outputs) results.push_back(part.writers[size_t(b)]);
    return results;
  }

  void add_steps(Part& part, const std::vector<schedule::ScheduledStep>& steps) {
    for (const auto& step : steps) {
      if (const auto* kernel = std::get_if<FusedKernel>(&step))
        add_step(part, schedule::engine_of(*kernel), kernel->name, *kernel);
      if (const auto* call = std::get_if<LibraryStep>(&step)) add_step(part, call->engine, call->function, *call);
      if (const auto* repeated = std::get_if<RepeatedSteps>(&step)) {
        for (const ir::Carried& c : repeated->carried) part.writers[size_t(c.before)] = part.writers[size_t(c.initial)];
        add_steps(part, repeated->body);
      }
    }
  }

  template <class Step>
  void add_step(Part& part, const std::string& engine, const std::string& name, const Step& step) {
    std::vector<std::string> lines = origin_lines(step.origins);
    for (const ir::BufferId b : step.outputs)
      if (const ir::Buffer& buffer = part.program.buffer(b); options_.tensors)
        lines.push_back(fmt::format("{} {}{}", shortened(buffer.name, options_.most_columns), name_of(buffer.type),
                                    to_string(buffer.shape)));
    const int32_t box = add_box(engine, name, std::move(lines), part.step++);
    for (const ir::BufferId b : step.inputs) connect(drawn_.diagram, part.writers[size_t(b)], box);
    for (const ir::BufferId b : step.outputs) merge(part.writers[size_t(b)], {box});
  }

  std::vector<Writers> add_body(const rt::HostBody& body, const std::vector<Writers>& inputs) {
    std::vector<Writers> slots(size_t(body.slots));
    std::copy(inputs.begin(), inputs.end(), slots.begin());
    for (const rt::HostStep& step : body.steps) {
      std::vector<Writers> arguments;
      for (const int32_t slot : step.inputs) arguments.push_back(slot < 0 ? Writers() : slots[size_t(slot)]);
      const std::vector<Writers> results =
          step.op == rt::HostOp::plan ? add_part(size_t(step.plan), arguments) : add_host_step(step, arguments, slots);
      for (size_t i = 0; i < std::min(results.size(), step.outputs.size()); i++)
        if (step.outputs[i] >= 0) slots[size_t(step.outputs[i])] = results[i];
    }
    std::vector<Writers> results;
    for (const int32_t slot : body.outputs) results.push_back(slot < 0 ? Writers() : slots[size_t(slot)]);
    return results;
  }

  std::vector<Writers> add_host_step(const rt::HostStep& step, const std::vector<Writers>& arguments,
                                     const std::vector<Writers>& slots) {
    const std::string name = step.function.empty() ? step.origin : step.function;
    const int32_t box = add_box("host", name, origin_lines({step.node}), host_step_.at(&step));
    for (const Writers& argument : arguments) connect(drawn_.diagram, argument, box);
    Writers own{box};
    for (size_t i = 0; i < step.bodies.size(); i++) {
      const rt::HostBody& body = module_->bodies[size_t(step.bodies[i])];
      const std::vector<int32_t> captured = i < step.captures.size() ? step.captures[i] : std::vector<int32_t>();
      std::vector<Writers> inputs(size_t(body.inputs), Writers{box});
      for (size_t c = 0; c < std::min(captured.size(), inputs.size()); c++)
        if (captured[c] >= 0) merge(inputs[inputs.size() - captured.size() + c], slots[size_t(captured[c])]);
      for (const Writers& result : add_body(body, inputs)) merge(own, result);
    }
    return std::vector<Writers>(step.outputs.size(), own);
  }
};

}  // namespace

DrawnSteps draw(const std::vector<ModelPart>& parts, const std::optional<rt::Module>& module,
                const DrawOptions& options) {
  return StepDrawer(parts, module, options).run();
}

}  // namespace cppgen
