// The page without a browser: what its text contains.
#include <nlohmann/json.hpp>

#include "cppgen/support/file_io.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) found++;
  return found;
}

class Page : public CliTest {
 protected:
  std::string page_of(const std::string& model, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"explain", model, "--html", path("page.html")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.out, "");
    return read_file(path("page.html"));
  }

  static json data_of(const std::string& page) {
    const std::string start = "<script type=\"application/json\" id=\"data\">";
    const size_t begin = page.find(start) + start.size();
    return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  }

  std::string two_products() const {
    ModelMaker maker;
    maker.input("x", {"N", "48"}).input("w", {"48", "32"}).input("v", {"32", "8"}).output("y");
    maker.node("MatMul", {"x", "w"}, {"p"}, "first");
    maker.node("Relu", {"p"}, {"r"}, "between");
    maker.node("MatMul", {"r", "v"}, {"y"}, "last");
    return write("two.onnx", maker);
  }
};

TEST_F(Page, ContainsStepsDecisionsAndMemory) {
  const json data = data_of(page_of(two_products(), {"--dim", "N=64"}));
  ASSERT_GE(data["steps"].size(), 2u);
  const json& step = data["steps"].back();
  EXPECT_EQ(step["origins"].back(), "last");
  EXPECT_NE(step["source"].get<std::string>().find("void"), std::string::npos);
  EXPECT_EQ(step["assembly"], "");
  EXPECT_TRUE(step["measured_us"].is_null());
  EXPECT_EQ(step["flops"], 2 * 64 * 32 * 8);
  bool fused = false;
  for (const json& number : data["steps"][0]["decisions"]) {
    const json& decision = data["decisions"][number.get<size_t>()];
    fused |= decision[1] == true && decision[2].get<std::string>().find("between") != std::string::npos;
  }
  EXPECT_TRUE(fused) << data["decisions"];
  int64_t products = 0;
  for (const json& item : data["memory"]["items"]) products += item[1] == 64 * 32 * 4;
  EXPECT_EQ(products, 1) << data["memory"];
  EXPECT_TRUE(data["timeline"].is_null());
  const json& node = data["before"][3];  // behind the inputs
  EXPECT_EQ(node["name"], "first");
  EXPECT_NE(std::find(node["steps"].begin(), node["steps"].end(), 0), node["steps"].end()) << node;
}

TEST_F(Page, ContainsAMeasuredRun) {
  const json data = data_of(page_of(two_products(), {"--dim", "N=64", "--profile", "--asm", "--threads", "2"}));
  for (const json& step : data["steps"]) {
    EXPECT_GT(step["measured_us"].get<double>(), 0);
    EXPECT_GT(step["bound_us"].get<double>(), 0);
    EXPECT_NE(step["assembly"].get<std::string>().find("ret"), std::string::npos);
  }
  const json& timeline = data["timeline"];
  const auto lanes = timeline["lanes"].size();
  EXPECT_GE(lanes, 1u);
  for (const json& slice : timeline["slices"]) {
    EXPECT_LT(slice[0].get<size_t>(), data["steps"].size());
    EXPECT_LT(slice[1].get<size_t>(), lanes);
    EXPECT_GE(slice[2].get<double>(), 0);
    EXPECT_LE(slice[2].get<double>() + slice[3].get<double>(), timeline["us"].get<double>());
  }
}

TEST_F(Page, NoNameEndsTheScript) {
  ModelMaker maker;
  const std::string name = "</script><script>alert(1)</script>\xff";
  maker.input(name, {"8"}).output("y").node("Relu", {name}, {"y"}, "<b>" + name);
  const std::string page = page_of(write("<i>.onnx", maker));
  EXPECT_EQ(count(page, "<script"), 2u);
  EXPECT_EQ(count(page, "</script"), 2u);
  EXPECT_EQ(count(page, "<b>"), 0u);
  EXPECT_EQ(count(page, "<i>"), 0u);
  EXPECT_EQ(count(page, "http://www.w3.org/2000/svg"), count(page, "http:"));
  EXPECT_EQ(count(page, "https:"), 0u);
  EXPECT_EQ(data_of(page)["before"][1]["name"], "<b></script><script>alert(1)</script>\xef\xbf\xbd");
}

// Branches are drawn between the If and the readers of its results, and host steps have boxes.
TEST_F(Page, ShowsControlFlow) {
  ModelMaker maker;
  maker.input("c", {}, onnx::TensorProto::BOOL).input("x", {"8"}).output("y");
  maker.choice("z", "in_");
  maker.node("Relu", {"z"}, {"y"}, "reader");
  const json data = data_of(page_of(write("if.onnx", maker)));
  std::set<std::string> names;
  for (const json& node : data["before"]) names.insert(node["name"]);
  for (const char* name : {"choice", "in_then_branch", "in_else_branch", "reader"})
    EXPECT_TRUE(names.contains(name)) << name;
  std::set<int> shown;
  for (const json& step : data["after"]) shown.insert(step.get<int>());
  for (int i = 0; i < int(data["steps"].size()); i++)
    EXPECT_TRUE(shown.contains(i)) << data["steps"][size_t(i)]["name"];
}

TEST_F(Page, SaysWhyItCannotBeWritten) {
  const Ended ended = run({"explain", symbolic_model(), "--html", path("missing/page.html")});
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.err.find("--html: " + path("missing/page.html") + ": cannot be written"), std::string::npos)
      << ended.err;
  EXPECT_EQ(run({"explain", symbolic_model(), "--profile"}).status, 2);
}

}  // namespace
}  // namespace cppgen
