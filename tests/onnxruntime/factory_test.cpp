#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "cppgen/onnxruntime/ort_provider_abi.h"

extern "C" cppgen::ep::ort::Status* CreateEpFactories(const char*, const cppgen::ep::ort::ApiBase*,
                                                      const cppgen::ep::ort::Logger*, cppgen::ep::ort::Factory**,
                                                      size_t, size_t*);
extern "C" cppgen::ep::ort::Status* ReleaseEpFactory(cppgen::ep::ort::Factory*);

namespace cppgen::ep {
namespace {

// An ONNX Runtime of which there is little more than its version.
struct FakeRuntime {
  static inline std::string version, message;
  static inline uint32_t asked;
  static inline ort::Api api;

  static ort::ApiBase base(const std::string& of_version) {
    version = of_version;
    message = "";
    asked = 0;
    std::memset(static_cast<void*>(&api), 0, sizeof api);
    api.CreateStatus = [](ort::ErrorCode, const char* text) {
      message = text;
      return reinterpret_cast<ort::Status*>(&message);
    };
    api.GetEpApi = []() -> const ort::EpApi* { return nullptr; };
    return {[](uint32_t number) -> const ort::Api* {
              asked = number;
              return &api;
            },
            [] { return version.c_str(); }};
  }
};

TEST(Factory, VersionsBeforeTheInterfaceAreRefused) {
  for (const char* version : {"1.22.1", "1.8.0", "0.5.0"}) {
    const ort::ApiBase base = FakeRuntime::base(version);
    ort::Factory* factory = nullptr;
    size_t count = 1;
    EXPECT_NE(CreateEpFactories("cppgen", &base, nullptr, &factory, 1, &count), nullptr);
    EXPECT_EQ(count, 0u);
    EXPECT_EQ(FakeRuntime::asked, 1u);  // what such a version has
    EXPECT_NE(FakeRuntime::message.find(std::string("needs ONNX Runtime 1.23 or later, but this is ") + version),
              std::string::npos)
        << FakeRuntime::message;
  }
}

TEST(Factory, LaterVersionsAreTaken) {
  for (const char* version : {"1.23.0", "1.32.0", "2.0.0"}) {
    const ort::ApiBase base = FakeRuntime::base(version);
    ort::Factory* factory = nullptr;
    size_t count = 0;
    EXPECT_EQ(CreateEpFactories("cppgen", &base, nullptr, &factory, 1, &count), nullptr) << FakeRuntime::message;
    ASSERT_EQ(count, 1u);
    EXPECT_EQ(FakeRuntime::asked, ort::kApiVersion);
    EXPECT_EQ(factory->version, ort::kApiVersion);
    EXPECT_STREQ(factory->GetName(factory), "CppgenExecutionProvider");
    EXPECT_EQ(ReleaseEpFactory(factory), nullptr);
  }
}

TEST(Factory, NeedsSpace) {
  const ort::ApiBase base = FakeRuntime::base("1.32.0");
  size_t count = 1;
  EXPECT_NE(CreateEpFactories("cppgen", &base, nullptr, nullptr, 0, &count), nullptr);
  EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace cppgen::ep
