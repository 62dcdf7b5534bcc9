#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/record/checkpoint.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** Where an item is: a path of names, and a name in it. */
class item_key {
public:
    item_key() noexcept {}
    item_key(std::vector<std::string> space, std::string name) : space{std::move(space)}, name{std::move(name)} {}

    std::vector<std::string> space;  ///< For instance {"users", "42", "facts"}; at most 16 names, none empty.
    std::string name;

    friend bool operator==(const item_key&, const item_key&) = default;
};

struct stored_item {
    item_key key;
    boost::json::value value;
    wall_time created;
    wall_time changed;
    std::optional<wall_time> expires;
};

class item_vectors;

/** What agents remember beyond a thread: values by namespace and name, each with an end if it has one.
 *
 *  @par Errors          As those of `checkpoint_store`; `errc::limit_reached` for a key that is too long or deep.
 *  @par Thread safety   From any OS thread that has a loop.
 *  @par Lifetimes       It outlives the tasks it gives out.
 */
class item_store {
public:
    virtual ~item_store() = default;

    /** Writes an item, in place of the one of this key. @param lifetime  From now; none: for ever. */
    [[nodiscard]] virtual task<void> put(std::string tenant, item_key key, boost::json::value value,
                                         std::optional<std::chrono::milliseconds> lifetime) = 0;
    /** The item; nothing if there is none or its end has come. */
    [[nodiscard]] virtual task<std::optional<stored_item>> get(std::string tenant, item_key key) = 0;
    /** @return False if there was none. */
    [[nodiscard]] virtual task<bool> erase(std::string tenant, item_key key) = 0;
    /** The items of a namespace and of those below it, by key, after `after`. */
    [[nodiscard]] virtual task<std::vector<stored_item>> list(std::string tenant, std::vector<std::string> space,
                                                              std::optional<item_key> after, std::size_t max) = 0;
    /** Removes items whose end has come, of all tenants; at most `max`. @return How many. */
    [[nodiscard]] virtual task<std::size_t> sweep(std::size_t max) = 0;

    /** Vectors beside the items, in `weft/store/item_vectors.hpp`; by default null: the store keeps none. It lives
     *  as long as the store. */
    [[nodiscard]] virtual item_vectors* vectors() noexcept { return nullptr; }
};

}  // namespace weft
