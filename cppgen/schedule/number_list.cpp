#include "cppgen/schedule/number_list.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "runtime/base/errors.h"
#include "runtime/base/setting_values.h"

namespace cppgen::schedule {
namespace {

size_t position_of(const NumberList& list, std::string_view name) {
  const auto it = std::find_if(list.numbers.begin(), list.numbers.end(), [&](const auto& n) { return n.name == name; });
  if (it == list.numbers.end()) user_error("{}: there is no constant '{}' in {}", list.setting, name, list.file);
  return size_t(it - list.numbers.begin());
}

double allowed_value(const NumberList& list, const NumberList::Number& number, std::string_view text) {
  const double least = number.usual / list.most_factor, most = number.usual * list.most_factor;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  if (!is_number || (number.integer && value != std::floor(value)) || value < least || value > most)
    user_error("{}: {}={}: allowed are {} from {:g} to {:g}", list.setting, number.name, text,
               number.integer ? "integers" : "numbers", least, most);
  return value;
}

}  // namespace

std::vector<std::pair<size_t, double>> read_numbers(const NumberList& list, std::string_view text) {
  std::vector<std::pair<size_t, double>> values;
  std::set<size_t> given;
  for (const std::string& item : setting_values::split(text, ',')) {
    const size_t equals = item.find('=');
    if (equals == item.npos) user_error("{}: '{}': expected NAME=VALUE", list.setting, item);
    const size_t position = position_of(list, std::string_view(item).substr(0, equals));
    const NumberList::Number& number = list.numbers[position];
    if (!given.insert(position).second) user_error("{}: {} is given twice", list.setting, number.name);
    values.emplace_back(position, allowed_value(list, number, std::string_view(item).substr(equals + 1)));
  }
  return values;
}

}  // namespace cppgen::schedule
