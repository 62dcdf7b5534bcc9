#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/item_store.hpp>
#include <weft/store/item_vectors.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** What a namespace takes. Zero: no limit of its own. */
struct item_limits {
    std::size_t items_max = 0;        ///< With those of namespaces below.
    std::size_t value_bytes_max = 0;  ///< Of one value as JSON.
    std::optional<std::chrono::milliseconds> lifetime = {};  ///< Of an item that is given none.
};

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
    /** The same namespace, and those below it, with limits for what is put there. Two that put at the same time may
     *  exceed `items_max` by one. */
    [[nodiscard]] item_space limited(item_limits limits) const;
    /** From the root of the tenant. */
    [[nodiscard]] const std::vector<std::string>& space() const noexcept { return space_; }

    /** Writes an item, in place of the one of this name.
     *  @param lifetime   From now; none: that of the limits, or for ever.
     *  @par Errors       Beside those of the store `errc::limit_reached`: a limit of the namespace, which it names. */
    [[nodiscard]] task<void> put(std::string name, boost::json::value value,
                                 std::optional<std::chrono::milliseconds> lifetime = std::nullopt) const;
    /** The same with a vector beside the item.
     *  @par Errors       As `put`; those of `item_vectors`; `errc::invalid_configuration` if the store keeps no
     *                    vectors. */
    [[nodiscard]] task<void> put_with_vector(std::string name, boost::json::value value, item_vector vector,
                                             std::optional<std::chrono::milliseconds> lifetime = std::nullopt) const;
    /** The items here and in namespaces below whose vectors are nearest, the best one first.
     *  @par Errors       Those of `item_vectors`; `errc::invalid_configuration` if the store keeps no vectors. */
    [[nodiscard]] task<std::vector<item_match>> nearest(vector_query query) const;
    /** The item; nothing if there is none or its end has come. */
    [[nodiscard]] task<std::optional<stored_item>> get(std::string name) const;
    /** @return False if there was none. */
    [[nodiscard]] task<bool> erase(std::string name) const;
    /** The items here and in namespaces below, by key, after `after`, at most `max`. */
    [[nodiscard]] task<std::vector<stored_item>> list(std::size_t max,
                                                      std::optional<item_key> after = std::nullopt) const;

private:
    struct limits_at {
        item_limits limits;
        std::size_t depth;  // of the namespace that they hold for
    };

    [[nodiscard]] task<void> put_draft(std::string name, boost::json::value value, std::optional<item_vector> vector,
                                       std::optional<std::chrono::milliseconds> lifetime) const;

    std::shared_ptr<item_store> store_;
    std::string tenant_;
    std::vector<std::string> space_;
    std::optional<limits_at> limits_;
};

}  // namespace weft
