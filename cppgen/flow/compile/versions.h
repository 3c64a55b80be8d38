#pragma once
#include <string>
#include <vector>

#include "cppgen/flow/compile/compiler.h"
#include "runtime/package/versions.h"

namespace cppgen {

// The versions of a package besides the one in the package's own folder (runtime/package/versions.h): each is compiled
// by a request of its own.
struct VersionRequest {
  rt::VersionRow row;  // without the hash
  CompileRequest request;
};
// Returns requests for each instruction set that ISA lists, from the least to the most preferred: one for all sizes,
// then one for each of CompileRequest::versions. The package's own folder has the first. UserError for sizes that are
// given twice and for too many versions.
std::vector<VersionRequest> version_requests(const CompileRequest&);

// The instruction set of the package's own folder, as a value of ISA.
std::string first_isa(const Settings&);

// "batch=8,length=128" as an option. UserError unless it consists of sizes for different names.
rt::SymbolSizes parse_sizes(const std::string& text);

// The request for a package that has these sizes only.
CompileRequest with_sizes(CompileRequest, const rt::SymbolSizes&);

// UserError naming the dimension unless runs of this plan, which is for all sizes, have all that the versions fix.
void check_versions(const CompileRequest&, const rt::Plan&);

}  // namespace cppgen
