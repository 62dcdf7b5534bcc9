#pragma once

#include "linked_record.hpp"
#include "list_tree.hpp"

#include <weft/graph/state/value.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::checkpoint_detail {

/** How a value stands in a record. The numbers are part of the format. */
enum class value_tag : std::uint8_t {
    nothing = 0,
    null = 1,
    no = 2,
    yes = 3,
    integer = 4,
    large = 5,     ///< An integer beyond those with sign.
    real = 6,
    text = 7,
    json = 8,      ///< JSON text.
    blob = 9,      ///< A link to a blob of JSON text.
    list = 10,     ///< A `list_tree` of JSON texts.
};

/** Bytes of a text, or of JSON text, that stand in the record itself; others are blobs. */
inline constexpr std::size_t value_in_place_max = 64;

/** What a value that stands in a record is made of. */
struct value_form {
    value_tag tag = value_tag::nothing;
    boost::json::value scalar;  ///< If it stands in place.
    content_hash hash{};        ///< Of `blob`.
    list_tree list;             ///< Of `list`.
};

[[nodiscard]] value_form read_form(linked_reader& from);

/** A value as JSON text.
 *  @par Errors   `unexpected_json` if no reader would take it: numbers that are not finite, too deep. */
[[nodiscard]] std::string stored_text_of(const boost::json::value& value);

/** Writes a value that is no list: in place if it is small.
 *  @return The hash, if it became a blob. */
[[nodiscard]] std::optional<content_hash> write_json(linked_writer& to, const boost::json::value& value,
                                                     blob_sink& sink);

}  // namespace weft::checkpoint_detail
