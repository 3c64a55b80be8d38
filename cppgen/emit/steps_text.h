#pragma once
#include <set>
#include <string>
#include <vector>

#include "cppgen/emit/memory_text.h"
#include "cppgen/emit/model_text.h"
#include "cppgen/emit/size_text.h"
#include "runtime/plan/plan.h"

namespace cppgen::emit {

// The steps of a plan as functions: step_0(m) ..., which return whether a check of the kernel failed, and run_steps(m),
// which calls them and returns a status.
class StepsWriter {
 public:
  StepsWriter(const ModelNames&, const rt::Plan&, const ModelOptions&, SizeTable&, const MemoryText&);

  const std::string& text() const { return text_; }
  // The scratch memory of a thread, as formulas; the largest counts.
  const std::set<std::string>& scratch() const { return scratch_; }
  // Steps that call the runtime's library have statements that create and destroy their operators, and that bind them
  // to sizes, which raise `scratch`; and the messages of failures, which follow those of the plan's checks.
  const std::string& create() const { return create_; }
  const std::string& destroy() const { return destroy_; }
  const std::string& bind() const { return bind_; }
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  std::string address(int32_t buffer, int32_t repetition) const;
  std::string chunks_of(const rt::Step&, const SizeText& range);
  void note_scratch(const rt::Step&);
  void write_step(size_t step);
  std::string kernel_call(const rt::Step&);
  std::string library_call(const rt::Step&);
  void write_library(const rt::Step&, size_t number);
  void write_carried(const rt::Repetition&, int32_t number);
  std::string loop(const rt::Repetition&, int32_t number, size_t& step);
  void write_run();

  const ModelNames& names_;
  const rt::Plan& plan_;
  const ModelOptions& options_;
  SizeTable& sizes_;
  const MemoryText& memory_;
  std::string text_, create_, destroy_, bind_;
  std::set<std::string> scratch_;
  std::vector<std::string> failures_;
};

}  // namespace cppgen::emit
