#pragma once
#include <string>

namespace cppgen {

struct ModelProfile;
struct ProfileOptions;

std::string profile_text(const ProfileOptions&, const ModelProfile&);
std::string profile_json(const ProfileOptions&, const ModelProfile&);

}  // namespace cppgen
