#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/** What a Redis server answers: a value of its protocol.
 *
 *  @par Source   RESP2 and RESP3, https://redis.io/docs/latest/develop/reference/protocol-spec/
 */
class redis_value {
public:
    enum class kind : std::uint8_t {
        null,     ///< Nothing: no such key, a condition that did not hold.
        text,     ///< `text`: any bytes. Also big numbers, by their digits.
        error,    ///< `text`: why the server refused.
        integer,  ///< `integer`.
        boolean,  ///< `integer`, 0 or 1.
        number,   ///< `number`.
        array,    ///< `items`.
        set,      ///< `items`, in no order.
        map,      ///< `items`: a key, its value, the next key, and so on.
        push,     ///< `items`: a message that answers nothing.
    };

    redis_value() noexcept {}

    [[nodiscard]] bool is(kind one) const noexcept { return what == one; }
    [[nodiscard]] bool is_null() const noexcept { return what == kind::null; }

    kind what = kind::null;
    std::string text;
    std::int64_t integer = 0;
    double number = 0;
    std::vector<redis_value> items;
};

}  // namespace weft
