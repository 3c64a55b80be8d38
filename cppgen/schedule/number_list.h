#pragma once
#include <string_view>
#include <utility>
#include <vector>

namespace cppgen::schedule {

// The numbers that a setting of the form NAME=VALUE,NAME=VALUE may change.
struct NumberList {
  struct Number {
    std::string_view name;
    bool integer;
    double usual;
  };
  std::string_view setting, file;  // the setting's name, and the file that lists the numbers
  double most_factor;              // values are from the usual one divided by this to the usual one times this
  std::vector<Number> numbers;
};

// The values that such a text gives, by position in the list. UserError for a name that is not in it or given twice,
// and for a value that is not allowed.
std::vector<std::pair<size_t, double>> read_numbers(const NumberList&, std::string_view text);

}  // namespace cppgen::schedule
