#include <cstdlib>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>

#include "cppgen/flow/compile/model_source.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/explain/explain.h"
#include "cppgen/library/c_request.h"
#include "cppgen/library/guarded.h"
#include "cppgen/report/explain_json.h"
#include "cppgen/report/model_json.h"
#include "cppgen/report/settings_json.h"

using namespace cppgen;
using namespace cppgen::library;

namespace {

char* copy_of(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (!copy) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

// `answer` makes JSON from the caller's request.
template <class F>
cppgen_status answered(const cppgen_request* request, char** text, cppgen_error* error, const F& answer) {
  if (text) *text = nullptr;
  return guarded(error, [&] {
    require_argument(request, "request");
    require_argument(text, "text");
    *text = copy_of(json_text(answer(*request), 2));
  });
}

}  // namespace

void cppgen_text_free(char* text) { std::free(text); }

cppgen_status cppgen_check(const cppgen_request* request, char** text, cppgen_error* error) {
  return answered(request, text, error, [](const cppgen_request& it) {
    return with_request(
        it, [](const CompileRequest& made) { return report::check_json(made.model, report::check_model(made)); });
  });
}

cppgen_status cppgen_inspect(const cppgen_request* request, char** text, cppgen_error* error) {
  return answered(request, text, error, [](const cppgen_request& it) {
    return with_request(it,
                        [](const CompileRequest& made) { return report::inspect_json(made.model, summary_of(made)); });
  });
}

cppgen_status cppgen_explain(const cppgen_request* request, char** text, cppgen_error* error) {
  return answered(request, text, error, [](const cppgen_request& it) {
    return with_request(
        it, [](const CompileRequest& made) { return report::explain_json(made.model, explain_model(made)); });
  });
}

cppgen_status cppgen_config(const cppgen_request* request, char** text, cppgen_error* error) {
  return answered(request, text, error, [](const cppgen_request& it) {
    const Settings settings = settings_of(it);
    check_settings(settings);
    return report::settings_json(report::without_passwords(settings.describe()));
  });
}
