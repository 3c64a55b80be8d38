// The traces of `profile --trace` and PROFILE_OUTPUT follow the schema of Chrome's format (chrome_trace_schema.json).
#include "cppgen/support/file_io.h"
#include "cppgen/support/subprocess.h"
#include "tests/cli/program.h"
#include "tests/needed_data.h"

namespace cppgen {
namespace {

class TraceFormat : public CliTest {
 protected:
  // The violations of the schema; empty if there are none.
  static std::string violations(const std::string& file) {
    const std::string folder = std::string(CPPGEN_SOURCE_DIR) + "/tests/report/";
    ProcessSpec spec;
    spec.argv = {"/usr/bin/python3", "-B", folder + "validate_json.py", folder + "chrome_trace_schema.json", file};
    spec.timeout_seconds = 300;
    PosixProcessRunner runner;
    const ProcessResult result = runner.run(spec);
    if (result.ok()) return "";
    return result.output.empty() ? result.describe() : result.output;
  }

  void SetUp() override { CPPGEN_NEEDS_DATA("/usr/lib/python3/dist-packages/jsonschema"); }
};

TEST_F(TraceFormat, OfProfile) {
  const std::vector<std::string> arguments{"profile", symbolic_model(), "--dim", "N=4096", "--runs", "1"};
  for (const char* stamp : {"none", "json"}) {
    std::vector<std::string> more = arguments;
    more.insert(more.end(), {"--trace", path("trace.json"), "--set", std::string("OPS_STAMP=") + stamp});
    ASSERT_EQ(run(more).status, 0);
    EXPECT_EQ(violations(path("trace.json")), "");
  }
}

TEST_F(TraceFormat, OfProfileOutput) {
  environment["CPPGEN_PROFILE_OUTPUT"] = path("runs.json");
  ASSERT_EQ(run({"bench", symbolic_model(), "--dim", "N=4096", "--runs", "3"}).status, 0);
  EXPECT_GT(read_file(path("runs.json")).size(), 100u);
  EXPECT_EQ(violations(path("runs.json")), "");
}

TEST_F(TraceFormat, TheSchemaRefusesWhatViewersCannotShow) {
  const std::string good = R"({"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1})";
  EXPECT_EQ(violations(folder.write("good.json", "[" + good + "]")), "");
  EXPECT_EQ(violations(folder.write("good.json", R"({"traceEvents": [)" + good + R"(], "displayTimeUnit": "ms"})")),
            "");
  for (const auto& [text, what] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"([{"ph": "X", "name": "a", "ts": 1, "pid": 1, "tid": 1}])", "'dur' is a required property"},
           {R"([{"ph": "X", "name": "a", "ts": -1, "dur": 2, "pid": 1, "tid": 1}])", "less than the minimum"},
           {R"([{"ph": "X", "name": "a", "ts": "1", "dur": 2, "pid": 1, "tid": 1}])", "is not of type 'number'"},
           {R"([{"ph": "X", "name": 7, "ts": 1, "dur": 2, "pid": 1, "tid": 1}])", "is not of type 'string'"},
           {R"([{"ph": "Q", "name": "a", "ts": 1, "pid": 1, "tid": 1}])", "'Q' is not one of"},
           {R"([{"ph": "X", "name": "a", "ts": 1, "dur": 2, "tid": 1}])", "'pid' is a required property"},
           {R"([{"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {}}])", "'name' is a required property"},
           {R"([{"ph": "M", "name": "colour", "pid": 1, "tid": 1, "args": {}}])", "'colour' is not one of"},
           {R"([{"ph": "C", "name": "a", "ts": 1, "pid": 1, "args": {"n": "one"}}])", "is not of type 'number'"},
           {R"({"displayTimeUnit": "ms"})", "'traceEvents' is a required property"},
           {R"({"traceEvents": [], "displayTimeUnit": "us"})", "'us' is not one of"}}) {
    const std::string found = violations(folder.write("bad.json", text));
    EXPECT_NE(found.find(what), std::string::npos) << text << "\n" << found;
  }
}

}  // namespace
}  // namespace cppgen
