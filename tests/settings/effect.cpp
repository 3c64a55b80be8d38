#include "tests/settings/effect.h"

#include <sstream>

#include "cppgen/support/file_io.h"
#include "runtime/session/session.h"

namespace cppgen {

Settings SettingEffect::settings() const {
  return Settings::from_environment({environment.begin(), environment.end()});
}

std::vector<std::string> SettingEffect::variables() const {
  const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::vector<std::string> variables{"CPPGEN_" + name};
  for (const SettingDescription& row : Settings().describe())
    if (row.name == name) variables.insert(variables.end(), row.aliases.begin(), row.aliases.end());
  return variables;
}

Ended SettingEffect::succeed(const std::vector<std::string>& arguments) const {
  const Ended ended = run(arguments);
  EXPECT_EQ(ended.status, 0) << ended.err;
  return ended;
}

Ended SettingEffect::succeed_anew(const std::vector<std::string>& arguments) const {
  std::filesystem::remove_all(path("cache"));
  std::filesystem::remove(path("commands"));
  return succeed(arguments);
}

int SettingEffect::verified(const std::string& model) const {
  if (!std::filesystem::exists(path("reference")))
    succeed({"run", model, "--reference", "--output", path("reference")});
  return run({"verify", model, path("reference")}).status;
}

std::string SettingEffect::compiler(const std::string& script) const {
  const std::string file = folder.write("compiler", "#!/bin/sh\ncase \"$*\" in *.cpp*) echo \"$*\" >> " +
                                                        path("commands") + "\n" + script + "\nesac\nexec g++ \"$@\"\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file;
}

void SettingEffect::use_compiler(const std::string& script) {
  environment["CPPGEN_CXX"] = compiler(script);
  environment.emplace("CPPGEN_VEC_ISA_OK", "1");
}

std::vector<std::string> SettingEffect::commands() const {
  std::istringstream text(try_read_file(path("commands")).value_or(""));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string SettingEffect::relu() const {
  ModelMaker maker;
  maker.input("x", {"512", "1024"}).output("y").node("Relu", {"x"}, {"y"}, "the_relu");
  return write("relu.onnx", maker);
}

std::string SettingEffect::products(int count) const {
  ModelMaker maker;
  maker.input("x0", {"32", "32"});
  for (int i = 0; i < count; i++) {
    const std::string from = std::to_string(32 + 16 * i), to = std::to_string(48 + 16 * i), n = std::to_string(i);
    maker.input("w" + n, {from, to});
    maker.node("MatMul", {"x" + n, "w" + n}, {"x" + std::to_string(i + 1)}, "product" + n);
  }
  maker.output("x" + std::to_string(count));
  return write("products.onnx", maker);
}

std::string SettingEffect::package(const std::string& model) const {
  std::filesystem::remove_all(path("model.package"));
  succeed({"compile", model, "-o", path("model.package")});
  return path("model.package");
}

std::string SettingEffect::model_of(const std::string& op, size_t size) const {
  ModelMaker maker;
  maker.input("x", {std::to_string(size)}).output("y").node(op, {"x"}, {"y"}, "the_node");
  return write(op + ".onnx", maker);
}

std::vector<float> SettingEffect::results(const std::string& op, const std::vector<float>& x) const {
  rt::Session session(rt::Executable::load(package(model_of(op, x.size()))), rt::SessionOptions::from(settings()));
  const std::vector<int64_t> dims{int64_t(x.size())};
  const auto y = session.run(std::vector<rt::TensorView>{{DType::f32, dims, x.data()}});
  return {y[0].as<float>(), y[0].as<float>() + x.size()};
}

}  // namespace cppgen
