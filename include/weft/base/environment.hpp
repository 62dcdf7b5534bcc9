#pragma once

#include <functional>
#include <optional>
#include <string>

namespace weft {

/** Gives the value of an environment variable, or nothing when there is none. */
using environment_lookup = std::function<std::optional<std::string>(const std::string& name)>;

/** The environment of the process. Not to be used while another OS thread changes it. */
[[nodiscard]] environment_lookup process_environment();

}  // namespace weft
