#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/base/dtype.h"

namespace cppgen::rt {

// Custom operators as users describe them in JSON (docs/custom_operators.md), read and checked, except for the
// lowerings, which the compiler parses (cppgen/custom).

// A text of the description and its place: "swish.json: lowering[0]".
struct CustomText {
  std::string text, place;
};

using CustomValue =
    std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>, std::vector<std::string>>;

struct CustomAttribute {
  std::string name;
  std::string type;                     // "int", "float", "string", "ints", "floats", "strings"
  std::optional<CustomValue> fallback;  // if absent, a node must give the attribute
  std::vector<std::string> allowed;     // for strings; if empty, any value is allowed
};

struct CustomInput {
  std::string name;
  std::vector<DType> types;  // the allowed types
  std::string type_of;       // otherwise the type of this earlier input
  // One entry per dimension: a name, a number, or at most once "name..." for any number of them. If absent, any shape
  // is allowed.
  std::optional<std::vector<CustomText>> shape;
};

struct CustomOutput {
  std::string name;
  std::optional<DType> type;
  std::string type_of;            // instead: that of this input
  std::vector<CustomText> shape;  // an expression for each dimension
  std::string shape_of;           // instead: that of this input
};

// A function of a shared library that computes the operator.
struct CustomFunction {
  std::string library;  // as in the description
  std::string path;     // its path, relative to the description's directory
  std::string symbol;
};

struct CustomDescription {
  std::string file, place;  // "swish.json", "swish.json: operators[1]"
  std::string domain, name;
  int since_version = 1;
  std::vector<CustomAttribute> attributes;
  std::vector<CustomInput> inputs;
  std::vector<CustomOutput> outputs;
  std::vector<CustomText> lowering;  // statements
  std::optional<CustomFunction> function;

  std::string label() const { return domain + "." + name; }
};

struct CustomFile {
  std::string path;
  std::string bytes;
  std::vector<CustomDescription> operators;
};

// UserError naming the file and the place in it.
CustomFile read_custom_file(const std::string& path);
// Parses the text of a file; `path` is used in messages and to find libraries.
CustomFile parse_custom_file(const std::string& path, std::string bytes);
// The paths of a list in the format of CUSTOM_OPS, separated by ':'; each file once.
std::vector<CustomFile> read_custom_files(const std::string& paths);

}  // namespace cppgen::rt
