// make_import_corpus OUT [MAX_BYTES]: copies the small models of the ONNX test data to OUT as seeds for fuzz_import,
// and writes one with functions, which the data lack.
#include <onnx/onnx_pb.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace {

void add_node(onnx::NodeProto& node, const char* op, const char* domain, const char* in, const char* out) {
  node.set_op_type(op);
  node.set_domain(domain);
  node.add_input(in);
  node.add_output(out);
}

onnx::AttributeProto& add_attribute(onnx::NodeProto& node, const char* name) {
  auto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(onnx::AttributeProto::INT);
  return a;
}

// y = F(x), F calls G with its attribute, which G's Softmax refers to.
onnx::ModelProto model_with_functions() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  auto& x = *model.mutable_graph()->add_input();
  x.set_name("x");
  x.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  x.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(4);
  model.mutable_graph()->add_output()->set_name("y");
  auto& call = *model.mutable_graph()->add_node();
  add_node(call, "F", "f", "x", "y");
  add_attribute(call, "axis").set_i(-1);
  for (const char* name : {"F", "G"}) {
    auto& function = *model.add_functions();
    function.set_domain("f");
    function.set_name(name);
    function.add_input("a");
    function.add_output("b");
    function.add_attribute("axis");
    function.add_opset_import()->set_version(13);
    const bool inner = name[0] == 'G';
    add_node(*function.add_node(), inner ? "Softmax" : "G", inner ? "" : "f", "a", "b");
    add_attribute(*function.mutable_node(0), "axis").set_ref_attr_name("axis");
  }
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path source = "/usr/share/libonnx-testdata/data";
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: %s OUT [MAX_BYTES, default 2000]\n", argv[0]);
    return 2;
  }
  if (!fs::exists(source)) {
    std::fprintf(stderr, "%s is missing: install libonnx-testdata\n", source.c_str());
    return 1;
  }
  const auto max_bytes = uintmax_t(argc == 3 ? std::atoll(argv[2]) : 2000);
  const fs::path out = argv[1];
  fs::create_directories(out);
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    if (entry.path().extension() != ".onnx" || entry.file_size() > max_bytes) continue;
    std::string name = entry.path().parent_path().filename().string() + ".onnx";
    fs::copy_file(entry.path(), out / name, fs::copy_options::overwrite_existing);
    count++;
  }
  std::ofstream(out / "functions.onnx", std::ios::binary) << model_with_functions().SerializeAsString();
  std::printf("%d seeds in %s\n", count + 1, out.c_str());
  return 0;
}
