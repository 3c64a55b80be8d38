// Settings that show what happened.
#include <nlohmann/json.hpp>
#include <sstream>

#include "cppgen/support/file_io.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A kernel of the cache is damaged.
TEST_F(SettingEffect, LOGLEVEL) {
  const std::string model = relu();
  environment["CPPGEN_TREADS"] = "2";
  using Seen = std::vector<bool>;  // messages of DEBUG, INFO and WARNING
  const auto see = [&] {
    succeed_anew({"run", model});
    fs::remove_all(path("cache/cppgen/models"));
    for (const auto& file : fs::recursive_directory_iterator(path("cache/cppgen/kernels")))
      if (file.path().extension() == ".so") {
        EXPECT_EQ(write_file(file.path(), "damaged"), 0);
      }
    const std::string log = succeed({"run", model}).err;
    return Seen{contains(log, "loaded package '"), contains(log, ".so' is not used: "), contains(log, "CPPGEN_TREADS")};
  };
  const Seen by_default{false, false, true};
  expect_effect<Seen>("ERROR", see, by_default, {false, false, false});
  expect_effect<Seen>("INFO", see, by_default, {false, true, true});
  expect_effect<Seen>("DEBUG", see, by_default, {true, true, true});
}

// It is shown also when the compiled model comes from the cache.
TEST_F(SettingEffect, TRACE) {
  const std::string model = relu();
  const auto files = [&] {
    fs::remove_all(path("trace"));
    environment["CPPGEN_TRACE_DIR"] = path("trace");
    succeed({"run", model});
    std::set<std::string> names;
    if (fs::exists(path("trace")))
      for (const auto& file : fs::directory_iterator(path("trace/relu"))) {
        if (file.is_regular_file()) EXPECT_GT(file.file_size(), 0u) << file.path();
        names.insert(file.path().filename());
      }
    return names;
  };
  succeed({"run", model});
  EXPECT_EQ(files(), std::set<std::string>());
  environment["CPPGEN_TRACE"] = "1";
  const std::set<std::string> all = files();
  environment.erase("CPPGEN_TRACE");
  for (const char* part : {"00_import.txt", "_infer_types.txt", "_lower.txt", "_inline_cheap.txt", "kernels_0.cpp",
                           "plan.json", "timings.txt"})
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](auto& name) { return contains(name, part); })) << part;
  expect_effect<std::set<std::string>>("1", files, {}, all);
}

TEST_F(SettingEffect, TRACE_DIR) {
  const std::string model = relu();
  environment["CPPGEN_TRACE"] = "1";
  using Seen = std::pair<bool, bool>;
  const auto where = [&] {
    fs::remove_all(path("elsewhere"));
    succeed_anew({"run", model});
    return Seen(fs::exists(path("cache/cppgen/trace/relu/plan.json")), fs::exists(path("elsewhere/relu/plan.json")));
  };
  expect_effect<Seen>(path("elsewhere"), where, {true, false}, {false, true});
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) found++;
  return found;
}

