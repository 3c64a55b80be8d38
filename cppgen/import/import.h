#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/support/external_files.h"
#include "runtime/base/setting_default.h"

namespace cppgen {

// Reads ONNX models: IR version 3 and later, operator sets 1 to 24 of ONNX's own domain. Models are untrusted: for any
// bytes, the result is a verified graph or a UserError that names the file and the error; memory stays proportional to
// the file's size.
//
// libonnx's checker is not used, because it supports neither operator sets above 17 nor newer IR versions, and reads
// external data by its own rules. The rules that matter here (unique names, definitions, order, sizes, types) are
// checked while the graph is built, and operators are checked against the operator table.

// One rule about a dimension, from `parse_dim_option`.
struct DimOption {
  std::string input;  // INPUT.AXIS=NAME: this dimension of a graph input becomes the symbol NAME
  int axis = -1;
  std::string symbol;  // NAME=N: this symbol is N everywhere
  std::optional<int64_t> size;
};

// "INPUT.AXIS=NAME" or "NAME=N". A dimension without a name in the model has the name INPUT.AXIS, so "x.0=8" binds it.
// UserError if the text is neither.
DimOption parse_dim_option(const std::string& text);
std::string to_string(const DimOption&);

// The bytes that a graph was made from.
struct ImportRecord {
  std::string model_sha256;  // of the .onnx file
  std::shared_ptr<const ExternalFiles> external;
  std::vector<std::pair<std::string, std::string>> metadata;  // what the file says about the model (metadata.h)
};

struct ImportOptions {
  std::vector<DimOption> dims;
  ImportRecord* record = nullptr;  // filled by the import
  std::shared_ptr<const ops::CustomOperators> custom_operators;
  // Weights are constants, and not inputs with a preset.
  bool freeze = setting_default<SettingKind::boolean>("FREEZING");
};

inline constexpr int kNewestOpset = 28;      // of ONNX; models of later ones are read with a warning
inline constexpr int kMaxGraphNesting = 16;  // nesting of the bodies of If, Loop and Scan
inline constexpr int64_t kMaxRank = 64;

// UserError naming the file. External data is read from the folder of the file and mapped; the graph keeps it alive.
Graph import_onnx(const std::string& path, const ImportOptions& = {});

// Imports a model from memory. `folder` contains the external data; if empty, the model must have none. `name` is used
// in messages.
Graph import_onnx_bytes(std::span<const std::byte> bytes, const std::string& folder, const ImportOptions& = {},
                        const std::string& name = "model");

}  // namespace cppgen
