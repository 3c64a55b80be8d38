#pragma once
#include <string>
#include <vector>

#include "cppgen/cli/shared/command_options.h"

namespace CLI {
class App;
}

namespace cppgen {

// A repeatable option; a value more is a new option, so that MODEL may follow.
void add_repeatable(CLI::App*, const char* name, std::vector<std::string>& values, const char* doc, const char* form);

// Options of commands that compile or run models.
void add_sizes(CLI::App*, ModelOptions&);      // --sizes
void add_states(CLI::App*, ModelOptions&);     // --state
void add_reference(CLI::App*, ModelOptions&);  // --reference
void add_common(CLI::App*, CommonOptions&);    // --set, --load, --threads, --isa
void add_passes(CLI::App*, OptOptions&);       // of `opt`
void add_text(CLI::App*, std::string& file);   // --text

}  // namespace cppgen
