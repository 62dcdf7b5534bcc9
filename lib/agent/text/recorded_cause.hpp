#pragma once

#include <weft/base/errc.hpp>

#include <optional>
#include <string>

namespace weft::agent_detail {

/** The code of a failure that a state keeps by its name; `otherwise` if it keeps none. */
[[nodiscard]] inline errc recorded_cause(const std::optional<std::string>& name, errc otherwise) noexcept
{
    return name ? errc_named(*name).value_or(otherwise) : otherwise;
}

}  // namespace weft::agent_detail
