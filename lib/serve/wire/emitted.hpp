#pragma once

#include <weft/engine/run_event.hpp>

#include <boost/json/value.hpp>

#include <string_view>

namespace weft::serve_detail {

/** Whether an event of the kind `output` with this label is a piece of a model's text. */
[[nodiscard]] bool is_model_text(std::string_view label) noexcept;

/** What a node emitted, as JSON if it is. */
[[nodiscard]] boost::json::value emitted_value(const run_event& event);

}  // namespace weft::serve_detail
