// `opt`: models and texts, with passes or without.
#include <fstream>

#include "cppgen/support/file_io.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

constexpr const char* kText = R"(graph "g" onnx@17 {
  input %x : float32[N, 3]
  %i = Identity(%x)
  %y = Relu(%i)
  return %y
}
)";

class Opt : public CliTest {
 protected:
  std::string write_text(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
};

TEST_F(Opt, PrintsModelsAsTextsAndReadsTheseBack) {
  const Ended model = run({"opt", symbolic_model()});
  EXPECT_EQ(model.status, 0) << model.err;
  EXPECT_EQ(model.out,
            "graph \"g\" onnx@17 {\n  input %x : float32[N, 3]\n  %y = Relu(%x)  # \"Relu#0\"\n  return %y\n}\n");
  const Ended again = run({"opt", write_text("model.graph", model.out)});
  EXPECT_EQ(again.out, model.out) << again.err;
  EXPECT_EQ(run({"opt", path("model.graph"), "-o", path("copy.graph")}).out, "");
  EXPECT_EQ(read_file(path("copy.graph")), model.out);
}

TEST_F(Opt, RunsPasses) {
  const std::string file = write_text("t.graph", kText);
  const Ended chosen =
      run({"opt", file, "--pass", "infer_types,canonicalize", "--pass", "eliminate_dead_code", "--verify"});
  EXPECT_EQ(chosen.out,
            "graph \"g\" onnx@17 {\n  input %x : float32[N, 3]\n  %y = Relu(%x) : float32[N, 3]\n  return %y\n}\n")
      << chosen.err;
  const Ended until = run({"opt", file, "--until", "eliminate_common_subexpressions"});
  EXPECT_EQ(until.out, chosen.out) << until.err;
  const Ended unchanged = run({"opt", file, "--until", "canonicalize", "--set", "PATTERN_MATCHER=0"});
  EXPECT_NE(unchanged.out.find("%i = Identity(%x)"), std::string::npos) << unchanged.out << unchanged.err;
}

TEST_F(Opt, LowersAndRunsPassesOverPrograms) {
  const std::string file = write_text("t.graph", kText);
  const Ended lowered = run({"opt", file, "--pass", "infer_types,lower"});
  EXPECT_TRUE(lowered.out.starts_with("program\nb0 input float32 [N, 3] \"x\"\n")) << lowered.out << lowered.err;
  const std::string program = write_text("t.program", lowered.out);
  EXPECT_EQ(run({"opt", program}).out, lowered.out);
  const Ended one = run({"opt", program, "--pass", "inline_single_use"});
  EXPECT_EQ(one.out, run({"opt", file, "--pass", "infer_types,lower,inline_single_use"}).out) << one.err;
  EXPECT_EQ(one.out.find("nest identity"), std::string::npos) << one.out;
}

TEST_F(Opt, RunsPassesOverSchedules) {
  const std::string file = write_text("t.graph", kText);
  const Ended made = run({"opt", file, "--until", "make_steps"});
  EXPECT_TRUE(made.out.starts_with("schedule after make_steps\nprogram\n")) << made.out << made.err;
  EXPECT_NE(made.out.find("\nkernel {\n  name = k0_relu\n"), std::string::npos) << made.out;
  const std::string schedule = write_text("t.schedule", made.out);
  EXPECT_EQ(run({"opt", schedule, "--verify"}).out, made.out);
  const Ended finished = run({"opt", schedule, "--until", "choose_register_tiles"});
  EXPECT_EQ(finished.out, run({"opt", file, "--until", "choose_register_tiles"}).out) << finished.err;
  const Ended planned = run({"opt", schedule, "--plans"});
  EXPECT_NE(planned.out.find("\n  plan columns {\n"), std::string::npos) << planned.out << planned.err;
  EXPECT_EQ(run({"opt", write_text("planned.schedule", planned.out)}).out, planned.out);
  const auto error = [&](const char* pass) { return run({"opt", schedule, "--pass", pass}).err; };
  EXPECT_NE(error("inline_cheap").find("inline_cheap cannot run after make_steps"), std::string::npos);
  EXPECT_NE(error("plan_layouts").find("plan_layouts cannot run after make_steps"), std::string::npos);
  EXPECT_NE(run({"opt", file, "--until", "lower", "--pass", "merge_rows"})
                .err.find("merge_rows cannot run before plan_layouts"),
            std::string::npos);
}

TEST_F(Opt, KeepsOutputsInInputs) {
  ModelMaker maker;
  maker.input("past", {"2", "P"}).input("x", {"2", "n"}).output("present");
  auto& axis = *maker.node("Concat", {"past", "x"}, {"present"}, "append").add_attribute();
  axis.set_name("axis"), axis.set_type(onnx::AttributeProto::INT), axis.set_i(1);
  const std::string model = write("append.onnx", maker);
  const Ended graph = run({"opt", model, "--state", "present=past:16"});
  EXPECT_NE(graph.out.find("  return %present\n  keep %present in %past capacity 16\n}\n"), std::string::npos)
      << graph.out << graph.err;
  const std::string text = write_text("append.graph", graph.out);
  EXPECT_EQ(run({"opt", text}).out, graph.out);
  const Ended lowered = run({"opt", text, "--until", "lower"});
  EXPECT_EQ(lowered.out, run({"opt", model, "--state", "present=past:16", "--until", "lower"}).out);
  EXPECT_NE(lowered.out.find("assume P + n <= 16\n"), std::string::npos) << lowered.out << lowered.err;
  EXPECT_NE(lowered.out.find("b0 input float32 [2, 16] \"past\""), std::string::npos) << lowered.out;
  EXPECT_NE(lowered.out.find("b2 output float32 [2, 16] \"present\""), std::string::npos) << lowered.out;
  EXPECT_EQ(lowered.out.find("b0["), std::string::npos) << "nothing of it is copied";
  const Ended steps = run({"opt", write_text("append.program", lowered.out), "--until", "choose_register_tiles"});
  EXPECT_EQ(steps.out, run({"opt", text, "--until", "choose_register_tiles"}).out) << steps.err;
  EXPECT_NE(run({"opt", text, "--state", "present=past"}).err.find("--state is for models"), std::string::npos);
  EXPECT_EQ(run({"opt", model, "--state", "presents=past"}).err,
            "cppgen: --state: the model has no output 'presents'; did you mean 'present'?\n");
  const Ended passes = run({"explain", model, "--state", "present=past:16", "--passes"});
  EXPECT_NE(passes.out.find("keep %present in %past capacity 16"), std::string::npos) << passes.out << passes.err;
}

TEST_F(Opt, Errors) {
  const std::string file = write_text("t.graph", kText),
                    wrong = write_text("wrong.graph", "graph \"g\" {\n  %y = Relu(%x)\n");
  const auto error = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"opt"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Ended ended = run(all);
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  EXPECT_EQ(error({wrong}), "cppgen: " + wrong +
                                ":2:8: the graph has no opset of the domain onnx: expected onnx@VERSION in "
                                "its first line\n");
  EXPECT_NE(error({file, "--pass", "tidy"}).find("there is no pass \"tidy\"; the passes are eliminate_dead_code, "),
            std::string::npos);
  EXPECT_NE(error({file, "--pass", "canonicalize"}).find("needs the types of all values, but \"i\" has none"),
            std::string::npos);
  EXPECT_NE(error({file, "--pass", "inline_cheap"}).find("runs over programs: run lower before it"), std::string::npos);
  EXPECT_NE(error({file, "--dim", "N=3"}).find("--dim changes models"), std::string::npos);
  EXPECT_NE(error({}).find("opt needs a file"), std::string::npos);
  EXPECT_NE(error({path("absent.graph")}).find("absent.graph"), std::string::npos);
  const std::string lies = write_text(
      "lies.graph", "graph \"g\" onnx@17 {\n  input %x : float32[N]\n  %y = Relu(%x) : float32[3]\n  return %y\n}\n");
  EXPECT_NE(error({lies, "--verify"})
                .find("as read: the value \"y\" has the type float32[3], but inference gives float32[N]"),
            std::string::npos);
}

TEST_F(Opt, ListsPasses) {
  const Ended list = run({"opt", "--list"});
  EXPECT_TRUE(list.out.starts_with("eliminate_dead_code\ncheck_attributes\n")) << list.out << list.err;
  EXPECT_NE(list.out.find("\nlower\ncompute_sigmoid_by_tanh\n"), std::string::npos) << list.out;
}

}  // namespace
}  // namespace cppgen
