#include "tests/import/model_maker.h"

namespace cppgen {
namespace {

namespace fs = std::filesystem;

struct ExternalModel : ModelMaker {
  onnx::TensorProto& w;
  explicit ExternalModel(const std::string& location, int64_t elements = 2) : w(initializer("w", {elements}, 1)) {
    output("w");
    w.set_data_location(onnx::TensorProto::EXTERNAL);
    entry("location", location);
  }
  ExternalModel& entry(const std::string& key, const std::string& value) {
    auto* e = w.add_external_data();
    e->set_key(key);
    e->set_value(value);
    return *this;
  }
};

std::string floats(std::vector<float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::vector<double> read(const TempFolder& folder, const ModelMaker& m) {
  Graph g = import_onnx(folder.write("model/m.onnx", m.bytes()));
  return numbers_of(*g.value(g.outputs[0]).constant);
}
std::string refusal(const TempFolder& folder, const ModelMaker& m) {
  return error_of([&] { read(folder, m); });
}

TEST(ExternalData, ReadsAtAnOffset) {
  TempFolder folder;
  folder.write("model/sub/w.bin", floats({1, 2, 3, 4}));
  EXPECT_EQ(read(folder, ExternalModel("sub/w.bin").entry("offset", "4").entry("length", "8")),
            (std::vector<double>{2, 3}));
  EXPECT_EQ(read(folder, ExternalModel("./sub//w.bin")), (std::vector<double>{1, 2}));
}

TEST(ExternalData, MisalignedOffsetsAreCopied) {
  TempFolder folder;
  folder.write("model/w.bin", "x" + floats({5, 6}));
  EXPECT_EQ(read(folder, ExternalModel("w.bin").entry("offset", "1")), (std::vector<double>{5, 6}));
}

TEST(ExternalData, OutlivesTheImport) {
  TempFolder folder;
  folder.write("model/w.bin", floats({7, 8}));
  Graph g = import_onnx(folder.write("model/m.onnx", ExternalModel("w.bin").bytes()));
  fs::remove_all(folder.path / "model");
  EXPECT_EQ(numbers_of(*g.value(g.outputs[0]).constant), (std::vector<double>{7, 8}));
}

TEST(ExternalData, LinksInsideTheFolderAreFollowed) {
  TempFolder folder;
  folder.write("model/real.bin", floats({1, 2}));
  fs::create_symlink("real.bin", folder.path / "model/w.bin");
  EXPECT_EQ(read(folder, ExternalModel("w.bin")), (std::vector<double>{1, 2}));
}

TEST(ExternalData, StaysInTheFolder) {
  TempFolder folder;
  std::string outside = folder.write("outside.bin", floats({1, 2}));
  folder.write("model_twin/w.bin", floats({1, 2}));
  fs::create_directories(folder.path / "model/sub");
  fs::create_symlink("../outside.bin", folder.path / "model/link.bin");
  fs::create_symlink("../../model_twin", folder.path / "model/sub/twin");
  for (const char* location : {"../outside.bin", "sub/../../outside.bin", "..", "sub/.."})
    EXPECT_NE(refusal(folder, ExternalModel(location)).find("\"..\" is not allowed"), std::string::npos) << location;
  EXPECT_NE(refusal(folder, ExternalModel(outside)).find("absolute paths are not allowed"), std::string::npos);
  for (const char* location : {"link.bin", "sub/twin/w.bin"})
    EXPECT_NE(refusal(folder, ExternalModel(location)).find("is outside the model's directory"), std::string::npos);
  EXPECT_NE(refusal(folder, ExternalModel("sub")).find("not a regular file"), std::string::npos);
  EXPECT_NE(refusal(folder, ExternalModel(std::string("a\0b", 3))).find("NUL"), std::string::npos);
  EXPECT_NE(refusal(folder, ExternalModel("")).find("empty location"), std::string::npos);
  EXPECT_NE(refusal(folder, ExternalModel("absent.bin")).find("No such file"), std::string::npos);
}

TEST(ExternalData, SizesAreExact) {
  TempFolder folder;
  folder.write("model/w.bin", floats({1, 2, 3}));
  EXPECT_NE(
      refusal(folder, ExternalModel("w.bin").entry("length", "12")).find("has 12 bytes; type and dimensions require 8"),
      std::string::npos);
  EXPECT_NE(
      refusal(folder, ExternalModel("w.bin").entry("offset", "8")).find("8 bytes at offset 8 exceed the file of 12"),
      std::string::npos);
  EXPECT_NE(refusal(folder, ExternalModel("w.bin").entry("offset", "9223372036854775807")).find("exceed"),
            std::string::npos);
  for (const char* bad : {"-1", "1x", "", " 4", "99999999999999999999"})
    EXPECT_NE(refusal(folder, ExternalModel("w.bin").entry("offset", bad)).find("not a size in bytes"),
              std::string::npos);
  EXPECT_NE(refusal(folder, ExternalModel("w.bin", int64_t{1} << 40)).find("exceed the file"), std::string::npos);
}

TEST(ExternalData, BytesWithoutAFolderHaveNone) {
  ExternalModel m("w.bin");
  EXPECT_NE(error_of(m).find("the model has no directory to read it from"), std::string::npos);
}

}  // namespace
}  // namespace cppgen
