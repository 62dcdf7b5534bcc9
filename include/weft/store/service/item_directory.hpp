#pragma once

#include <weft/async/task.hpp>
#include <weft/store/item_store.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** Which items to find. */
struct item_query {
    std::string tenant;
    std::vector<std::string> space = {};  ///< Items of this namespace and of those below it; empty: of all.
    /** A JSON object: only items whose value contains it, as `document_query::contains`. */
    std::string contains = "{}";
    std::optional<item_key> after = {};   ///< `item_page::next` of the page before; none: the first page.
    std::size_t count_max = 100;          ///< At most so many.
};

/** A part of a list of items, by key. */
struct item_page {
    std::vector<stored_item> items;
    std::optional<item_key> next = {};  ///< For `item_query::after`; none: nothing follows.
};

/** Which namespaces to list. */
struct item_space_query {
    std::string tenant;
    std::vector<std::string> below = {};  ///< This namespace and those below it; empty: all.
    /** Longer namespaces are cut to so many names, and each that comes out is listed once. */
    std::size_t depth_max = 16;
    std::optional<std::vector<std::string>> after = {};  ///< `item_space_page::next` of the page before.
    std::size_t count_max = 100;                         ///< At most so many.
};

/** A part of a list of namespaces, in order. */
struct item_space_page {
    std::vector<std::vector<std::string>> spaces;
    std::optional<std::vector<std::string>> next = {};  ///< For `item_space_query::after`; none: nothing follows.
};

/** Finds items and namespaces of an `item_store`, also of a sealed one, whose database sees no values.
 *
 *      item_query query{.tenant = "acme", .space = {"users", "42"}, .contains = R"({"likes": "tea"})"};
 *      const item_page page = co_await directory.search(std::move(query));
 *
 *  Items whose end has come are not found, and a namespace with no others is not listed. A filter reads the items of
 *  the namespace in turn, about 10,000 for a page at most; a page can therefore be short, or empty, and have a `next`.
 *  A list of namespaces takes one call of the store for each.
 *
 *  @par Errors          As `item_store`; `errc::invalid_json` for a filter that is no JSON object.
 *  @par Thread safety   As `item_store`.
 *  @par Lifetimes       The store outlives it.
 */
class item_directory {
public:
    explicit item_directory(item_store& items) noexcept : items_{items} {}

    /** Items, page by page. */
    [[nodiscard]] task<item_page> search(item_query query);
    /** Namespaces that have items, page by page. */
    [[nodiscard]] task<item_space_page> spaces(item_space_query query);

private:
    item_store& items_;
};

}  // namespace weft
