#include <cstdlib>

#include "cppgen/onnxruntime/forwarded_log.h"
#include "cppgen/onnxruntime/provider.h"

// The two functions that ONNX Runtime looks for in a library of execution providers.
namespace cppgen::ep {
namespace {

constexpr uint32_t kVendorId = 0xC99;
constexpr int kFirstMinor = 23;         // of ONNX Runtime 1.x, with this interface
constexpr int kFirstMinorOfRanks = 24;  // with TensorTypeAndShape_HasShape

class ProviderFactory : public ort::Factory {
 public:
  ProviderFactory(const Host& host, const ort::Logger* logger) : ort::Factory{}, host_(host), log_(*host.api, logger) {
    version = ort::kApiVersion;
    GetName = [](const ort::Factory*) { return kProviderName; };
    GetVendor = [](const ort::Factory*) { return "cppgen"; };
    GetVendorId = [](const ort::Factory*) { return kVendorId; };
    GetVersion = [](const ort::Factory*) { return cppgen_version(); };
    GetSupportedDevices = [](ort::Factory* factory, const ort::HardwareDevice* const* devices, size_t count,
                             ort::Device** supported, size_t capacity, size_t* supported_count) {
      auto& host = static_cast<ProviderFactory*>(factory)->host_;
      *supported_count = 0;
      return guarded(*host.api, [&] {
        for (size_t i = 0; i < count && *supported_count < capacity; i++)
          if (host.api->HardwareDevice_Type(devices[i]) == ort::kCpu)
            require(*host.api,
                    host.ep->CreateEpDevice(factory, devices[i], nullptr, nullptr, &supported[(*supported_count)++]));
      });
    };
    CreateEp = [](ort::Factory* factory, const ort::HardwareDevice* const*, const ort::KeyValuePairs* const*, size_t,
                  const ort::SessionOptions* options, const ort::Logger* logger, ort::Ep** ep) {
      auto& host = static_cast<ProviderFactory*>(factory)->host_;
      return guarded(*host.api, [&] { *ep = new Provider(host, options, logger); });
    };
    ReleaseEp = [](ort::Factory*, ort::Ep* ep) { delete static_cast<Provider*>(ep); };
    CreateAllocator = [](ort::Factory*, const ort::MemoryInfo*, const ort::KeyValuePairs*,
                         ort::Allocator** allocator) -> ort::Status* {
      *allocator = nullptr;
      return nullptr;
    };
    ReleaseAllocator = [](ort::Factory*, ort::Allocator*) {};
    CreateDataTransfer = [](ort::Factory*, void** transfer) -> ort::Status* {
      *transfer = nullptr;
      return nullptr;
    };
    IsStreamAware = [](const ort::Factory*) { return false; };
  }

 private:
  const Host host_;
  const ForwardedLog log_;
};

// The M of "1.M.P"; later major versions count as late.
int minor_version(const std::string& version) {
  if (version.substr(0, 2) != "1.") return std::atoi(version.c_str()) > 1 ? 1000 : 0;
  return std::atoi(version.c_str() + 2);
}

}  // namespace
}  // namespace cppgen::ep

using namespace cppgen::ep;

extern "C" __attribute__((visibility("default"))) ort::Status* CreateEpFactories(const char*, const ort::ApiBase* base,
                                                                                 const ort::Logger* logger,
                                                                                 ort::Factory** factories,
                                                                                 size_t capacity, size_t* count) {
  const std::string found = base->GetVersionString();
  const int minor = minor_version(found);
  // The first function of the table makes a status, in every version.
  const ort::Api* api = base->GetApi(minor >= kFirstMinor ? ort::kApiVersion : 1);
  if (!api) return nullptr;
  return guarded(*api, [&] {
    *count = 0;
    if (minor < kFirstMinor)
      throw Failure("the provider of cppgen " + std::string(cppgen_version()) +
                    " needs ONNX Runtime 1.23 or later, but this is " + found);
    if (capacity == 0) throw Failure("there is no space for the factory of cppgen's provider", ort::kInvalidArgument);
    factories[0] = new ProviderFactory({api, api->GetEpApi(), minor >= kFirstMinorOfRanks}, logger);
    *count = 1;
  });
}

extern "C" __attribute__((visibility("default"))) ort::Status* ReleaseEpFactory(ort::Factory* factory) {
  delete static_cast<ProviderFactory*>(factory);
  return nullptr;
}
