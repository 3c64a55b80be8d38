// The compiler as a library: cppgen_compiler.h through cppgen_compiler.hpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cppgen_compiler.hpp"
#include "tests/support/running_time.h"

extern "C" int compiler_header_check(void);

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

onnx::ValueInfoProto& matrix(onnx::ValueInfoProto* value, const std::string& name, const std::string& rows,
                             int64_t columns) {
  value->set_name(name);
  auto* tensor = value->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx::TensorProto::FLOAT);
  tensor->mutable_shape()->add_dim()->set_dim_param(rows);
  tensor->mutable_shape()->add_dim()->set_dim_value(columns);
  return *value;
}

// y = relu(x * w) + shift, with x [N, 4] and w [4, 3] = 1.
onnx::ModelProto small_model(float shift = 0) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("small");
  matrix(graph.add_input(), "x", "N", 4);
  graph.add_output()->set_name("y");
  auto& w = *graph.add_initializer();
  w.set_name("w"), w.set_data_type(onnx::TensorProto::FLOAT), w.add_dims(4), w.add_dims(3);
  for (int i = 0; i < 12; i++) w.add_float_data(1);
  auto& added = *graph.add_initializer();
  added.set_name("shift"), added.set_data_type(onnx::TensorProto::FLOAT);
  added.add_float_data(shift);
  const auto node = [&](const char* op, std::vector<const char*> inputs, const char* output) {
    auto& it = *graph.add_node();
    it.set_op_type(op), it.set_name(output);
    for (const char* input : inputs) it.add_input(input);
    it.add_output(output);
  };
  node("MatMul", {"x", "w"}, "product");
  node("Relu", {"product"}, "positive");
  node("Add", {"positive", "shift"}, "y");
  return model;
}

// Many different kernels: Exp, Sin and so on of slices of different sizes.
onnx::ModelProto slow_model(int nodes) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("slow");
  for (int i = 0; i < nodes; i++) {
    const std::string number = std::to_string(i);
    matrix(graph.add_input(), "x" + number, "N" + number, 16 + i);
    graph.add_output()->set_name("y" + number);
    auto& it = *graph.add_node();
    it.set_op_type("Softmax"), it.set_name("n" + number);
    it.add_input("x" + number), it.add_output("y" + number);
  }
  return model;
}

class CompilerLibrary : public testing::Test {
 protected:
  CompilerLibrary() {
    std::string name = (fs::temp_directory_path() / "cppgen-library-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary directory");
    folder_ = name;
    options_.settings["CACHE_DIR"] = path("cache");
    options_.environment = false;
  }
  ~CompilerLibrary() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const onnx::ModelProto& model, const std::string& name = "small.onnx") const {
    std::ofstream(path(name), std::ios::binary) << model.SerializeAsString();
    return path(name);
  }
  static float first(cppgen::Session session) {
    std::vector<float> x{1, 2, 3, 4, -1, -2, -3, -4};
    return session.run({cppgen::Tensor({2, 4}, x.data())}).tensor(0).as<float>()[0];
  }

  std::string folder_;
  cppgen::CompileOptions options_;
};

TEST_F(CompilerLibrary, CompilesFilesIntoTheCache) {
  const std::string model = write(small_model(0.5f));
  int calls = 0, last = 0;
  json isa;
  options_.progress = [&](int done, int total) { calls++, last = total - done; };
  {
    const cppgen::Package package = cppgen::compile(model, options_);
    EXPECT_THAT(package.path(), HasSubstr(path("cache")));
    EXPECT_EQ(json::parse(package.report())["package"], package.path());
    isa = json::parse(package.report())["isa"];
    EXPECT_EQ(first(package.load()), 10.5f);
  }
  EXPECT_GT(calls, 0);
  EXPECT_EQ(last, 0);
  const cppgen::Package again = cppgen::compile(model, options_);
  EXPECT_EQ(json::parse(again.report())["units"], 0);  // nothing was compiled
  EXPECT_EQ(json::parse(again.report())["isa"], isa);
  EXPECT_EQ(first(again.load()), 10.5f);
}

TEST_F(CompilerLibrary, DamagedPackagesOfTheCacheAreCompiledAgain) {
  const std::string model = write(small_model());
  options_.sizes = {"N=2"};
  const std::string package = cppgen::compile(model, options_).path();
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(package))
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), package).string());
  EXPECT_GE(files.size(), 8u);  // of the general version and that for N=2
  for (const std::string& name : files) {
    const std::string file = cppgen::compile(model, options_).path() + "/" + name;
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    fs::resize_file(file, fs::file_size(file) / 2);
    EXPECT_EQ(first(cppgen::compile(model, options_).load()), 10) << name;
  }
}

