#pragma once

#include <weft/observe/otlp/otlp_spans.hpp>

#include <string_view>

namespace weft::otlp_detail {

/** @par Errors   `errc::unexpected_json` and others: it is no answer of a receiver. */
[[nodiscard]] otlp_rejection rejection_in_json(std::string_view body);

}  // namespace weft::otlp_detail
