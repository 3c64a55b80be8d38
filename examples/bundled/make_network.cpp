// Writes the network of the quick start: a residual CNN with the shape of ResNet-18 for 224x224 images in 1000 classes
// (He et al., "Deep Residual Learning for Image Recognition", 2015), opset 17, with its weights as external data. The
// weights are random: the same bytes for the same seed on every machine.
//
//   make_network DIRECTORY [SEED]      writes DIRECTORY/residual_network.onnx and .weights
#include <onnx/onnx_pb.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Dims = std::vector<int64_t>;

// Numbers from integer arithmetic alone (the standard fixes mt19937_64), so that no math library can change them.
class Random {
 public:
  explicit Random(uint64_t seed) : bits_(seed) {}

  float uniform(float low, float high) { return low + (high - low) * (float(bits_() >> 40) * 0x1p-24f); }

  // Close to a normal distribution with mean 0: the sum of eight 16-bit uniform numbers, whose variance is 8/12.
  float normal(float deviation) {
    int64_t sum = 0;
    for (uint64_t draw : {bits_(), bits_()})
      for (int shift = 0; shift < 64; shift += 16) sum += int64_t(draw >> shift & 0xffff);
    return float(sum - 4 * 0xffff) * (deviation * 1.224744871f / 65535.0f);
  }

 private:
  std::mt19937_64 bits_;
};

// Appends nodes to an ONNX graph. Each function returns the name of its result, which is that of the node. Activations
// are [1, channels, height, width]; `power` below is a rough mean square of them, from which the statistics of the
// normalisations are made, so that magnitudes stay near 1 through the whole network as in a trained one.
class NetworkBuilder {
 public:
  NetworkBuilder(onnx::GraphProto& graph, const std::filesystem::path& weights, uint64_t seed)
      : graph_(graph), random_(seed), file_(weights, std::ios::binary), location_(weights.filename().string()) {}

  // Convolution without bias, "same" padding for odd kernels, then batch normalisation.
  std::string conv_norm(const std::string& x, const std::string& name, int64_t in, int64_t out, int64_t kernel,
                        int64_t stride, float power, float gain) {
    std::string weight = name + ".weight";
    add_normal(weight, {out, in, kernel, kernel}, std::sqrt(2.0f / float(in * kernel * kernel)));
    onnx::NodeProto& conv = add_node("Conv", name, {x, weight});
    set_ints(conv, "kernel_shape", {kernel, kernel});
    set_ints(conv, "strides", {stride, stride});
    const int64_t pad = kernel / 2;
    set_ints(conv, "pads", {pad, pad, pad, pad});
    const float variance = 2 * power;
    const std::string norm = name + ".norm";
    add_uniform(norm + ".scale", out, 0.9f * gain, 1.1f * gain);
    add_uniform(norm + ".bias", out, -0.1f, 0.1f);
    add_uniform(norm + ".mean", out, -0.1f, 0.1f);
    add_uniform(norm + ".variance", out, 0.8f * variance, 1.2f * variance);
    add_node("BatchNormalization", norm,
             {conv.output(0), norm + ".scale", norm + ".bias", norm + ".mean", norm + ".variance"});
    return norm;
  }

  std::string unary(const char* op, const std::string& name, const std::string& x) {
    return add_node(op, name, {x}).output(0);
  }

  // Two 3x3 convolutions with a shortcut around them; the first has the stride.
  std::string residual_block(const std::string& x, const std::string& name, int64_t in, int64_t out, int64_t stride,
                             float power) {
    std::string y = unary("Relu", name + ".relu1", conv_norm(x, name + ".conv1", in, out, 3, stride, power, 1));
    y = conv_norm(y, name + ".conv2", out, out, 3, 1, 0.5f, 0.5f);
    std::string shortcut = x;
    if (in != out || stride != 1) shortcut = conv_norm(x, name + ".shortcut", in, out, 1, stride, power, 1);
    std::string sum = add_node("Add", name + ".add", {y, shortcut}).output(0);
    return unary("Relu", name + ".relu2", sum);
  }

  std::string max_pool(const std::string& x, const std::string& name) {
    onnx::NodeProto& pool = add_node("MaxPool", name, {x});
    set_ints(pool, "kernel_shape", {3, 3});
    set_ints(pool, "strides", {2, 2});
    set_ints(pool, "pads", {1, 1, 1, 1});
    return pool.output(0);
  }

  std::string fully_connected(const std::string& x, const std::string& name, int64_t in, int64_t out) {
    add_normal(name + ".weight", {out, in}, std::sqrt(2.0f / float(in)));
    add_uniform(name + ".bias", out, -0.1f, 0.1f);
    onnx::NodeProto& gemm = add_node("Gemm", name, {x, name + ".weight", name + ".bias"});
    set_int(gemm, "transB", 1);
    return gemm.output(0);
  }

  std::string softmax(const std::string& x, const std::string& name) {
    onnx::NodeProto& node = add_node("Softmax", name, {x});
    set_int(node, "axis", 1);
    return node.output(0);
  }

  // Flushes the weights; returns their size in bytes.
  int64_t finish() {
    file_.close();
    if (!file_) throw std::runtime_error("cannot write " + location_);
    return offset_;
  }

