#pragma once
#include <map>
#include <set>

#include "runtime/base/settings.h"
#include "tests/cli/program.h"

namespace cppgen {

// One test per row of settings.def, named like the row (coverage_test.cpp misses none). It shows the effect of the
// setting both ways: what is seen by default, and what with another value, given by its own variable and by each alias.
class SettingEffect : public CliTest {
 protected:
  // `see` looks at what the program, or code that is given settings(), does in `environment`.
  template <class Seen>
  void expect_effect(const std::string& value, const std::function<Seen()>& see, const Seen& by_default,
                     const Seen& with_value) {
    EXPECT_EQ(see(), by_default) << "by default";
    for (const std::string& variable : variables()) {
      environment[variable] = value;
      EXPECT_EQ(see(), with_value) << variable << "=" << value;
      environment.erase(variable);
    }
  }

  Settings settings() const;  // of `environment`

  // Runs the program, which must succeed.
  Ended succeed(const std::vector<std::string>& arguments) const;
  // Runs with an empty cache and commands().
  Ended succeed_anew(const std::vector<std::string>& arguments) const;

  // The exit status of `verify` with the reference's results for random inputs.
  int verified(const std::string& model) const;

  // A compiler that runs the script, notes its arguments in commands(), and is g++. No probe is compiled with it.
  void use_compiler(const std::string& script = "");
  std::string compiler(const std::string& script = "") const;
  std::vector<std::string> commands() const;  // one per start on a source file

  std::string relu() const;               // y = Relu(x), x: [512, 1024] float32; the node is called the_relu
  std::string products(int count) const;  // a chain of matrix products of different sizes
  std::string package(const std::string& model) const;             // compiled, in place of the one before
  std::string model_of(const std::string& op, size_t size) const;  // y = op(x) of vectors; the node is called the_node
  std::vector<float> results(const std::string& op, const std::vector<float>& x) const;  // of the compiled model_of

 private:
  std::vector<std::string> variables() const;  // of the row: its own, and its aliases
};

}  // namespace cppgen