// The boxes of both diagrams. Three nodes become one kernel, between the boxes of the input and the output; a model
// that is in the cache is compiled again.
TEST_F(SettingEffect, GRAPH_DIAGRAM) {
  ModelMaker maker;
  maker.input("x", {"64"}).output("y").node("Exp", {"x"}, {"e"}, "the_exp");
  maker.node("Neg", {"e"}, {"n"}, "the_neg");
  maker.node("Relu", {"n"}, {"y"}, "the_relu");
  const std::string model = write("three.onnx", maker);
  environment["CPPGEN_TRACE_DIR"] = path("trace");
  using Boxes = std::pair<size_t, size_t>;
  const auto boxes = [&](const std::string& command) {
    fs::remove_all(path("trace"));
    succeed({command, model});
    const auto of = [&](const std::string& name) {
      const std::string svg = try_read_file(path("trace/three/" + name)).value_or("");
      EXPECT_EQ(svg.empty(), !svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
      return count(svg, "<g class=\"box ");
    };
    return Boxes(of("before_fusion.svg"), of("after_fusion.svg"));
  };
  expect_effect<Boxes>("1", [&] { return boxes("run"); }, {0, 0}, {5, 3});
  expect_effect<Boxes>("1", [&] { return boxes("explain"); }, {0, 0}, {5, 3});
}

TEST_F(SettingEffect, PLOT_SHORTEN_TENSOR_NAMES) {
  const std::string name = "a_tensor_whose_name_takes_more_room_than_its_box_should", end = "its_box_should float32[8]";
  ModelMaker maker;
  maker.input("x", {"8"}).output("y").node("Exp", {"x"}, {name}, "e");
  maker.node("MatMul", {name, "w"}, {"y"}, "m");
  maker.initializer("w", {8, 4}, onnx::TensorProto::FLOAT).set_raw_data(std::string(8 * 4 * sizeof(float), 'a'));
  const std::string model = write("long.onnx", maker);
  environment["CPPGEN_TRACE_DIR"] = path("trace"), environment["CPPGEN_GRAPH_DIAGRAM"] = "1";
  using Seen = std::vector<bool>;  // the whole name, and its end, in either diagram
  const auto see = [&] {
    succeed({"explain", model});
    Seen seen;
    for (const char* file : {"before_fusion.svg", "after_fusion.svg"}) {
      const std::string svg = read_file(path("trace/long/") + file);
      seen.push_back(contains(svg, name));
      seen.push_back(contains(svg, "..." + end));
    }
    return seen;
  };
  expect_effect<Seen>("1", see, {true, false, true, false}, {false, true, false, true});
}

TEST_F(SettingEffect, COMMENT_ORIGIN) {
  const std::string model = relu();
  const auto named = [&] {
    const json report = json::parse(succeed({"explain", model, "--source", "--json"}).out);
    return contains(report["steps"][0]["source"], "the_relu");
  };
  expect_effect<bool>("0", named, true, false);
}

TEST_F(SettingEffect, DEBUG_FUSION) {
  ModelMaker maker;
  maker.input("x", {"8"}).output("y").node("Exp", {"x"}, {"e"}, "the_exp");
  maker.node("Neg", {"e"}, {"y"}, "the_neg");
  const std::string model = write("two.onnx", maker);
  const auto printed = [&] {
    return contains(succeed({"run", model}).err, "  inline     yes exp (the_exp) -> neg (the_neg)\n");
  };
  expect_effect<bool>("1", printed, false, true);
}

TEST_F(SettingEffect, PROGRESS) {
  const std::string model = relu();
  const auto shown = [&] { return contains(succeed_anew({"run", model}).err, "compiling kernels: 1 of 1, "); };
  expect_effect<bool>("1", shown, false, true);  // stderr is no terminal
}

// Without a terminal there is no width of a terminal.
TEST_F(SettingEffect, PROGRESS_NCOLS) {
  const std::string model = relu();
  environment["CPPGEN_PROGRESS"] = "1";
  const auto shown = [&] {
    const std::string text = succeed_anew({"run", model}).err;
    return text.substr(text.rfind('\n', text.find(" of 1, ")) + 1, text.find(" of 1, ") - text.find("compil"));
  };
  expect_effect<std::string>("20", shown, "compiling kernels: 0", "compili: 0");
  for (const char* columns : {"20", "25", "1000"}) {
    environment["CPPGEN_PROGRESS_NCOLS"] = columns;
    std::istringstream lines(succeed_anew({"run", model}).err);
    size_t longest = 0;
    for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
    EXPECT_GE(longest, std::min<size_t>(std::string("compiling kernels: 0 of 1, 0 s").size(), std::stoul(columns)));
    EXPECT_LE(longest, std::stoul(columns));
  }
}

}  // namespace
}  // namespace cppgen
