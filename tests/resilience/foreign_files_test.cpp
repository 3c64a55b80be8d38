// Files that are none, or not the model's: neither opened nor hashed, and nothing waits for them.
#include <sys/stat.h>

#include "cppgen/support/input_file.h"
#include "tests/resilience/fixture.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

class ForeignFiles : public Resilience {
 protected:
  std::string fifo(const std::string& name) const {
    EXPECT_EQ(::mkfifo(path(name).c_str(), 0600), 0);
    return path(name);
  }

  // y = Relu(x), beside a function that nobody calls, with a constant in the file.
  std::string model_with_unused_function(const std::string& location) const {
    ModelMaker maker;
    maker.input("x", {"4"}).output("y").node("Relu", {"x"}, {"y"});
    auto& function = *maker.model.add_functions();
    function.set_name("Unused");
    function.set_domain("local");
    function.add_output("c");
    function.add_opset_import()->set_version(17);
    auto& node = *function.add_node();
    node.set_op_type("Constant");
    node.add_output("c");
    auto& attribute = *node.add_attribute();
    attribute.set_name("value");
    attribute.set_type(onnx::AttributeProto::TENSOR);
    auto& tensor = *attribute.mutable_t();
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(1);
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    auto* entry = tensor.add_external_data();
    entry->set_key("location");
    entry->set_value(location);
    auto& opset = *maker.model.add_opset_import();
    opset.set_domain("local");
    opset.set_version(1);
    return write("unused.onnx", maker);
  }
};

TEST_F(ForeignFiles, FunctionsThatNobodyCallsOpenNothing) {
  fifo("pipe");
  for (const char* location : {"pipe", "/dev/zero", "../../../../../../dev/zero", "absent.bin"}) {
    const std::string model = model_with_unused_function(location);
    EXPECT_FALSE(from_cache(model)) << location;
    EXPECT_TRUE(from_cache(model)) << location;
    fs::remove_all(cache());
  }
}

TEST_F(ForeignFiles, AFifoIsNoModelAndHasNoWeights) {
  const Ended model = run({"run", fifo("m.onnx")});
  EXPECT_EQ(model.status, 2);
  EXPECT_NE(model.err.find("not a regular file"), std::string::npos) << model.err;
  fifo("w.bin");
  const Ended weights = run({"run", external_model()});
  EXPECT_EQ(weights.status, 2);
  EXPECT_NE(weights.err.find("not a regular file"), std::string::npos) << weights.err;
}

// Whatever an option names is a regular file of bounded size: nothing waits for a pipe or reads without end.
TEST_F(ForeignFiles, FilesOfOptionsAreRegularFiles) {
  const std::string pipe = fifo("pipe"), model = symbolic_model();
  for (const std::string& file : {pipe, std::string("/dev/zero")}) {
    const std::vector<std::string> run_model = {"run", model, "--dim", "N=2"};
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{"--load", file}, {"--set", "CUSTOM_OPS=" + file}, {"--input", "x=" + file}}) {
      std::vector<std::string> arguments = run_model;
      arguments.insert(arguments.end(), more.begin(), more.end());
      const Ended ended = run(arguments);
      EXPECT_EQ(ended.status, 2) << more[0] << " " << more[1];
      EXPECT_NE(ended.err.find("not a regular file"), std::string::npos) << more[0] << more[1] << ended.err;
    }
    for (const std::vector<std::string>& command : {std::vector<std::string>{"repro", file},
                                                    {"tune", "--import", file},
                                                    {"tune", "--from", file},
                                                    {"check", file}}) {
      const Ended ended = run(command);
      EXPECT_EQ(ended.status, 2) << command[0] << " " << file << ended.err;
      EXPECT_NE(ended.err.find("regular file"), std::string::npos) << command[0] << " " << file << ended.err;
    }
  }
  const std::string large = folder.write("large", "#");
  fs::resize_file(large, uintmax_t{1} << 40);
  const Ended ended = run({"config", "--load", large});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("it has more than 1048576 bytes"), std::string::npos) << ended.err;
}

// Between two runs the weights become something else: the warm start looks before it opens.
TEST_F(ForeignFiles, WarmStartsLookBeforeTheyHash) {
  folder.write("w.bin", floats(1));
  const std::string model = external_model();
  ASSERT_FALSE(from_cache(model));
  fs::remove(path("w.bin"));
  fifo("w.bin");
  EXPECT_EQ(run({"run", model}).status, 2);
  fs::remove(path("w.bin"));
  const TempFolder outside;
  outside.write("w.bin", floats(1));
  fs::create_symlink(outside.path / "w.bin", path("w.bin"));
  const Ended ended = run({"run", model});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("is outside the model's directory"), std::string::npos) << ended.err;
}

TEST_F(ForeignFiles, DevicesAreNotOpened) {
  for (const char* device : {"/dev/zero", "/dev/tty", "/dev/null"})
    EXPECT_THROW(InputFile::open_below("/dev", fs::path(device).filename().string()), UserError);
}

}  // namespace
}  // namespace cppgen
