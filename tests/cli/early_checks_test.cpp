// What is wrong is said before anything is compiled: the compiler of these tests compiles nothing.
#include <nlohmann/json.hpp>

#include "cppgen/support/file_io.h"
#include "runtime/values/npy.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

class EarlyChecks : public CliTest {
 protected:
  EarlyChecks() {
    environment["CPPGEN_CXX"] = "/bin/false";
    environment["CPPGEN_VEC_ISA_OK"] = "1";
  }

  // The message of a command that ends as the user's error without having started the compiler.
  std::string error(const std::vector<std::string>& arguments) const {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_EQ(ended.err.find("the compiler"), std::string::npos) << ended.err;
    return ended.err;
  }

  std::string floats(const std::string& name, std::vector<int64_t> dims) const {
    rt::Tensor tensor(DType::f32, std::move(dims));
    std::fill(tensor.as<float>(), tensor.as<float>() + tensor.elements(), -1.0f);
    rt::write_npy(path(name), tensor.view());
    return path(name);
  }
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST_F(EarlyChecks, OfARun) {
  const std::string model = symbolic_model(), good = "x=" + floats("good.npy", {2, 3});
  EXPECT_TRUE(contains(run({"run", model, "--input", good}).err, "the compiler")) << "it would have compiled";
  const auto wrong = [&](const std::vector<std::string>& options, const std::string& part) {
    std::vector<std::string> arguments{"run", model};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const std::string message = error(arguments);
    EXPECT_TRUE(contains(message, part)) << message;
  };
  wrong({"--input", "x=" + path("missing.npy")}, "there is no file '" + path("missing.npy") + "'");
  wrong({"--input", "x=" + folder.path.string()}, "is a directory");
  wrong({"--input", "x=" + folder.write("text.npy", "hello")}, "is not a .npy file");
  wrong({"--input", "q=" + path("good.npy")}, "the model has no input 'q'; it has the inputs 'x'");
  wrong({"--input", "x=" + floats("rank.npy", {3})}, "has shape [3] of 1 dimensions");
  wrong({"--input", "x=" + floats("wide.npy", {2, 4})}, "axis 1 is 4");
  wrong({"--input", good, "--dim", "N=5"}, "5");
  wrong({}, "the dimension 'N' (input 'x' axis 0) has no size");
  wrong({"--dim", "M=5"}, "M=5");
  wrong({"--input", good, "--output", path("good.npy")}, "is a file; give a directory");
  wrong({"--input", good, "--output", path("good.npy") + "/below"}, "is a file; give a directory");
}

TEST_F(EarlyChecks, OfAPackage) {
  const std::string model = symbolic_model();
  EXPECT_TRUE(contains(error({"compile", model, "-o", floats("x.npy", {1})}), "exists and is not a package"));
  folder.write("notes.txt", "not a package");
  EXPECT_TRUE(contains(error({"compile", model, "-o", folder.path.string()}), "exists and is not a package"));
  EXPECT_TRUE(contains(error({"compile", model, "-o", path("x.npy") + "/p"}), "is a file"));
}

TEST_F(EarlyChecks, OfExpectedData) {
  const std::string model = symbolic_model(), data = path("data");
  std::filesystem::create_directory(data);
  const auto io = [&](const std::string& text) { folder.write("data/io.json", text); };
  std::filesystem::create_directory(folder.path / "data");
  EXPECT_TRUE(contains(error({"verify", model, path("none")}), "cannot read the directory"));
  EXPECT_TRUE(contains(error({"verify", model, data}), "no test data"));
  io("{\"inputs\": [\"in.npy\"], \"outputs\": [\"out.npy\"]}");
  EXPECT_TRUE(contains(error({"verify", model, data}), "in.npy"));
  floats("data/in.npy", {2, 4});
  floats("data/out.npy", {2, 3});
  EXPECT_TRUE(contains(error({"verify", model, data}), "axis 1 is 4"));
  io("{\"inputs\": {\"z\": \"in.npy\"}, \"outputs\": [\"out.npy\"]}");
  EXPECT_TRUE(contains(error({"verify", model, data}), "names 'z', which the model does not have; it has 'x'"));
  io("{\"outputs\": [\"out.npy\"]}");
  EXPECT_TRUE(contains(error({"verify", model, data}), "'inputs' is missing; expected"));
}

// A file's name is enough where there is no more to say.
TEST_F(CliTest, IoJsonWithPlainNames) {
  const std::string model = symbolic_model();
  std::filesystem::create_directory(folder.path / "data");
  rt::Tensor x(DType::f32, {1, 3}), y(DType::f32, {1, 3});
  const float in[] = {-1, 0, 2}, out[] = {0, 0, 2};
  std::copy(in, in + 3, x.as<float>());
  std::copy(out, out + 3, y.as<float>());
  rt::write_npy(path("data/x.npy"), x.view());
  rt::write_npy(path("data/y.npy"), y.view());
  for (const char* text : {"{\"inputs\": [\"x.npy\"], \"outputs\": [\"y.npy\"]}",
                           "{\"inputs\": {\"x\": \"x.npy\"}, \"outputs\": {\"y\": \"y.npy\"}}",
                           "{\"inputs\": [\"x.npy\"], \"outputs\": [{\"name\": \"y\", \"file\": \"y.npy\"}]}"}) {
    folder.write("data/io.json", text);
    const Ended ended = run({"verify", model, path("data"), "--reference"});
    EXPECT_EQ(ended.status, 0) << text << "\n" << ended.err << ended.out;
  }
  // Every second element of a result.
  rt::Tensor sample(DType::f32, {2});
  sample.as<float>()[0] = out[0], sample.as<float>()[1] = out[2];
  rt::write_npy(path("data/sample.npy"), sample.view());
  folder.write("data/io.json",
               "{\"inputs\": [\"x.npy\"], \"outputs\": [{\"name\": \"y\", \"file\": \"sample.npy\", "
               "\"shape\": [1, 3], \"flat_step\": 2}]}");
  const Ended sampled = run({"verify", model, path("data"), "--reference"});
  EXPECT_EQ(sampled.status, 0) << sampled.err << sampled.out;
  folder.write("data/io.json", "{\"inputs\": [\"../x.npy\"], \"outputs\": [\"y.npy\"]}");
  EXPECT_EQ(run({"verify", model, path("data"), "--reference"}).status, 2);
}

}  // namespace
}  // namespace cppgen
