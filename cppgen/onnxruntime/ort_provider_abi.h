#pragma once
#include "cppgen/onnxruntime/ort_abi.h"

// The functions that a provider implements. ONNX Runtime calls them and never throws. A function that is null
// is optional. `version` is that of the table that was compiled in, so that later versions do not look for more.
namespace cppgen::ep::ort {

struct ComputeContext;

// Runs one fused node. Compute may be called by several threads at once.
struct NodeComputeInfo {
  uint32_t version;
  Status* (*CreateState)(NodeComputeInfo*, ComputeContext*, void** state);
  Status* (*Compute)(NodeComputeInfo*, void* state, KernelContext*);
  void (*ReleaseState)(NodeComputeInfo*, void* state);
};

// A provider in a session.
struct Ep {
  uint32_t version;
  const char* (*GetName)(const Ep*);
  // Says which nodes the provider takes, by EpGraphSupportInfo_AddNodesToFuse. Called for bodies of nodes first.
  Status* (*GetCapability)(Ep*, const Graph*, SupportInfo*);
  // A graph for each fused node. `context_nodes` is filled if the session stores an EPContext model.
  Status* (*Compile)(Ep*, const Graph** graphs, const Node** fused_nodes, size_t count, NodeComputeInfo** infos,
                     Node** context_nodes);
  void (*ReleaseNodeComputeInfos)(Ep*, NodeComputeInfo** infos, size_t count);
  Unused GetPreferredDataLayout, ShouldConvertDataLayoutForOp, SetDynamicOptions, OnRunStart, OnRunEnd;
  Unused CreateAllocator, CreateSyncStreamForDevice, GetCompiledModelCompatibilityInfo;
};

// Makes providers. One for each library that is registered.
struct Factory {
  uint32_t version;
  const char* (*GetName)(const Factory*);
  const char* (*GetVendor)(const Factory*);
  Status* (*GetSupportedDevices)(Factory*, const HardwareDevice* const* devices, size_t count, Device** supported,
                                 size_t capacity, size_t* supported_count);
  Status* (*CreateEp)(Factory*, const HardwareDevice* const* devices, const KeyValuePairs* const* metadata,
                      size_t count, const SessionOptions*, const Logger*, Ep**);
  void (*ReleaseEp)(Factory*, Ep*);
  uint32_t (*GetVendorId)(const Factory*);
  const char* (*GetVersion)(const Factory*);
  Unused ValidateCompiledModelCompatibilityInfo;
  Status* (*CreateAllocator)(Factory*, const MemoryInfo*, const KeyValuePairs* options, Allocator**);
  void (*ReleaseAllocator)(Factory*, Allocator*);
  Status* (*CreateDataTransfer)(Factory*, void** transfer);
  bool (*IsStreamAware)(const Factory*);
  Unused CreateSyncStreamForDevice;
};

}  // namespace cppgen::ep::ort