TEST_F(CompilerLibrary, CompilesBytesIntoADirectory) {
  const std::string bytes = small_model(1).SerializeAsString();
  options_.output = path("package");
  options_.dims = {"N=2"};
  std::optional<cppgen::Session> session;
  {
    const cppgen::Package package = cppgen::compile({bytes.data(), bytes.size()}, options_);
    EXPECT_EQ(package.path(), path("package"));
    session.emplace(package.load());
  }
  EXPECT_EQ(session->inputs()[0].dims, (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(first(std::move(*session)), 11);
  EXPECT_EQ(first(cppgen::Session(path("package"))), 11);
}

TEST_F(CompilerLibrary, BytesAndAFileAreTheSameModel) {
  const std::string bytes = small_model().SerializeAsString();
  options_.settings["FORCE_DISABLE_CACHES"] = "1";
  const auto plan = [&](const cppgen::Model& model, const std::string& output) {
    options_.output = path(output);
    cppgen::compile(model, options_);
    std::ifstream file(path(output) + "/plan.json");
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string of_file = plan(write(small_model()), "a");
  EXPECT_EQ(of_file, plan({bytes.data(), bytes.size(), "small.onnx"}, "b"));
  EXPECT_FALSE(of_file.empty());
}

TEST_F(CompilerLibrary, BytesHaveExternalDataOnlyInTheGivenFolder) {
  onnx::ModelProto model = small_model();
  auto& w = *model.mutable_graph()->mutable_initializer(0);
  w.clear_float_data();
  w.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& entry = *w.add_external_data();
  entry.set_key("location"), entry.set_value("w.bin");
  const std::vector<float> twos(12, 2.0f);
  std::ofstream(path("w.bin"), std::ios::binary).write(reinterpret_cast<const char*>(twos.data()), 48);
  const std::string bytes = model.SerializeAsString();
  EXPECT_EQ(first(cppgen::compile({bytes.data(), bytes.size(), "m.onnx", folder_}, options_).load()), 20);
  try {
    cppgen::compile({bytes.data(), bytes.size()}, options_);
    FAIL();
  } catch (const cppgen::Error& error) {
    EXPECT_EQ(error.status(), CPPGEN_USER_ERROR);
    EXPECT_THAT(error.what(), HasSubstr("model.onnx: "));
  }
}

TEST_F(CompilerLibrary, SettingsNeedNoEnvironment) {
  setenv("CPPGEN_ISA", "no such thing", 1);
  EXPECT_NO_THROW(cppgen::compile(write(small_model()), options_));
  options_.environment = true;
  EXPECT_THROW(cppgen::compile(write(small_model()), options_), cppgen::Error);
  options_.settings["ISA"] = "scalar";
  const cppgen::Package package = cppgen::compile(write(small_model()), options_);
  EXPECT_EQ(json::parse(package.report())["isa"], "scalar");
  unsetenv("CPPGEN_ISA");
}

// Compiles with settings that ask for a (short) tuning; what the library logged.
std::string log_of_tuning(const cppgen::Model& model, cppgen::CompileOptions options) {
  options.settings["MAX_AUTOTUNE"] = "1", options.settings["CI_FLAG"] = "1";
  std::string log;
  cppgen_compiler_set_log(
      [](void* context, int severity, const char* text) {
        if (severity >= 1) *static_cast<std::string*>(context) += text;
      },
      &log);
  cppgen::compile(model, options);
  cppgen_compiler_set_log(nullptr, nullptr);
  return log;
}

TEST_F(CompilerLibrary, TunesWhereSettingsAskForIt) {
  const std::string bytes = small_model().SerializeAsString();
  options_.dims = {"N=2"};
  options_.settings["LOGLEVEL"] = "INFO";
  // A request without the environment does not use it for the tuning either.
  setenv("CPPGEN_ISA", "no such thing", 1);
  EXPECT_THAT(log_of_tuning({bytes.data(), bytes.size()}, options_), HasSubstr("`cppgen tune` has tuned the model"));
  unsetenv("CPPGEN_ISA");
}

TEST_F(CompilerLibrary, WarnsWhyAModelIsNotTuned) {
  EXPECT_THAT(log_of_tuning(write(small_model()), options_),
              testing::AllOf(HasSubstr("the model is not tuned first"), HasSubstr("`cppgen tune`"), HasSubstr("'N'")));
  const std::string bytes = small_model().SerializeAsString();
  EXPECT_THAT(log_of_tuning({bytes.data(), bytes.size(), "m.onnx", folder_}, options_),
              HasSubstr("weights of a model in memory may be in other files"));
}

size_t children_of_this_process() {
  size_t count = 0;
  for (const auto& task : fs::directory_iterator("/proc/self/task")) {
    std::ifstream children(task.path() / "children");
    for (int id; children >> id;) count++;
  }
  return count;
}

// The first process that such a compilation starts is the program that tunes.
TEST_F(CompilerLibrary, TuningsCanBeCancelled) {
  cppgen::Cancel cancel;
  options_.cancel = &cancel;
  options_.dims = {"N=2"};
  options_.settings["MAX_AUTOTUNE"] = "1";
  std::atomic<bool> over = false;
  std::thread other([&] {
    while (children_of_this_process() == 0 && !over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    cancel.request();
  });
  const std::string model = write(small_model());
  EXPECT_THROW(cppgen::compile(model, options_), cppgen::Error);
  over = true;
  other.join();
  EXPECT_EQ(children_of_this_process(), 0u);
}

TEST_F(CompilerLibrary, RefusesWhatIsNotAllowed) {
  const auto error_of = [&](const auto& action) -> std::string {
    try {
      action();
    } catch (const cppgen::Error& error) {
      EXPECT_EQ(error.status(), CPPGEN_USER_ERROR);
      return error.what();
    }
    return "no error";
  };
  const std::string model = write(small_model());
  const auto with = [&](const auto& change) {
    return error_of([&] {
      cppgen::CompileOptions options = options_;
      change(options);
      cppgen::compile(model, options);
    });
  };
  EXPECT_THAT(with([](auto& it) { it.settings["THREADS"] = "many"; }), HasSubstr("THREADS"));
  EXPECT_THAT(with([](auto& it) { it.settings["NO_SUCH"] = "1"; }), HasSubstr("NO_SUCH"));
  EXPECT_THAT(with([](auto& it) { it.dims = {"N"}; }), HasSubstr("N"));
  EXPECT_THAT(with([](auto& it) { it.sizes = {"N=many"}; }), HasSubstr("many"));
  EXPECT_THAT(with([](auto& it) { it.custom_operators = {"/nowhere"}; }), HasSubstr("/nowhere"));
  EXPECT_THAT(with([&](auto& it) { it.output = folder_ + "/small.onnx"; }), HasSubstr("small.onnx"));
  EXPECT_THAT(error_of([&] { cppgen::compile(path("nothing.onnx"), options_); }), HasSubstr("nothing.onnx"));
  EXPECT_THAT(error_of([&] { cppgen::compile({"", 0}, options_); }), HasSubstr("empty"));
  EXPECT_THAT(error_of([&] { cppgen::compile({"\x08\x07junk", 6}, options_); }), HasSubstr("not an ONNX model"));
  cppgen_error error;
  cppgen_package* package = nullptr;
  EXPECT_EQ(cppgen_compile(nullptr, nullptr, &package, &error), CPPGEN_USER_ERROR);
  EXPECT_EQ(cppgen_request_set(nullptr, "THREADS", "1", &error), CPPGEN_USER_ERROR);
  EXPECT_EQ(compiler_header_check(), 0);
}

TEST_F(CompilerLibrary, AnswersAsTheProgramDoes) {
  const std::string model = write(small_model());
  const json check = json::parse(cppgen::check(model, options_));
  EXPECT_EQ(check["supported"], true);
  EXPECT_EQ(check["operators"]["MatMul"], 1);
  const json inspect = json::parse(cppgen::inspect(model, options_));
  EXPECT_EQ(inspect["inputs"][0]["dims"], json({"N", "4"}));
  const json explain = json::parse(cppgen::explain(model, options_));
  EXPECT_GE(explain["steps"].size(), 1u);
  EXPECT_GT(explain["flops"], 0);

  onnx::ModelProto foreign = small_model();
  foreign.mutable_graph()->mutable_node(1)->set_domain("elsewhere");
  auto& domain = *foreign.add_opset_import();
  domain.set_domain("elsewhere"), domain.set_version(1);
  const json refused = json::parse(cppgen::check(write(foreign), options_));
  EXPECT_EQ(refused["supported"], false);
  EXPECT_EQ(refused["unsupported"][0]["node"], "positive");
}

TEST_F(CompilerLibrary, CompilesOnSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<float> results(4);
  std::vector<std::string> errors(4);
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&, i] {
      try {
        const std::string bytes = small_model(float(i)).SerializeAsString();
        results[size_t(i)] = first(cppgen::compile({bytes.data(), bytes.size()}, options_).load());
      } catch (const std::exception& error) {
        errors[size_t(i)] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(errors, std::vector<std::string>(4));
  EXPECT_EQ(results, (std::vector<float>{10, 11, 12, 13}));
}

TEST_F(CompilerLibrary, IsCancelledWithinASecond) {
  const std::string bytes = slow_model(200).SerializeAsString();
  options_.settings["COMPILE_THREADS"] = "2";
  cppgen::Cancel cancel;
  options_.cancel = &cancel;
  options_.output = path("package");
  std::atomic<bool> begun = false;
  options_.progress = [&](int, int) { begun = true; };
  cppgen_status status = CPPGEN_OK;
  std::thread compiler([&] {
    try {
      cppgen::compile({bytes.data(), bytes.size()}, options_);
    } catch (const cppgen::Error& error) {
      status = error.status();
    }
  });
  while (!begun) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  cancel.request();
  const cppgen::RunningTime time;
  compiler.join();
  EXPECT_LT(time.seconds(), 10);  // a second, on a machine that does nothing else
  EXPECT_EQ(status, CPPGEN_CANCELLED);
  EXPECT_EQ(children_of_this_process(), 0u);
  for (const auto& entry : fs::directory_iterator(folder_))
    EXPECT_EQ(entry.path().filename(), "cache") << "was left behind";
}

}  // namespace
