// The functions that the headers of {fmt} only declare, and which are otherwise in its library (packages.cmake).
#define FMT_HEADER_ONLY
#include <fmt/format.h>
