#pragma once
#include <span>
#include <string>

#include "runtime/session/session.h"
#include "runtime/values/compare.h"

namespace cppgen::rt {

// The text that cppgen-run prints: the session (of the version that ran), the milliseconds of its runs (sorted), the
// profile if one was measured, and how outputs compare with expected ones (null: not compared).
std::string run_report_text(const Session&, std::span<const double> ms, const VerifyReport*);
std::string run_report_json(const Session&, std::span<const double> ms, const VerifyReport*);

}  // namespace cppgen::rt
