#pragma once

#include <weft/chat/usage.hpp>

#include <boost/json/object.hpp>

#include <optional>

namespace weft::model_detail {

/** Reads `usage` of a chunk, or Groq's `x_groq.usage`; nothing when neither has counts. */
[[nodiscard]] std::optional<usage> openai_usage(const boost::json::object& chunk) noexcept;

}  // namespace weft::model_detail
