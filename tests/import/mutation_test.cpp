// Damaged models: whatever happens to the bytes, the importer succeeds or throws UserError.
#include <random>

#include "tests/import/function_maker.h"

namespace cppgen {
namespace {

// Small models that together have every kind of field the importer reads.
std::vector<std::string> seeds() {
  std::vector<std::string> all;
  ModelMaker plain;
  plain.input("x", {"batch", "?", "4"}).output("y");
  plain.initializer("w", {2, 2}, onnx::TensorProto::FLOAT).set_raw_data(std::string(16, 'a'));
  auto& h = plain.initializer("h", {3}, onnx::TensorProto::FLOAT16);
  for (int i = 0; i < 3; i++) h.add_int32_data(i);
  auto& ints = plain.initializer("i", {2}, onnx::TensorProto::INT64);
  ints.add_int64_data(1);
  ints.add_int64_data(-2);
  auto& external = plain.initializer("e", {4}, onnx::TensorProto::UINT8);
  external.set_data_location(onnx::TensorProto::EXTERNAL);
  for (auto [key, value] : {std::pair{"location", "w.bin"}, {"offset", "3"}, {"length", "4"}}) {
    auto* entry = external.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  auto& conv = plain.node("Conv", {"x", "w", "", "h"}, {"a"}, "conv");
  auto* pads = conv.add_attribute();
  pads->set_name("pads");
  pads->set_type(onnx::AttributeProto::INTS);
  pads->add_ints(1);
  plain.node("Add", {"a", "e"}, {"y", ""});
  all.push_back(plain.bytes());

  ModelMaker bodies;
  bodies.input("c", {}, onnx::TensorProto::BOOL).input("x", {"2"}).output("y");
  onnx::GraphProto* g = &bodies.graph;
  for (int i = 0; i < 3; i++) {
    auto* a = ModelMaker::add_node(*g, "If", {"c"}, {i ? "y" + std::to_string(i) : "y"}).add_attribute();
    a->set_name("then_branch");
    a->set_type(onnx::AttributeProto::GRAPH);
    g = a->mutable_g();
    g->add_output()->set_name("y" + std::to_string(i + 1));
  }
  ModelMaker::add_node(*g, "Relu", {"x"}, {"y3"});
  auto* value = ModelMaker::add_node(*g, "Constant", {}, {"k"}).add_attribute();
  value->set_name("value_ints");
  value->set_type(onnx::AttributeProto::INTS);
  value->add_ints(9);
  all.push_back(bodies.bytes());

  ModelMaker functions;
  functions.input("x", {"2"}).output("y");
  *call_function(functions, "F", {"x"}, {"y"}).add_attribute() = integer_attribute("axis", 0);
  FunctionMaker outer(functions, "F", {"a", "b"}, {"c"});
  outer.proto.add_attribute("axis");
  refer(outer.call("G", {"a"}, {"c"}), "to", "axis");
  FunctionMaker inner(functions, "G", {"a"}, {"b"});
  inner.add_default(integer_attribute("to", -1));
  refer(inner.node("Softmax", {"a"}, {"b"}), "axis", "to");
  all.push_back(functions.bytes());
  return all;
}

std::string mutate(std::string bytes, const std::vector<std::string>& all, std::mt19937& random) {
  auto at = [&](size_t size) { return size ? random() % size : 0; };
  for (int changes = 1 + int(random() % 4); changes > 0; changes--) {
    switch (random() % 6) {
      case 0:
        if (!bytes.empty()) bytes[at(bytes.size())] ^= char(1 << random() % 8);
        break;
      case 1:
        if (!bytes.empty()) bytes[at(bytes.size())] = char(random());
        break;
      case 2:
        bytes.resize(at(bytes.size() + 1));
        break;
      case 3:
        bytes.insert(at(bytes.size() + 1), 1 + random() % 8, char(random()));
        break;
      case 4:
        bytes.erase(at(bytes.size()), 1 + random() % 16);
        break;
      default: {
        const std::string& other = all[random() % all.size()];
        size_t from = at(other.size());
        bytes.insert(at(bytes.size() + 1), other.substr(from, 1 + random() % 64));
      }
    }
  }
  return bytes;
}

TEST(Mutations, SucceedOrThrowUserError) {
  TempFolder folder;
  folder.write("w.bin", "0123456789");
  const std::vector<std::string> all = seeds();
  ImportOptions options;
  options.dims.push_back(parse_dim_option("batch=3"));
  for (const std::string& seed : all)
    ASSERT_NO_THROW(import_onnx_bytes(std::as_bytes(std::span(seed)), folder.path.string())) << "seeds must be valid";
  std::mt19937 random(20240521);
  int succeeded = 0, refused = 0;
  for (int i = 0; i < 60000; i++) {
    std::string bytes = mutate(all[random() % all.size()], all, random);
    try {
      Graph g =
          import_onnx_bytes(std::as_bytes(std::span(bytes)), folder.path.string(), i % 2 ? ImportOptions{} : options);
      to_string(g);
      succeeded++;
    } catch (const UserError& e) {
      ASSERT_TRUE(std::string_view(e.what()).starts_with("model: "));
      refused++;
    }  // anything else fails the test
  }
  // Both outcomes must be common, else the mutations test nothing.
  EXPECT_GT(succeeded, 1000);
  EXPECT_GT(refused, 10000);
}

TEST(Mutations, EveryTruncationIsHandled) {
  for (const std::string& seed : seeds())
    for (size_t n = 0; n < seed.size(); n++) try {
        import_onnx_bytes(std::as_bytes(std::span(seed.data(), n)), "");
      } catch (const UserError&) {
      }
}

}  // namespace
}  // namespace cppgen
