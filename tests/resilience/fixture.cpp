#include "tests/resilience/fixture.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cppgen/package/model_cache.h"
#include "runtime/values/npy.h"

namespace cppgen {

namespace fs = std::filesystem;
using nlohmann::json;

std::string Resilience::floats(float value, int64_t count) {
  const std::vector<float> values(size_t(count), value);
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::string Resilience::external_model(int64_t offset, const std::string& file) const {
  ModelMaker maker;
  maker.input("x", {std::to_string(kElements)}).output("y").node("Add", {"x", "w"}, {"y"});
  auto& w = maker.initializer("w", {kElements}, onnx::TensorProto::FLOAT);
  w.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] : std::map<std::string, std::string>{
           {"location", file}, {"offset", std::to_string(offset)}, {"length", std::to_string(kElements * 4)}}) {
    auto* entry = w.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  return write("external.onnx", maker);
}

std::string Resilience::inline_model(const std::string& name, float w) const {
  ModelMaker maker;
  maker.input("x", {std::to_string(kElements)}).output("y").node("Add", {"x", "w"}, {"y"});
  maker.initializer("w", {kElements}, onnx::TensorProto::FLOAT).set_raw_data(floats(w));
  return write(name, maker);
}

float Resilience::first_output(const std::string& model) const {
  rt::Tensor zeros(DType::f32, {kElements});
  std::fill(zeros.as<float>(), zeros.as<float>() + kElements, 0.f);
  rt::write_npy(path("zeros.npy"), zeros.view());
  fs::remove_all(path("results"));
  const Ended ended = run({"run", model, "--input", "x=" + path("zeros.npy"), "--output", path("results")});
  EXPECT_EQ(ended.status, 0) << ended.err;
  if (ended.status != 0) return -1;
  return rt::read_npy(path("results/out_0.npy")).as<float>()[0];
}

bool Resilience::from_cache(const std::string& model) const {
  const Ended ended = run({"run", model, "--json"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  return ended.status == 0 && json::parse(ended.out)["from_cache"].get<bool>();
}

void Resilience::use_compiler(const std::string& script) {
  const std::string once = "if mkdir " + path("compiled") + " 2> /dev/null; then " + script + "; fi";
  const std::string file =
      folder.write("compiler", "#!/bin/sh\ncase \"$*\" in *.cpp*) " + once + ";; esac\nexec g++ \"$@\"\n");
  fs::permissions(file, fs::perms::owner_all);
  environment["CPPGEN_CXX"] = file;
  environment["CPPGEN_VEC_ISA_OK"] = "1";
}

std::vector<std::string> Resilience::packages() const {
  std::vector<std::string> paths;
  for (const auto& model : package::ModelCache::list(cache())) paths.push_back(model.package);
  return paths;
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace cppgen
