#include "cppgen/schedule/verify.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "cppgen/schedule/verify_kernel.h"
#include "runtime/base/errors.h"

namespace cppgen::schedule {
namespace {

using ir::BufferKind;

class Verifier {
 public:
  explicit Verifier(const Schedule& schedule)
      : schedule_(schedule),
        program_(schedule.program),
        available_(program_.buffers.size()),
        last_read_(program_.buffers.size(), -1),
        writers_(program_.buffers.size()) {}

  void check_storage() {
    check_layouts();
    for (const PackedConstant& p : schedule_.packed) check_packed(p);
  }

  void run() {
    check_storage();
    for (const ir::Buffer& b : program_.buffers)
      available_[size_t(b.id)] = b.kind == BufferKind::input || b.kind == BufferKind::constant;
    check_steps(schedule_.steps);
    where_ = "the results";
    for (BufferId b : program_.outputs) require_available(b);
    check_private();
    for (const InPlace& pair : schedule_.in_place) check_in_place(pair);
  }

 private:
  const Schedule& schedule_;
  const Program& program_;
  std::string where_;
  std::vector<bool> available_;
  std::vector<int> last_read_;             // by buffer: the last step that reads it
  std::vector<std::vector<int>> writers_;  // by buffer
  std::vector<BufferId> private_;          // buffers that only one kernel accesses
  std::unordered_set<std::string> names_;  // of kernels
  std::set<BufferId> taken_;               // inputs whose memory an output overwrites
  int steps_ = 0;

  template <class... Args>
  void require(bool ok, fmt::format_string<Args...> format, Args&&... args) const {
    if (!ok) internal_error("schedule, {}: {}", where_, fmt::format(format, std::forward<Args>(args)...));
  }

  void require_id(BufferId b) const {
    require(b >= 0 && size_t(b) < program_.buffers.size(), "there is no buffer {}", b);
  }

  void require_available(BufferId b) const {
    require_id(b);
    require(available_[size_t(b)], "b{} is read before it is stored", b);
  }

  void check_layouts() {
    where_ = "the layouts";
    require(schedule_.layouts.size() == program_.buffers.size(), "there are {} layouts for {} buffers",
            schedule_.layouts.size(), program_.buffers.size());
    for (const ir::Buffer& b : program_.buffers) {
      const Layout& layout = schedule_.layouts[size_t(b.id)];
      const Layout plain = row_major(b.shape.size());
      std::vector<int> dimensions = layout.order;
      std::sort(dimensions.begin(), dimensions.end());
      require(dimensions == plain.order, "the layout of b{} does not name each of its {} dimensions once", b.id,
              b.shape.size());
      require(layout.pad == 0 || (layout.pad > 0 && b.kind == BufferKind::temporary), "b{} has gaps of {}", b.id,
              layout.pad);
      const bool seen = b.kind == BufferKind::input || b.kind == BufferKind::output;
      require(!seen || layout == plain, "b{} is an input or output but not row-major", b.id);
    }
  }

  void check_packed(const PackedConstant& p) {
    where_ = fmt::format("the packed constant b{}", p.packed);
    require_id(p.source), require_id(p.packed);
    const ir::Buffer& source = program_.buffer(p.source);
    require(source.kind == BufferKind::constant, "its source b{} is not a constant", p.source);
    require(program_.buffer(p.packed).kind == BufferKind::constant, "it is not itself a constant");
    require(size_t(p.format) < rt::kTileFormatCount && p.width > 0, "panels of {} columns in format {}", p.width,
            int(p.format));
    if (p.n_bits) return;
    require(p.columns.is_constant() && p.k.is_constant(), "its size is not known");
    if (p.columns.constant() <= 0 || p.k.constant() <= 0 || p.batch_offsets.empty() || p.tap_offsets.empty()) return;
    const auto [least_batch, most_batch] = std::minmax_element(p.batch_offsets.begin(), p.batch_offsets.end());
    const auto [least_tap, most_tap] = std::minmax_element(p.tap_offsets.begin(), p.tap_offsets.end());
    const int64_t across = (p.columns.constant() - 1) * p.column_stride, along = (p.k.constant() - 1) * p.k_stride;
    const int64_t first = *least_batch + *least_tap + std::min<int64_t>(across, 0) + std::min<int64_t>(along, 0);
    const int64_t last = *most_batch + *most_tap + std::max<int64_t>(across, 0) + std::max<int64_t>(along, 0);
    const IndexExpr elements = ir::product(source.shape);
    require(first >= 0 && elements.is_constant() && last < elements.constant(),
            "it reads the elements {} to {} of b{}, which has {}", first, last, p.source, ir::to_string(elements));
  }

