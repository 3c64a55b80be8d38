#pragma once
#include <cstddef>
#include <cstdint>

// ONNX Runtime's C interface as an execution provider sees it: tables of functions that only grow at their ends. Its
// headers are not part of Debian 12, so what is called is declared here, and the rest only has a place. All is as in
// version 1.23, the first one with this interface; later versions keep the places.
namespace cppgen::ep::ort {

struct Status;  // null: success
struct Value;
struct ValueInfo;
struct TypeInfo;
struct TensorInfo;  // element type and dimensions
struct ExternalInfo;
struct Graph;
struct Node;
struct Attribute;
struct KeyValuePairs;
struct SessionOptions;
struct Logger;
struct HardwareDevice;
struct Device;
struct KernelContext;
struct SupportInfo;
struct Allocator;
struct MemoryInfo;

inline constexpr uint32_t kApiVersion = 23;  // 1.23

enum ErrorCode : int { kFail = 1, kInvalidArgument = 2, kEpFail = 11 };
enum Severity : int { kVerbose = 0, kInfo = 1, kWarning = 2, kError = 3 };
enum DeviceType : int { kCpu = 0 };
enum ValueKind : int { kTensor = 1, kSequence = 2 };
enum AttributeType : int {
  kInt = 1,
  kInts = 2,
  kFloat = 3,
  kFloats = 4,
  kString = 5,
  kStrings = 6,
  kGraph = 7,
  kTensorAttribute = 8
};
using ElementType = int;  // the numbers of ONNX's TensorProto.DataType
using Unused = void (*)();

struct ModelEditorApi {
  Unused unused_0[6];
  // The node has copies of the attributes.
  Status* (*CreateNode)(const char* type, const char* domain, const char* name, const char* const* inputs,
                        size_t input_count, const char* const* outputs, size_t output_count, Attribute** attributes,
                        size_t attribute_count, Node**);
};

struct FusionOptions {
  uint32_t version;
  bool drop_constant_initializers;  // the fused node needs no constants as inputs
};

struct Factory;
struct EpApi {
  Status* (*CreateEpDevice)(Factory*, const HardwareDevice*, const KeyValuePairs* metadata,
                            const KeyValuePairs* options, Device**);
  Unused ReleaseEpDevice;
  Status* (*EpGraphSupportInfo_AddNodesToFuse)(SupportInfo*, const Node* const* nodes, size_t count,
                                               const FusionOptions*);
};

// The number in a name is the place of the first function that has none.
struct Api {
  Status* (*CreateStatus)(ErrorCode, const char* message);
  Unused unused_1[1];
  const char* (*GetErrorMessage)(const Status*);
  Unused unused_3[51 - 3];
  Status* (*GetTensorMutableData)(Value*, void** data);
  Unused unused_52[1];
  Status* (*GetStringTensorDataLength)(const Value*, size_t* length);
  Status* (*GetStringTensorContent)(const Value*, void* text, size_t length, size_t* offsets, size_t count);
  Status* (*CastTypeInfoToTensorInfo)(const TypeInfo*, const TensorInfo**);  // null: no tensor
  Status* (*GetOnnxTypeFromTypeInfo)(const TypeInfo*, ValueKind*);
  Unused unused_57[60 - 57];
  Status* (*GetTensorElementType)(const TensorInfo*, ElementType*);
  Status* (*GetDimensionsCount)(const TensorInfo*, size_t* rank);
  Status* (*GetDimensions)(const TensorInfo*, int64_t* dims, size_t rank);
  Status* (*GetSymbolicDimensions)(const TensorInfo*, const char** names, size_t rank);
  Unused unused_64[1];
  Status* (*GetTensorTypeAndShape)(const Value*, TensorInfo**);
  Unused unused_66[88 - 66];
  Status* (*KernelContext_GetInputCount)(const KernelContext*, size_t*);
  Status* (*KernelContext_GetOutputCount)(const KernelContext*, size_t*);
  Status* (*KernelContext_GetInput)(const KernelContext*, size_t index, const Value**);
  Status* (*KernelContext_GetOutput)(KernelContext*, size_t index, const int64_t* dims, size_t rank, Value**);
  Unused unused_92[1];
  void (*ReleaseStatus)(Status*);
  Unused unused_94[2];
  void (*ReleaseValue)(Value*);
  Unused unused_97[2];
  void (*ReleaseTensorTypeAndShapeInfo)(TensorInfo*);
  Unused unused_100[211 - 100];
  Status* (*CreateOpAttr)(const char* name, const void* data, int length, AttributeType, Attribute**);
  void (*ReleaseOpAttr)(Attribute*);
  Unused unused_213[247 - 213];
  Status* (*Logger_LogMessage)(const Logger*, Severity, const char* message, const char* file, int line,
                               const char* function);
  Unused unused_248[272 - 248];
  // `length` becomes the number of bytes that are needed or written; too few are an error.
  Status* (*ReadOpAttr)(const Attribute*, AttributeType, void* data, size_t capacity, size_t* length);
  Unused unused_273[1];
  // Calls function(data, i) for each i below `count` on the threads of the session, and returns after the last call.
  Status* (*KernelContext_ParallelFor)(const KernelContext*, void (*function)(void* data, size_t i), size_t count,
                                       size_t batches, void* data);
  Unused unused_275[289 - 275];
  Status* (*GetValueInfoName)(const ValueInfo*, const char**);
  Status* (*GetValueInfoTypeInfo)(const ValueInfo*, const TypeInfo**);
  const ModelEditorApi* (*GetModelEditorApi)();
  Unused unused_292[298 - 292];
  void (*GetKeyValuePairs)(const KeyValuePairs*, const char* const** keys, const char* const** values, size_t* count);
  Unused unused_299[1];
  void (*ReleaseKeyValuePairs)(KeyValuePairs*);
  Unused unused_301[307 - 301];
  DeviceType (*HardwareDevice_Type)(const HardwareDevice*);
  Unused unused_308[317 - 308];
  const EpApi* (*GetEpApi)();
  Status* (*GetTensorSizeInBytes)(const Value*, size_t*);
  Unused unused_319[326 - 319];
  Status* (*ValueInfo_GetInitializerValue)(const ValueInfo*, const Value**);          // null: no initializer
  Status* (*ValueInfo_GetExternalInitializerInfo)(const ValueInfo*, ExternalInfo**);  // null: not external
  Unused unused_328[331 - 328];
  Status* (*ValueInfo_IsConstantInitializer)(const ValueInfo*, bool*);
  Unused unused_332[334 - 332];
  Status* (*Graph_GetModelPath)(const Graph*, const char**);
  Status* (*Graph_GetOnnxIRVersion)(const Graph*, int64_t*);
  Status* (*Graph_GetNumOperatorSets)(const Graph*, size_t*);
  Status* (*Graph_GetOperatorSets)(const Graph*, const char** domains, int64_t* versions, size_t count);
  Status* (*Graph_GetNumInputs)(const Graph*, size_t*);
  Status* (*Graph_GetInputs)(const Graph*, const ValueInfo**, size_t count);
  Status* (*Graph_GetNumOutputs)(const Graph*, size_t*);
  Status* (*Graph_GetOutputs)(const Graph*, const ValueInfo**, size_t count);
  Status* (*Graph_GetNumInitializers)(const Graph*, size_t*);
  Status* (*Graph_GetInitializers)(const Graph*, const ValueInfo**, size_t count);
  Status* (*Graph_GetNumNodes)(const Graph*, size_t*);
  Status* (*Graph_GetNodes)(const Graph*, const Node**, size_t count);  // in topological order
  Status* (*Graph_GetParentNode)(const Graph*, const Node**);           // null: not the body of a node
  Unused unused_347[349 - 347];
  Status* (*Node_GetName)(const Node*, const char**);
  Status* (*Node_GetOperatorType)(const Node*, const char**);
  Status* (*Node_GetDomain)(const Node*, const char**);
  Unused unused_352[1];
  Status* (*Node_GetNumInputs)(const Node*, size_t*);
  Status* (*Node_GetInputs)(const Node*, const ValueInfo**, size_t count);  // null: left out
  Status* (*Node_GetNumOutputs)(const Node*, size_t*);
  Status* (*Node_GetOutputs)(const Node*, const ValueInfo**, size_t count);
  Status* (*Node_GetNumImplicitInputs)(const Node*, size_t*);  // what bodies read of the graphs around them
  Status* (*Node_GetImplicitInputs)(const Node*, const ValueInfo**, size_t count);
  Status* (*Node_GetNumAttributes)(const Node*, size_t*);
  Status* (*Node_GetAttributes)(const Node*, const Attribute**, size_t count);
  Status* (*Node_GetAttributeByName)(const Node*, const char* name, const Attribute**);
  Status* (*OpAttr_GetTensorAttributeAsOrtValue)(const Attribute*, Value**);
  Status* (*OpAttr_GetType)(const Attribute*, AttributeType*);
  Status* (*OpAttr_GetName)(const Attribute*, const char**);
  Status* (*Node_GetNumSubgraphs)(const Node*, size_t*);
  Status* (*Node_GetSubgraphs)(const Node*, const Graph**, size_t count, const char** attribute_names);
  Status* (*Node_GetGraph)(const Node*, const Graph**);
  Status* (*Node_GetEpName)(const Node*, const char**);  // null or empty: no provider has the node yet
  void (*ReleaseExternalInitializerInfo)(ExternalInfo*);
  const char* (*ExternalInitializerInfo_GetFilePath)(const ExternalInfo*);  // relative to the folder of the model
  int64_t (*ExternalInitializerInfo_GetFileOffset)(const ExternalInfo*);
  size_t (*ExternalInitializerInfo_GetByteSize)(const ExternalInfo*);
  Unused unused_373[378 - 373];
  Status* (*GetTensorData)(const Value*, const void** data);
  Status* (*GetSessionOptionsConfigEntries)(const SessionOptions*, KeyValuePairs**);
  Unused unused_380[390 - 380];                            // the last ones of 1.23
  bool (*TensorTypeAndShape_HasShape)(const TensorInfo*);  // since 1.24
};

// The places in ONNX Runtime's header.
static_assert(offsetof(Api, KernelContext_GetInputCount) == 88 * sizeof(Unused));
static_assert(offsetof(Api, ReleaseTensorTypeAndShapeInfo) == 99 * sizeof(Unused));
static_assert(offsetof(Api, ReadOpAttr) == 272 * sizeof(Unused));
static_assert(offsetof(Api, GetEpApi) == 317 * sizeof(Unused));
static_assert(offsetof(Api, Graph_GetParentNode) == 346 * sizeof(Unused));
static_assert(offsetof(Api, Node_GetEpName) == 368 * sizeof(Unused));
static_assert(offsetof(Api, TensorTypeAndShape_HasShape) == 390 * sizeof(Unused));

struct ApiBase {
  const Api* (*GetApi)(uint32_t version);  // null for a version that the library does not have
  const char* (*GetVersionString)();       // "1.23.2"
};

}  // namespace cppgen::ep::ort
