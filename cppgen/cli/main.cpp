#include <csignal>

#include "cppgen/cli/command_line/command_line.h"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // beyond `ulimit -f`, writing fails with an error that says so
  return cppgen::run_command_line(argc, argv);
}
