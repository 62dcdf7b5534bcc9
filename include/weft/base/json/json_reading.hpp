#pragma once

#include <weft/base/json/json_read.hpp>

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace weft {

/** How a JSON text is read, where `parse_json` is too strict. */
struct json_reading {
    std::size_t depth_max = json_depth_max;  ///< How deep values may be nested.
    bool takes_any_bytes = false;            ///< Strings may have bytes that are no UTF-8.
};

/** Reads a text that is one JSON value. Numbers are the nearest doubles to what is written, as with `parse_json`.
 *
 *  @param storage   Where the value's memory comes from; the heap by default.
 *
 *  @par Errors
 *    - `errc::invalid_json`, a `json_syntax_error`, as `parse_json`. */
[[nodiscard]] boost::json::value parse_json_as(std::string_view text, json_reading how,
                                               boost::json::storage_ptr storage = {});

/** As `parse_json`, for texts of which it is only asked whether they are JSON: no message is made.
 *  @return   Nothing if the text is not one JSON value. */
[[nodiscard]] std::optional<boost::json::value> try_parse_json(std::string_view text,
                                                               boost::json::storage_ptr storage = {});
[[nodiscard]] std::optional<boost::json::value> try_parse_json(std::string_view text, json_reading how);

/** Reads a text as `parse_json` does, piece by piece, for texts of megabytes on a loop that has other work.
 *
 *      json_pieces pieces{text};
 *      while (!pieces.read(64 * 1024)) co_await yield_now();
 *      boost::json::value body = pieces.take();
 *
 *  @par Errors          From `read` those of `parse_json`, with the position in the whole text; it is not called again.
 *  @par Thread safety   None.
 *  @par Lifetimes       The text outlives it. */
class json_pieces {
public:
    explicit json_pieces(std::string_view text, json_reading how = {});
    ~json_pieces();
    json_pieces(const json_pieces&) = delete;
    json_pieces& operator=(const json_pieces&) = delete;

    /** Reads at most so many bytes more. @return  True when the text is read to its end. */
    [[nodiscard]] bool read(std::size_t bytes);
    /** The value, once. */
    [[nodiscard]] boost::json::value take();

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace weft