 private:
  onnx::GraphProto& graph_;
  Random random_;
  std::ofstream file_;
  std::string location_;
  int64_t offset_ = 0;

  onnx::NodeProto& add_node(const char* op, const std::string& name, const std::vector<std::string>& inputs) {
    onnx::NodeProto& node = *graph_.add_node();
    node.set_op_type(op);
    node.set_name(name);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(name);
    return node;
  }

  static void set_int(onnx::NodeProto& node, const char* name, int64_t value) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }

  static void set_ints(onnx::NodeProto& node, const char* name, const Dims& values) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INTS);
    for (int64_t value : values) attribute.add_ints(value);
  }

  void add_normal(const std::string& name, const Dims& dims, float deviation) {
    int64_t count = 1;
    for (int64_t d : dims) count *= d;
    std::vector<float> values(static_cast<size_t>(count));
    for (float& v : values) v = random_.normal(deviation);
    add_initializer(name, dims, values);
  }

  void add_uniform(const std::string& name, int64_t count, float low, float high) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float& v : values) v = random_.uniform(low, high);
    add_initializer(name, {count}, values);
  }

  void add_initializer(const std::string& name, const Dims& dims, const std::vector<float>& values) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (int64_t d : dims) tensor.add_dims(d);
    const int64_t bytes = int64_t(values.size() * sizeof(float));
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    set_external(tensor, "location", location_);
    set_external(tensor, "offset", std::to_string(offset_));
    set_external(tensor, "length", std::to_string(bytes));
    file_.write(reinterpret_cast<const char*>(values.data()), bytes);
    offset_ += bytes;
  }

  static void set_external(onnx::TensorProto& tensor, const char* key, const std::string& value) {
    onnx::StringStringEntryProto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
};

void declare(onnx::ValueInfoProto& info, const std::string& name, const Dims& dims) {
  info.set_name(name);
  auto* type = info.mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  for (int64_t d : dims) type->mutable_shape()->add_dim()->set_dim_value(d);
}

onnx::ModelProto make_model() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.set_producer_name("cppgen example");
  model.add_opset_import()->set_version(17);
  model.mutable_graph()->set_name("residual_network");
  return model;
}

// Returns the bytes of the weights.
int64_t build(onnx::GraphProto& graph, const std::filesystem::path& weights, uint64_t seed) {
  NetworkBuilder net(graph, weights, seed);
  declare(*graph.add_input(), "image", {1, 3, 224, 224});
  std::string x = net.unary("Relu", "stem.relu", net.conv_norm("image", "stem.conv", 3, 64, 7, 2, 1.0f, 1));
  x = net.max_pool(x, "stem.pool");
  float power = 1.5f;  // a maximum of nine is larger than a single value
  int64_t channels = 64;
  for (int stage = 1; stage <= 4; stage++) {
    const int64_t out = 32 << stage;
    for (int block = 0; block < 2; block++) {
      const std::string name = "stage" + std::to_string(stage) + "." + std::to_string(block);
      x = net.residual_block(x, name, channels, out, stage > 1 && block == 0 ? 2 : 1, power);
      if (channels != out) power = 0.6f;
      channels = out;
      power += 0.15f;
    }
  }
  x = net.unary("GlobalAveragePool", "pool", x);
  x = net.unary("Flatten", "flatten", x);
  const std::string logits = net.fully_connected(x, "logits", channels, 1000);
  declare(*graph.add_output(), net.softmax(logits, "probabilities"), {1, 1000});
  declare(*graph.add_output(), logits, {1, 1000});  // a softmax hides errors that these show
  return net.finish();
}

uint64_t seed_of(const std::string& text) {
  if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != text.npos)
    throw std::runtime_error("the seed '" + text + "' is not a number of at most 18 digits");
  return std::stoull(text);
}

constexpr const char* kUsage =
    "usage: make_network DIRECTORY [SEED]\n\n"
    "Writes a residual network with random weights to DIRECTORY, which is made if need be: residual_network.onnx and\n"
    "residual_network.weights. Equal seeds (default 1) give equal files.\n";

}  // namespace

int main(int argc, char** argv) try {
  const std::string first = argc > 1 ? argv[1] : "";
  const bool help = first == "--help" || first == "-h";
  if (help || argc < 2 || argc > 3 || first.starts_with("-")) {
    (help ? std::cout : std::cerr) << kUsage;
    return help ? 0 : 2;
  }
  const std::filesystem::path directory = argv[1];
  std::filesystem::create_directories(directory);
  const std::filesystem::path path = directory / "residual_network.onnx";
  onnx::ModelProto model = make_model();
  const int64_t bytes =
      build(*model.mutable_graph(), directory / "residual_network.weights", seed_of(argc == 3 ? argv[2] : "1"));
  std::ofstream file(path, std::ios::binary);
  if (!model.SerializeToOstream(&file) || !file.flush()) throw std::runtime_error("cannot write " + path.string());
  std::cout << path.string() << ": " << model.graph().node_size() << " nodes, " << bytes / 4 << " weights\n";
  return 0;
} catch (const std::exception& error) {
  std::cerr << "make_network: " << error.what() << "\n";
  return 2;
}
