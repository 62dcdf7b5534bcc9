#pragma once

#include <cstddef>

namespace weft {

/** The longest texts that stores take, in bytes. A longer one is `errc::limit_reached`, and nothing is written. */
struct store_limits {
    static constexpr std::size_t name_bytes_max = 512;           ///< Tenants, threads, labels, idempotency keys.
    static constexpr std::size_t address_bytes_max = 2048;       ///< Of effects and questions.
    static constexpr std::size_t text_bytes_max = 8u << 20;      ///< A blob, a body, an input, an effect, a question.
    static constexpr std::size_t commit_bytes_max = 64u << 20;   ///< All of a commit.
};

/** The longest documents that stores take. */
struct document_limits {
    static constexpr std::size_t name_bytes_max = 512;      ///< Kind, tenant, id.
    static constexpr std::size_t body_bytes_max = 1u << 20;
    static constexpr std::size_t changes_max = 64;          ///< Of one `write`.
    static constexpr std::size_t depth_max = 32;            ///< How deep a body may be nested.
};

}  // namespace weft
