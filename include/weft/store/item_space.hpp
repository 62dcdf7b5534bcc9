#pragma once

#include <weft/async/task.hpp>
#include <weft/store/item_store.hpp>

#include <boost/json/value.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** A part of an item store that one user, agent or thread may use: a tenant and a namespace. It reaches nothing
 *  outside.
 *
 *      const weft::item_space all{store, "acme"};
 *      const weft::item_space facts = all.below({"users", "42"});
 *      co_await facts.put("city", "Lima");
 *
 *  A value that shares ownership of the store; cheap to copy.
 *
 *  @par Errors          Those of `item_store`; `errc::invalid_configuration` from the constructor without a store, and
 *                       for an empty name of a namespace.
 *  @par Thread safety   As `item_store`.
 *  @par Lifetimes       A task shares ownership of the store. */
class item_space {
public:
    explicit item_space(std::shared_ptr<item_store> store, std::string tenant = {},
                        std::vector<std::string> space = {});

    /** The namespace of these names in this one. */
    [[nodiscard]] item_space below(std::vector<std::string> names) const;
    /** From the root of the tenant. */
    [[nodiscard]] const std::vector<std::string>& space() const noexcept { return space_; }

    /** Writes an item, in place of the one of this name. @param lifetime   From now; none: for ever. */
    [[nodiscard]] task<void> put(std::string name, boost::json::value value,
                                 std::optional<std::chrono::milliseconds> lifetime = std::nullopt) const;
    /** The item; nothing if there is none or its end has come. */
    [[nodiscard]] task<std::optional<stored_item>> get(std::string name) const;
    /** @return False if there was none. */
    [[nodiscard]] task<bool> erase(std::string name) const;
    /** The items here and in namespaces below, by key, after `after`, at most `max`. */
    [[nodiscard]] task<std::vector<stored_item>> list(std::size_t max,
                                                      std::optional<item_key> after = std::nullopt) const;

private:
    std::shared_ptr<item_store> store_;
    std::string tenant_;
    std::vector<std::string> space_;
};

}  // namespace weft
