#pragma once

#include <weft/store/item_store.hpp>

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace weft {

/** Keeps items in the memory of one process.
 *
 *  @par Errors          `errc::store_full` when it has `items_max` items; an item can still be replaced.
 *  @par Thread safety   From any OS thread that has a loop.
 *  @par Lifetimes       It outlives the tasks it gives out.
 */
class memory_items final : public item_store {
public:
    explicit memory_items(std::size_t items_max = 1'000'000) noexcept : items_max_{items_max} {}
    memory_items(const memory_items&) = delete;
    memory_items& operator=(const memory_items&) = delete;

    [[nodiscard]] task<void> put(std::string tenant, item_key key, boost::json::value value,
                                 std::optional<std::chrono::milliseconds> lifetime) override;
    [[nodiscard]] task<std::optional<stored_item>> get(std::string tenant, item_key key) override;
    [[nodiscard]] task<bool> erase(std::string tenant, item_key key) override;
    [[nodiscard]] task<std::vector<stored_item>> list(std::string tenant, std::vector<std::string> space,
                                                      std::optional<item_key> after, std::size_t max) override;
    [[nodiscard]] task<std::size_t> sweep(std::size_t max) override;

private:
    struct place {
        std::string tenant;
        std::vector<std::string> space;
        std::string name;
        friend auto operator<=>(const place&, const place&) = default;
    };
    using table = std::map<place, stored_item>;

    void put_now(place where, stored_item item);
    void take_out(table::iterator item);
    [[nodiscard]] std::vector<stored_item> list_now(const place& from, const std::vector<std::string>& space,
                                                    std::size_t max, wall_time now) const;

    std::mutex mutex_;
    std::size_t items_max_;
    table items_;
    std::set<std::pair<wall_time, place>> ends_;
};

}  // namespace weft
