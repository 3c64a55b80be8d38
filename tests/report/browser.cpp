#include "tests/report/browser.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cppgen/support/file_io.h"
#include "cppgen/support/subprocess.h"

namespace cppgen {
namespace {

constexpr const char* kFound =
    "function found(value) { document.documentElement.dataset.found = encodeURIComponent(JSON.stringify(value)); }\n";

std::string copy_with(const std::string& page, const std::string& script, const std::string& path) {
  std::string text = read_file(page);
  const size_t end = text.rfind("</body>");
  EXPECT_NE(end, text.npos);
  text.insert(end, "<script>" + std::string(kFound) + script + "</script>\n");
  EXPECT_EQ(write_file(path, text), 0);
  return path;
}

// The lines of a log that pages wrote; the others are about the machine.
std::string console_of(const std::string& log) {
  std::istringstream lines(log);
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (line.find("CONSOLE") != line.npos) text += line + "\n";
  return text;
}

// Its output goes to the files "out" and "log" of the folder.
void run(const std::string& folder, const std::vector<std::string>& options, const std::string& page) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh",
               "-c",
               "exec \"$@\" > out 2> log",
               "sh",
               kBrowser,
               "--headless",
               "--no-sandbox",
               "--disable-gpu",
               "--disable-dev-shm-usage",
               "--enable-logging=stderr",
               "--window-size=1500,1000",
               "--virtual-time-budget=20000",
               "--user-data-dir=" + folder + "/user"};
  spec.argv.insert(spec.argv.end(), options.begin(), options.end());
  spec.argv.push_back("file://" + page);
  spec.working_directory = folder;
  spec.environment = {{"HOME", folder}};
  spec.timeout_seconds = 600;
  PosixProcessRunner runner;
  const ProcessResult result = runner.run(spec);
  const std::string log = try_read_file(folder + "/log").value_or("");
  EXPECT_TRUE(result.ok()) << result.describe() << log;
  EXPECT_EQ(console_of(log), "");
}

std::string decoded(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); i++)
    if (text[i] == '%') {
      out += char(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  return out;
}

}  // namespace

nlohmann::json Browser::find(const std::string& page, const std::string& script) const {
  run(folder, {"--dump-dom"}, copy_with(page, script, folder + "/copy.html"));
  const std::string dom = read_file(folder + "/out"), name = "data-found=\"";
  const size_t begin = dom.find(name);
  if (begin == dom.npos) {
    ADD_FAILURE() << "the script did not end";
    return {};
  }
  const size_t first = begin + name.size();
  return nlohmann::json::parse(decoded(dom.substr(first, dom.find('"', first) - first)));
}

rt::Image Browser::look(const std::string& page, const std::string& script) const {
  const std::string file = folder + "/screenshot.png";
  run(folder, {"--screenshot=" + file}, copy_with(page, script, folder + "/copy.html"));
  const std::string bytes = try_read_file(file).value_or("");
  const auto image = rt::decode_image({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  EXPECT_TRUE(image) << "there is no screenshot";
  return image.value_or(rt::Image());
}

}  // namespace cppgen
