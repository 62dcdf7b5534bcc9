#pragma once

#include <weft/store/role/store_news.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::postgres_detail {

/** Notices as the payload of a NOTIFY: `1 3f2a… r0123456789abcdef a…`, where 1 is the version, the next number names
 *  the store that announces, and each notice is the letter of its kind and the name of its thread. */
struct notice_batch {
    std::string origin;  ///< 16 hexadecimal digits.
    std::vector<store_notice> notices;
};

/** How many notices go into one payload: PostgreSQL takes less than 8,000 bytes. */
inline constexpr std::size_t notices_a_payload = 400;

/** One payload; without notices it is an echo. @param notices  At most `notices_a_payload`. */
[[nodiscard]] std::string write_notices(std::string_view origin, std::span<const store_notice> notices);

/** @return  Nothing if it is no such payload: another program's, or a newer version's. Kinds that are not known are
 *           read as `anything`. */
[[nodiscard]] std::optional<notice_batch> read_notices(std::string_view payload);

}  // namespace weft::postgres_detail
