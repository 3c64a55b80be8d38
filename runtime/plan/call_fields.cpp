#include "runtime/plan/call_fields.h"

#include <algorithm>

#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

// Removes the first element of a list and returns it; null if the list is empty.
template <class T>
const T* take(std::span<const T>& list) {
  if (list.empty()) return nullptr;
  const T* first = list.data();
  list = list.subspan(1);
  return first;
}

}  // namespace

void FieldReader::value(const char* name, double& x) {
  const double* found = take(numbers_);
  if (!found) user_error("{}: the number '{}' is missing", what_, name);
  x = *found;
}

void FieldReader::value(const char* name, std::string& x) {
  const std::string* found = take(texts_);
  if (!found) user_error("{}: the text '{}' is missing", what_, name);
  x = *found;
}

int64_t FieldReader::integer(const char* name, int64_t least, int64_t most) {
  const int64_t* found = take(integers_);
  if (!found) user_error("{}: '{}' is missing", what_, name);
  if (*found < least || *found > most)
    user_error("{}: '{}' is {}; allowed are values {}", what_, name, *found,
               most == kMost ? fmt::format("of at least {}", least) : fmt::format("from {} to {}", least, most));
  return *found;
}

size_t FieldReader::count(const char* name, bool of_texts, size_t most) {
  const int64_t found = integer(name, 0, kMost);
  most = std::min(most, of_texts ? texts_.size() : integers_.size());
  if (uint64_t(found) > most) user_error("{}: '{}' has {} elements; at most {} are allowed", what_, name, found, most);
  return size_t(found);
}

void FieldReader::finish() const {
  if (!integers_.empty() || !numbers_.empty() || !texts_.empty())
    user_error("{}: there are {} values after the last parameter", what_,
               integers_.size() + numbers_.size() + texts_.size());
}

}  // namespace cppgen::rt
