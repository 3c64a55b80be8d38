#pragma once
#include <string>

namespace cppgen::rt {

// Parameters of a call of a custom operator's C function.
struct CustomFunctionCall {
  std::string call;  // a CustomCall (runtime/custom/call.h) as JSON

  template <class V>
  void fields(V& v) {
    v.value("call", call);
  }
};

}  // namespace cppgen::rt
