#pragma once

#include <weft/base/error.hpp>
#include <weft/base/json/json_kind.hpp>
#include <weft/base/json/json_read.hpp>
#include <weft/base/json/json_write.hpp>
#include <weft/base/text/json_path.hpp>
#include <weft/base/text/text_position.hpp>

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace weft {

/** A type that converts to JSON and back:
 *
 *  - `bool`, integers, floating point numbers, `std::string`, and the values of Boost.JSON
 *    themselves;
 *  - `std::optional`, where null and a member that is left out mean nothing;
 *  - lists (`std::vector`, `weft::list`, `std::set`…), maps from `std::string`, and arrays of fixed
 *    size, pairs, tuples;
 *  - enums and structs described with Boost.Describe, by name; a struct needs a default constructor
 *    and public members;
 *  - `quantity`, as its count, and types with `text()` and `parse()`, such as ids, as a string;
 *  - types with their own `tag_invoke` for Boost.JSON in both directions.
 */
template <class T>
concept json_convertible = json_detail::converts<T>();

/** Reads a `T` out of a JSON value.
 *
 *  @return          The value; a number becomes an integer only when nothing is lost.
 *
 *  @par Errors
 *    - `errc::unexpected_json`  where: the path, e.g. `$.branches[3].name`; detail: what was
 *      expected and found.
 */
template <json_convertible T>
[[nodiscard]] T from_json(const boost::json::value& from,
                          const json_options& options = json_defaults)
{
    const json_path whole;
    return json_detail::read<T>(from, {whole, options});
}

/** Writes a value as JSON, such that `from_json` reads it back. Optional members that hold nothing
 *  are left out.
 *
 *  @par Errors
 *    - `errc::unexpected_json`  a number is not finite, an enum has no described name, or it is
 *      nested too deep.
 */
template <json_convertible T>
[[nodiscard]] boost::json::value to_json(const T& from)
{
    const json_path whole;
    return json_detail::write(from, whole);
}

/** A text is not JSON. Its `where` is the position as text. */
class json_syntax_error : public error {
public:
    json_syntax_error(text_position position, std::string detail);
    [[nodiscard]] text_position position() const noexcept { return position_; }

private:
    text_position position_;
};

/** Reads a text that is one JSON value, nested at most `json_depth_max` deep.
 *
 *  @param storage   Where the value's memory comes from; the heap by default.
 *
 *  @par Errors
 *    - `errc::invalid_json`, a `json_syntax_error`; where: e.g. `line 3, column 14`, both from 1, columns in code
 *      points.
 */
[[nodiscard]] boost::json::value parse_json(std::string_view text,
                                            boost::json::storage_ptr storage = {});

/** Reads a text that Boost.JSON wrote for us: as `parse_json`, but texts in it may have bytes that are no UTF-8, for it
 *  writes them as they are.
 *  @par Errors  As `parse_json`. */
[[nodiscard]] boost::json::value parse_own_json(std::string_view text);

}  // namespace weft
