#pragma once
#include <memory>
#include <string>

#include "runtime/package/executable.h"
#include "tests/property/differential.h"

namespace cppgen::property {

// Runs a compiled case twice and compares with the interpreter: "" or what differs.
std::string run_case(const Case&, const DifferentialOptions&, std::shared_ptr<const rt::Executable>);

}  // namespace cppgen::property
