// The functions that the headers of {fmt} only declare, and which are otherwise in its library. Compiled so that inline
// functions which nothing here calls are kept (runtime/CMakeLists.txt).
#define FMT_HEADER_ONLY
#include <fmt/format.h>
