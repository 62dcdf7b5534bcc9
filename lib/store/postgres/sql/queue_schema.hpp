#pragma once

#include <span>

namespace weft::postgres_detail {

/** The statements of the version that brought the rules of the queue: tables, and functions that claim by them. */
[[nodiscard]] std::span<const char* const> queue_schema() noexcept;

/** Those of version 11: a claim makes what is due ready, asks all of its limits at once, and its plans are kept. */
[[nodiscard]] std::span<const char* const> queue_claims() noexcept;

}  // namespace weft::postgres_detail
