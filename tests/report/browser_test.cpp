// The page in Debian's Chromium: it is used by a script (use_page.js) and looked at.
#include "tests/report/browser.h"

#include <fstream>

#include "cppgen/support/file_io.h"
#include "tests/cli/program.h"
#include "tests/needed_data.h"

namespace cppgen {
namespace {

using nlohmann::json;

class PageInBrowser : public CliTest {
 protected:
  Browser browser{path("tmp")};

  std::string page_of(const std::string& model, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"explain", model, "--html", path("page.html")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return path("page.html");
  }

  json use(const std::string& page, const std::string& word) const {
    std::string script = read_file(std::string(CPPGEN_SOURCE_DIR) + "/tests/report/use_page.js");
    const std::string place = "@word@";
    script.replace(script.find(place), place.size(), word);
    return browser.find(page, script);
  }

  static void expect_usable(const json& diagram) {
    EXPECT_GT(diagram["boxes"].get<int>(), 1);
    EXPECT_EQ(diagram["tooWide"], 0) << "texts leave their boxes";
    EXPECT_GT(diagram["hits"].get<int>(), 0);
    EXPECT_EQ(diagram["found"], fmt::format("{} of {}", diagram["hits"].get<int>(), diagram["boxes"].get<int>()));
    EXPECT_EQ(diagram["movedToHit"], true);
    EXPECT_NE(diagram["headingOfHit"], "");
    EXPECT_EQ(diagram["chosen"], 1);
    EXPECT_EQ(diagram["foundNothing"], fmt::format("0 of {}", diagram["boxes"].get<int>()));
    EXPECT_EQ(diagram["hitsAfterwards"], 0);
    EXPECT_NEAR(diagram["zoom"].get<double>(), std::exp(0.48), 1e-3);
    EXPECT_LT(diagram["drift"].get<double>(), 0.1) << "the point under the pointer moves while zooming";
    EXPECT_LT(diagram["moved"].get<double>(), 0);
    EXPECT_EQ(diagram["wholeIsVisible"], true);
    EXPECT_NE(diagram["headingOfClick"], "");
    EXPECT_GT(diagram["details"].get<int>(), 20);
  }

  // More than a background with a few lines.
  void expect_picture(const std::string& page, const std::string& view) const {
    const rt::Image image = browser.look(
        page, "[...document.querySelectorAll('#tabs button')].find(it => it.textContent === '" + view + "').click();");
    std::map<std::array<uint8_t, 3>, int64_t> colours;
    for (size_t i = 0; i + 2 < image.pixels.size(); i += 3)
      colours[{image.pixels[i], image.pixels[i + 1], image.pixels[i + 2]}]++;
    EXPECT_GT(image.width * image.height, 500'000);
    EXPECT_GT(colours.size(), 20u);
    int64_t most = 0;
    for (const auto& [colour, count] : colours) most = std::max(most, count);
    EXPECT_LT(most, image.width * image.height * 99 / 100);
  }

  void expect_usable_page_of(const std::string& name, const std::string& word) const {
    CPPGEN_NEEDS_DATA(kBrowser);
    const std::string model = std::string(CPPGEN_MODELS_DIR) + "/" + name + ".onnx";
    CPPGEN_NEEDS_DATA(model);
    const std::string page = page_of(model, {"--asm", "--profile"});
    const json report = use(page, word);
    EXPECT_EQ(report["tabs"], json({"Summary", "Before fusion", "After fusion", "Memory", "Timeline"}));
    EXPECT_NE(report["summary"].get<std::string>().find("arithmetic"), std::string::npos);
    EXPECT_GT(report["rows"].get<int>(), 10);
    EXPECT_GT(report["memory"].get<int>(), 5);
    EXPECT_GT(report["before"]["boxes"].get<int>(), report["rows"].get<int>());
    EXPECT_NE(report["kernel"]["source"].get<std::string>().find("void "), std::string::npos);
    EXPECT_NE(report["kernel"]["assembly"].get<std::string>().find("\tret"), std::string::npos);
    EXPECT_NE(report["kernel"]["text"].get<std::string>().find("plan"), std::string::npos);
    EXPECT_GT(report["timeline"].get<int>(), report["rows"].get<int>() / 2);
    EXPECT_EQ(report["resources"], 0) << "the page reads from elsewhere";
    for (const char* diagram : {"before", "after"}) {
      SCOPED_TRACE(diagram);
      expect_usable(report[diagram]);
    }
    for (const char* view : {"Before fusion", "After fusion", "Memory", "Timeline"}) {
      SCOPED_TRACE(view);
      expect_picture(page, view);
    }
  }
};

TEST_F(PageInBrowser, Resnet50) { expect_usable_page_of("resnet50", "conv"); }
TEST_F(PageInBrowser, BertBase) { expect_usable_page_of("bert_base", "matmul"); }

// Two kernels, one of them repeated layer after layer, with names that try to leave their place on the page.
TEST_F(PageInBrowser, ShowsAssemblyAndARunAndNoNameBecomesMarkup) {
  CPPGEN_NEEDS_DATA(kBrowser);
  const std::string hostile = "</script><script>window.intruder=1</script><img src=x onerror=window.intruder=1>";
  ModelMaker maker;
  maker.input("x", {"64", "48"}).input("w", {"48", "32"}).input("v", {"32", "8"}).output("y");
  maker.node("MatMul", {"x", "w"}, {hostile}, "first</title>" + hostile);
  maker.node("Softmax", {hostile}, {"s"}, "matmul\"'><svg onload=window.intruder=1>\xff\x01");
  maker.node("MatMul", {"s", "v"}, {"y"}, "third");
  const json report = use(page_of(write("a<b>.onnx", maker), {"--asm", "--profile"}), "matmul");
  EXPECT_EQ(report["intruders"], 0);
  EXPECT_EQ(report["resources"], 0);
  EXPECT_EQ(report["tabs"], json({"Summary", "Before fusion", "After fusion", "Memory", "Timeline"}));
  EXPECT_EQ(report["before"]["boxes"], 7);
  EXPECT_EQ(report["before"]["arrows"], 6);
  expect_usable(report["before"]);
  EXPECT_GT(report["timeline"].get<int>(), 0);
  EXPECT_GT(report["lanes"].get<int>(), 0);
  EXPECT_NE(report["kernel"]["assembly"].get<std::string>().find("\tret"), std::string::npos);
  EXPECT_NE(report["kernel"]["text"].get<std::string>().find("measured"), std::string::npos);
  EXPECT_NE(report["kernel"]["text"].get<std::string>().find("predicted bound"), std::string::npos);
}

}  // namespace
}  // namespace cppgen
