#include "cppgen/cli/command_line.h"

int main(int argc, char** argv) { return cppgen::run_command_line(argc, argv); }