  void check_steps(const std::vector<ScheduledStep>& steps) {
    for (const ScheduledStep& step : steps) std::visit([&](const auto& s) { check_step(s); }, step);
  }

  void check_step(const FusedKernel& kernel) {
    where_ = "the kernel " + kernel.name;
    require(!kernel.name.empty() && names_.insert(kernel.name).second, "its name is not unique");
    check_arguments(kernel.inputs, kernel.outputs);
    if (std::string fault = fault_of(program_, kernel); !fault.empty())
      internal_error("schedule, {}: {}", where_, fault);
    for (const Local& local : kernel.locals) private_.push_back(local.buffer);
  }

  void check_step(const LibraryStep& call) {
    where_ = fmt::format("step {} (call {})", steps_, call.function);
    require(!call.function.empty() && !call.engine.empty(), "it names no function or engine");
    check_arguments(call.inputs, call.outputs);
    for (IndexExpr param : call.params)
      for (const auto* v : ir::variables_of(param))
        require(v->kind == ir::VarKind::symbol, "a parameter depends on the loop variable {}", v->name);
  }

  void check_arguments(const std::vector<BufferId>& inputs, const std::vector<BufferId>& outputs) {
    for (BufferId b : inputs) {
      require_available(b);
      last_read_[size_t(b)] = steps_;
    }
    for (BufferId b : outputs) {
      require_id(b);
      const BufferKind kind = program_.buffer(b).kind;
      require(kind == BufferKind::output || kind == BufferKind::temporary, "b{} is an input or constant, yet stored",
              b);
      require(std::find(inputs.begin(), inputs.end(), b) == inputs.end(), "it reads b{}, which it stores", b);
      available_[size_t(b)] = true;
      writers_[size_t(b)].push_back(steps_);
    }
    steps_++;
  }

  void check_step(const RepeatedSteps& repeated) {
    const std::string where = where_ = fmt::format("step {} (repetition)", steps_);
    for (const auto* buffers : {&repeated.inputs, &repeated.outputs})
      for (BufferId b : *buffers) require_id(b);
    const int first = steps_;
    for (const ir::Carried& c : repeated.carried) {
      require_available(c.initial), require_id(c.before), require_id(c.after);
      last_read_[size_t(c.initial)] = first;
      available_[size_t(c.before)] = true;
    }
    check_steps(repeated.body);
    where_ = where;
    for (const ir::Carried& c : repeated.carried) {
      require(available_[size_t(c.after)], "no step stores b{}", c.after);
      last_read_[size_t(c.after)] = steps_;  // by the next iteration
    }
    // Buffers that are stored before a repetition are read in all its iterations.
    for (BufferId b : repeated.inputs) {
      const auto& writers = writers_[size_t(b)];
      const bool inside = !writers.empty() && writers.front() >= first;
      if (!inside) last_read_[size_t(b)] = std::max(last_read_[size_t(b)], steps_);
    }
    steps_++;
  }

  void check_private() {
    where_ = "what kernels keep to themselves";
    for (BufferId b : private_)
      require(last_read_[size_t(b)] < 0 && writers_[size_t(b)].empty(), "other steps touch b{}", b);
  }

  void check_in_place(const InPlace& pair) {
    where_ = fmt::format("b{} in the place of b{}", pair.output, pair.input);
    require_id(pair.output), require_id(pair.input);
    const ir::Buffer &output = program_.buffer(pair.output), &input = program_.buffer(pair.input);
    require(output.kind == BufferKind::temporary && input.kind == BufferKind::temporary, "they are not temporaries");
    require(taken_.insert(pair.input).second, "another buffer shares this memory");
    const auto& writers = writers_[size_t(pair.output)];
    require(writers.size() == 1, "{} steps store the output", writers.size());
    require(last_read_[size_t(pair.input)] == writers[0],
            "the input is read after the step that stores the output, or not by it");
    require(size_of(output.type) == size_of(input.type) &&
                ir::prove_equal(storage_elements(output, schedule_.layouts[size_t(output.id)]),
                                storage_elements(input, schedule_.layouts[size_t(input.id)])),
            "their sizes differ");
  }
};

}  // namespace

void verify(const Schedule& schedule) { Verifier(schedule).run(); }

void verify_storage(const Schedule& schedule) { Verifier(schedule).check_storage(); }

void verify_program(const Schedule& schedule) {
  if (schedule.packed.empty()) return ir::verify(schedule.program);
  Program program = schedule.program;
  for (const PackedConstant& p : schedule.packed) program.buffers[size_t(p.packed)].kind = BufferKind::input;
  ir::verify(program);
}

}  // namespace cppgen::schedule
