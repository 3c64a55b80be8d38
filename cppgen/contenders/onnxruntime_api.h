#pragma once
#include <cstddef>
#include <cstdint>

// The beginning of ONNX Runtime's C interface, which its own versions keep: a table of functions that only grows at its
// end. A header is part of ONNX Runtime's releases, but not of Debian, so what is needed is declared here. Functions
// that are not called only have a place.
namespace cppgen::contenders::ort {

struct Env;
struct Status;  // null: success
struct MemoryInfo;
struct Session;
struct Value;
struct RunOptions;
struct TensorTypeAndShapeInfo;
struct SessionOptions;

enum LoggingLevel : int { kLogErrors = 3 };
enum GraphOptimizationLevel : int { kAllOptimizations = 99 };
enum ExecutionMode : int { kSequential = 0 };
enum AllocatorType : int { kDeviceAllocator = 0 };
enum MemoryType : int { kDefaultMemory = 0 };
using ElementType = int;  // the numbers of ONNX's TensorProto.DataType

using Unused = void (*)();

// The table of version 3 and of all later versions.
inline constexpr uint32_t kApiVersion = 3;
struct Api {
  Unused CreateStatus, GetErrorCode;
  const char* (*GetErrorMessage)(const Status*);
  Status* (*CreateEnv)(LoggingLevel, const char* name, Env**);
  Unused CreateEnvWithCustomLogger, EnableTelemetryEvents, DisableTelemetryEvents;
  Status* (*CreateSession)(const Env*, const char* path, const SessionOptions*, Session**);
  Unused CreateSessionFromArray;
  // An output that is null is allocated.
  Status* (*Run)(Session*, const RunOptions*, const char* const* input_names, const Value* const* inputs,
                 size_t input_count, const char* const* output_names, size_t output_count, Value** outputs);
  Status* (*CreateSessionOptions)(SessionOptions**);
  Unused SetOptimizedModelFilePath, CloneSessionOptions;
  Status* (*SetSessionExecutionMode)(SessionOptions*, ExecutionMode);
  Unused EnableProfiling, DisableProfiling, EnableMemPattern, DisableMemPattern, EnableCpuMemArena, DisableCpuMemArena;
  Unused SetSessionLogId, SetSessionLogVerbosityLevel, SetSessionLogSeverityLevel;
  Status* (*SetSessionGraphOptimizationLevel)(SessionOptions*, GraphOptimizationLevel);
  Status* (*SetIntraOpNumThreads)(SessionOptions*, int);
  Status* (*SetInterOpNumThreads)(SessionOptions*, int);
  Unused CreateCustomOpDomain, CustomOpDomain_Add, AddCustomOpDomain, RegisterCustomOpsLibrary;
  Unused SessionGetInputCount, SessionGetOutputCount, SessionGetOverridableInitializerCount;
  Unused SessionGetInputTypeInfo, SessionGetOutputTypeInfo, SessionGetOverridableInitializerTypeInfo;
  Unused SessionGetInputName, SessionGetOutputName, SessionGetOverridableInitializerName;
  Unused CreateRunOptions, RunOptionsSetRunLogVerbosityLevel, RunOptionsSetRunLogSeverityLevel, RunOptionsSetRunTag;
  Unused RunOptionsGetRunLogVerbosityLevel, RunOptionsGetRunLogSeverityLevel, RunOptionsGetRunTag;
  Unused RunOptionsSetTerminate, RunOptionsUnsetTerminate;
  Unused CreateTensorAsOrtValue;
  // The memory stays the caller's.
  Status* (*CreateTensorWithDataAsOrtValue)(const MemoryInfo*, void* data, size_t bytes, const int64_t* dims,
                                            size_t rank, ElementType, Value**);
  Status* (*IsTensor)(const Value*, int* is);
  Status* (*GetTensorMutableData)(Value*, void** data);
  Unused FillStringTensor, GetStringTensorDataLength, GetStringTensorContent;
  Unused CastTypeInfoToTensorInfo, GetOnnxTypeFromTypeInfo;
  Unused CreateTensorTypeAndShapeInfo, SetTensorElementType, SetDimensions;
  Status* (*GetTensorElementType)(const TensorTypeAndShapeInfo*, ElementType*);
  Status* (*GetDimensionsCount)(const TensorTypeAndShapeInfo*, size_t* rank);
  Status* (*GetDimensions)(const TensorTypeAndShapeInfo*, int64_t* dims, size_t rank);
  Unused GetSymbolicDimensions, GetTensorShapeElementCount;
  Status* (*GetTensorTypeAndShape)(const Value*, TensorTypeAndShapeInfo**);
  Unused GetTypeInfo, GetValueType;
  Unused CreateMemoryInfo;
  Status* (*CreateCpuMemoryInfo)(AllocatorType, MemoryType, MemoryInfo**);
  Unused CompareMemoryInfo, MemoryInfoGetName, MemoryInfoGetId, MemoryInfoGetMemType, MemoryInfoGetType;
  Unused AllocatorAlloc, AllocatorFree, AllocatorGetInfo, GetAllocatorWithDefaultOptions;
  Unused AddFreeDimensionOverride;
  Unused GetValue, GetValueCount, CreateValue, CreateOpaqueValue, GetOpaqueValue;
  Unused KernelInfoGetAttribute_float, KernelInfoGetAttribute_int64, KernelInfoGetAttribute_string;
  Unused KernelContext_GetInputCount, KernelContext_GetOutputCount, KernelContext_GetInput, KernelContext_GetOutput;
  void (*ReleaseEnv)(Env*);
  void (*ReleaseStatus)(Status*);
  void (*ReleaseMemoryInfo)(MemoryInfo*);
  void (*ReleaseSession)(Session*);
  void (*ReleaseValue)(Value*);
  Unused ReleaseRunOptions, ReleaseTypeInfo;
  void (*ReleaseTensorTypeAndShapeInfo)(TensorTypeAndShapeInfo*);
  void (*ReleaseSessionOptions)(SessionOptions*);
  Unused ReleaseCustomOpDomain;  // the last one of version 1
  Unused GetDenotationFromTypeInfo, CastTypeInfoToMapTypeInfo, CastTypeInfoToSequenceTypeInfo;
  Unused GetMapKeyType, GetMapValueType, GetSequenceElementType, ReleaseMapTypeInfo, ReleaseSequenceTypeInfo;
  Unused SessionEndProfiling, SessionGetModelMetadata, ModelMetadataGetProducerName, ModelMetadataGetGraphName;
  Unused ModelMetadataGetDomain, ModelMetadataGetDescription, ModelMetadataLookupCustomMetadataMap;
  Unused ModelMetadataGetVersion, ReleaseModelMetadata;  // the last one of version 2
  Unused CreateEnvWithGlobalThreadPools, DisablePerSessionThreads, CreateThreadingOptions, ReleaseThreadingOptions;
  Unused ModelMetadataGetCustomMetadataMapKeys;
  Status* (*AddFreeDimensionOverrideByName)(SessionOptions*, const char* name, int64_t size);  // the last of version 3
};

// ONNX Runtime promises these places.
static_assert(offsetof(Api, ReleaseCustomOpDomain) == 101 * sizeof(Unused));
static_assert(offsetof(Api, ReleaseModelMetadata) == 118 * sizeof(Unused));
static_assert(offsetof(Api, AddFreeDimensionOverrideByName) == 124 * sizeof(Unused));

// The result of the library's only exported function, OrtGetApiBase.
struct ApiBase {
  const Api* (*GetApi)(uint32_t version);  // null for a version that the library does not have
  const char* (*GetVersionString)();       // "1.8.1"
};
using GetApiBase = const ApiBase* (*)();

}  // namespace cppgen::contenders::ort
