#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/import/model_maker.h"

namespace cppgen {

struct Ended {
  int status = -1;  // exit status, or -signal
  std::string out, err;
};

// Runs the program with an environment of its own: caches and temporary files lie in a folder that goes away.
class CliTest : public testing::Test {
 protected:
  CliTest();

  Ended run(const std::vector<std::string>& arguments) const;
  // Starts the program and sends it a signal as soon as the file exists.
  Ended run_and_signal(const std::vector<std::string>& arguments, int signal, const std::string& file) const;
  // Sends the signal as soon as the program has used that many seconds of processors.
  Ended run_and_signal_after(const std::vector<std::string>& arguments, int signal, double seconds) const;

  std::string path(const std::string& name) const { return (folder.path / name).string(); }
  std::string write(const std::string& name, const ModelMaker& model) const {
    return folder.write(name, model.bytes());
  }
  // Names in $TMPDIR.
  std::vector<std::string> temporary_files() const;

  // y = Relu(x), x: [N, 3] float32.
  std::string symbolic_model() const;
  // y = Gather(table of 3 rows of 2, ids: [4] int64).
  std::string gather_model() const;

  TempFolder folder;
  std::map<std::string, std::string> environment;
  std::string program;  // by default cppgen in the build directory

 private:
  int start(const std::vector<std::string>& arguments) const;
  Ended signal_when(int pid, int signal, const std::function<bool()>& ready) const;
  Ended finish(int pid) const;
};

// A folder of ONNX's own test data.
std::string onnx_test(const std::string& name);

}  // namespace cppgen
