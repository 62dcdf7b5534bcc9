#pragma once

#include <weft/store/record/checkpoint.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** Names a document: what it is, whose, and which one. */
struct document_key {
    std::string kind;    ///< Such as `assistant`; documents of different kinds have nothing in common.
    std::string tenant;  ///< Whose it is; empty where there is one owner.
    std::string id;      ///< Unique among those of its kind and tenant.

    friend bool operator==(const document_key&, const document_key&) = default;
    friend auto operator<=>(const document_key&, const document_key&) = default;
};

/** A JSON object in a store. */
struct stored_document {
    document_key key;
    std::uint64_t revision = 0;  ///< 1 when it is made, one more with each change.
    std::string body;            ///< A JSON object; its members may come back in another order.
    wall_time created;
    wall_time changed;
    std::optional<wall_time> due;  ///< When something is to happen with it; none: never.
};

/** A change of a document. */
struct document_change {
    document_key key;
    std::optional<std::string> body = {};  ///< What it says from now on: a JSON object; none: it is erased.
    std::optional<wall_time> due = {};     ///< From now on.
    /** The revision that it must have for the change to take place; 0: it must not be there; none: whatever it has. */
    std::optional<std::uint64_t> expected = {};
};

/** How a list is sorted. */
enum class list_order : std::uint8_t {
    newest_first,        ///< By when they were made.
    oldest_first,        ///< By when they were made.
    last_changed_first,  ///< By their last change.
    by_name,             ///< By tenant, then by name or id, in the order of bytes.
};

/** Which documents of a kind to list. A document is listed if it contains `contains` in the sense of PostgreSQL's `@>`:
 *  `{"metadata": {"team": "blue"}}` asks for one member and leaves all others open. */
struct document_query {
    std::string kind;
    std::optional<std::string> tenant = {};  ///< None: of all tenants.
    std::string contains = "{}";             ///< A JSON object.
    list_order order = list_order::newest_first;
    std::string after = {};       ///< `document_page::next` of the page before; empty: the first page.
    std::size_t count_max = 100;  ///< At most so many.
};

/** A part of a list. */
struct document_page {
    std::vector<stored_document> documents;
    std::string next;  ///< For `document_query::after`; empty: nothing follows.
};

}  // namespace weft
