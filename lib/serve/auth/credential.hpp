#pragma once

#include <weft/base/clock.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace weft::serve_detail {

/** By what a caller was let in, as far as that can end while its request is open. */
struct credential {
    enum class kind : std::uint8_t {
        none,         ///< Callers are not asked, or the program's own function knows this one.
        api_key,      ///< `name` is its hash.
        token,        ///< `name` is empty.
        certificate,  ///< `name` is the subject that it is known by.
    };

    kind what = kind::none;
    std::string name = {};
    std::optional<clock::system_time_point> expires = {};  ///< Of a token.

    [[nodiscard]] bool can_end() const noexcept { return what != kind::none; }
};

}  // namespace weft::serve_detail
