#pragma once

#include <weft/store/item_store.hpp>
#include <weft/store/item_vectors.hpp>

#include <cstddef>
#include <memory>
#include <optional>

namespace weft {

/** Keeps items and their vectors in the memory of one process.
 *
 *  @par Errors          `errc::store_full` when it has `items_max` items; an item can still be replaced.
 *  @par Thread safety   From any OS thread that has a loop.
 *  @par Lifetimes       It outlives the tasks it gives out.
 */
class memory_items final : public item_store, public item_vectors {
public:
    explicit memory_items(std::size_t items_max = 1'000'000);
    ~memory_items() override;
    memory_items(const memory_items&) = delete;
    memory_items& operator=(const memory_items&) = delete;

    [[nodiscard]] task<void> put(std::string tenant, item_key key, boost::json::value value,
                                 std::optional<std::chrono::milliseconds> lifetime) override;
    [[nodiscard]] task<std::optional<stored_item>> get(std::string tenant, item_key key) override;
    [[nodiscard]] task<bool> erase(std::string tenant, item_key key) override;
    [[nodiscard]] task<std::vector<stored_item>> list(std::string tenant, std::vector<std::string> space,
                                                      std::optional<item_key> after, std::size_t max) override;
    [[nodiscard]] task<std::size_t> sweep(std::size_t max) override;

    [[nodiscard]] item_vectors* vectors() noexcept override { return this; }
    [[nodiscard]] task<void> put_with_vector(std::string tenant, item_key key, boost::json::value value,
                                             item_vector vector,
                                             std::optional<std::chrono::milliseconds> lifetime) override;
    [[nodiscard]] task<std::vector<item_match>> nearest(std::string tenant, std::vector<std::string> space,
                                                        vector_query query) override;

private:
    struct place;
    struct tables;
    struct vector_search;

    std::unique_ptr<tables> tables_;
};

}  // namespace weft
