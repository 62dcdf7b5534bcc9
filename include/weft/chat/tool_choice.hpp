#pragma once

#include <string>

namespace weft {

/** Whether a model may, must or must not call tools. */
struct tool_choice {
    enum class mode {
        automatic,  ///< As the model sees fit.
        none,       ///< No tool.
        required,   ///< At least one.
        named,      ///< The one called `tool`.
    };
    mode how = mode::automatic;
    std::string tool{};

    friend bool operator==(const tool_choice&, const tool_choice&) = default;
};

}  // namespace weft
