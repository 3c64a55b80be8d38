/* cppgen_compiler.h is C99, and links from C. */
#include "cppgen_compiler.h"

int compiler_header_check(void);

int compiler_header_check(void) {
  cppgen_error error;
  cppgen_request* request = NULL;
  cppgen_package* package = NULL;
  cppgen_session* session = NULL;
  int failures = 0;
  failures += cppgen_request_create(&request, &error) != CPPGEN_OK;
  failures += cppgen_request_set_model(request, "/nowhere/model.onnx", &error) != CPPGEN_OK;
  failures += cppgen_request_set(request, "THREADS", "1", &error) != CPPGEN_OK;
  failures += cppgen_compile(request, NULL, &package, &error) != CPPGEN_USER_ERROR;
  failures += package != NULL;
  failures += cppgen_package_load(package, NULL, &session, &error) != CPPGEN_USER_ERROR;
  failures += session != NULL;
  cppgen_package_free(package);
  cppgen_request_free(request);
  cppgen_text_free(NULL);
  return failures;
}
