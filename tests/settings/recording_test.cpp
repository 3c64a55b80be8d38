// Settings that write down what ran: traces, labels, contractions, the arguments of kernels.
#include <nlohmann/json.hpp>
#include <sstream>

#include "cppgen/support/file_io.h"
#include "runtime/session/session.h"
#include "runtime/values/npy.h"
#include "runtime/values/random_inputs.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// A slice for each chunk of each run so far.
TEST_F(SettingEffect, PROFILE_OUTPUT) {
  const auto executable = rt::Executable::load(package(relu()));
  const auto inputs = rt::random_inputs(executable->plan(), {}, 0);
  const std::vector<rt::TensorView> views{inputs[0].view()};
  const std::string file = path("trace.json");
  using Seen = std::pair<size_t, size_t>;  // slices after one run and after two
  const auto slices = [&] {
    if (!fs::exists(file)) return size_t(0);
    const json events = json::parse(read_file(file));
    std::set<int64_t> chunks;
    for (const json& event : events) {
      EXPECT_EQ(event["ph"], "X");
      EXPECT_EQ(event["name"], executable->plan().steps[0].name);
      EXPECT_EQ(event["args"]["nodes"], json::array({"the_relu"}));
      EXPECT_GE(event["dur"].get<double>(), 0);
      EXPECT_GT(event["tid"].get<int64_t>(), 0);
      chunks.insert(event["args"]["chunk"].get<int64_t>());
    }
    EXPECT_EQ(chunks.size(), 64u);
    return events.size();
  };
  const auto see = [&] {
    fs::remove(file);
    rt::SessionOptions options = rt::SessionOptions::from(settings());
    options.threads = 2;
    rt::Session session(executable, options);
    session.run(views);
    const size_t first = slices();
    session.run(views);
    return Seen(first, slices());
  };
  expect_effect<Seen>(file, see, {0, 0}, {64, 128});
  environment["CPPGEN_PROFILE_OUTPUT"] = path("missing/trace.json");
  EXPECT_NE(run({"run", path("model.package")}).err.find("PROFILE_OUTPUT: cannot write"), std::string::npos);
}

// The label of the only step in the profile of a run.
std::string label_of(const Ended& ended) { return json::parse(ended.out)["steps"][0]["label"]; }

TEST_F(SettingEffect, OPS_STAMP) {
  const std::string model = package(relu());
  environment["CPPGEN_ENABLE_KERNEL_PROFILE"] = "1";
  const std::string kernel = rt::Executable::load(model)->plan().steps[0].name;
  const auto label = [&] { return label_of(succeed({"run", model, "--json"})); };
  const auto form = [&] {
    const std::string text = label();
    if (text == kernel) return std::string("none");
    if (text.starts_with("cppgen#" + kernel + ":") && text.size() == kernel.size() + 8 + 16) return std::string("hash");
    const json parsed = json::parse(text.substr(std::string("cppgen#").size()));
    EXPECT_EQ(parsed["kernel"], kernel);
    EXPECT_EQ(parsed["nodes"], json::array({"the_relu"}));
    EXPECT_EQ(parsed["buffers"].size(), 2u);
    EXPECT_EQ(parsed["buffers"][1]["type"], "float32");
    return std::string("json");
  };
  expect_effect<std::string>("hash", form, "none", "hash");
  expect_effect<std::string>("json", form, "none", "json");
  environment["CPPGEN_OPS_STAMP"] = "hash";
  EXPECT_EQ(label(), label());
  EXPECT_NE(succeed({"run", model}).out.find(label()), std::string::npos);
}

TEST_F(SettingEffect, OPS_PREFIX) {
  const std::string model = package(relu());
  environment["CPPGEN_ENABLE_KERNEL_PROFILE"] = "1", environment["CPPGEN_OPS_STAMP"] = "hash";
  const auto prefix = [&] {
    const std::string label = label_of(succeed({"run", model, "--json"}));
    return label.substr(0, label.find(rt::Executable::load(model)->plan().steps[0].name));
  };
  expect_effect<std::string>("mine/", prefix, "cppgen#", "mine/");
}

// A line for each product, also if the model is in the cache; appended.
TEST_F(SettingEffect, OPS_RECORD) {
  const std::string model = products(3), file = path("record");
  succeed({"run", model});
  const auto recorded = [&] {
    fs::remove(file);
    succeed({"run", model});
    succeed({"run", model});
    std::istringstream text(try_read_file(file).value_or(""));
    std::vector<std::vector<int64_t>> shapes;
    for (std::string line; std::getline(text, line);) {
      const json it = json::parse(line);
      EXPECT_EQ(it["left"], "float32");
      EXPECT_EQ(it["nodes"], json::array({"product" + std::to_string(shapes.size() % 3)}));
      EXPECT_NE(it["engine"], "");
      shapes.push_back({it["batch"], it["rows"], it["columns"], it["k"]});
    }
    return shapes;
  };
  const std::vector<int64_t> first{1, 32, 48, 32}, second{1, 32, 64, 48}, third{1, 32, 80, 64};
  expect_effect<std::vector<std::vector<int64_t>>>(file, recorded, {}, {first, second, third, first, second, third});
}

TEST_F(SettingEffect, SAVE_ARGS) {
  ModelMaker maker;
  maker.input("x", {"2", "3"}).output("y").node("Relu", {"x"}, {"y"}, "the_relu");
  const std::string model = package(write("small.onnx", maker)), folder = path("trace/args/");
  environment["CPPGEN_TRACE_DIR"] = path("trace");
  using Files = std::vector<std::string>;
  const auto saved = [&] {
    fs::remove_all(path("trace"));
    succeed({"run", model});
    Files files;
    if (!fs::exists(folder)) return files;
    for (const json& it : json::parse(read_file(folder + "index.json"))) {
      EXPECT_EQ(it["nodes"], json::array({"the_relu"}));
      EXPECT_EQ(it["shape"], json::array({2, 3}));
      files.push_back(it["file"]);
    }
    const rt::Tensor x = rt::read_npy(folder + files.at(0)), y = rt::read_npy(folder + files.at(1));
    for (int i = 0; i < 6; i++) EXPECT_EQ(y.as<float>()[i], std::max(0.f, x.as<float>()[i]));
    return files;
  };
  expect_effect<Files>("1", saved, {}, {"run0_step0_in0.npy", "run0_step0_out0.npy"});
}

}  // namespace
}  // namespace cppgen
