#pragma once

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace weft {

/** Whether the strings of members of this name may hold halves: they come in pieces, which a `utf16_joiner` joins. */
using half_filter = std::function<bool(std::string_view name)>;

/** Reads JSON in which halves of characters may stand.
 *
 *  Programs that count text in UTF-16 units, as JavaScript does, cut some characters in two: a string ends with
 *  `\ud83d`, the next one begins with `\ude00`. Such JSON is read all the same. A half that waits for its other one
 *  stands as the three bytes that UTF-8 would give it if it were a character; it never leaves the process: it is joined
 *  or becomes U+FFFD.
 *
 *  @param keeps   Members whose strings may hold a half afterwards; empty: none. In other strings, and in names, a
 *                 half becomes U+FFFD.
 *
 *  @par Errors   As `parse_json`.
 *  @par Source   RFC 8259, section 8.2; "The WTF-8 encoding", sections 3 and 4. */
[[nodiscard]] boost::json::value parse_json_with_halves(std::string_view text, boost::json::storage_ptr storage = {},
                                                        const half_filter& keeps = {});

/** The text with halves that meet joined, and all others U+FFFD. */
[[nodiscard]] std::string without_halves(std::string_view text);
/** The same for all strings of a value. */
void remove_halves(boost::json::value& value);

/** Joins the halves at the seams of one text that comes in pieces. */
class utf16_joiner {
public:
    /** @return  The piece as UTF-8, with the half before it and without the half at its end. Valid until the next
     *           call, and as long as `piece`. */
    [[nodiscard]] std::string_view join(std::string_view piece);
    /** What is left when no piece follows: U+FFFD for a half that still waits for its other one, else nothing. */
    [[nodiscard]] std::string_view end() noexcept;

private:
    std::string waiting_;
    std::string joined_;
};

}  // namespace weft
