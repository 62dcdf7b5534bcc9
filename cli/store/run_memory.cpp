#include "run_memory.hpp"

#include <weft/base/error.hpp>
#include <weft/store/memory_items.hpp>
#include <weft/store/node_results.hpp>

#include <utility>

namespace weft_cli {

/** Items of a store that is opened later. */
class run_memory::items_to_come final : public weft::item_store {
public:
    void use(std::shared_ptr<weft::item_store> items) noexcept { items_ = std::move(items); }

    weft::task<void> put(std::string tenant, weft::item_key key, boost::json::value value,
                         std::optional<std::chrono::milliseconds> lifetime) override
    {
        return there().put(std::move(tenant), std::move(key), std::move(value), lifetime);
    }
    weft::task<std::optional<weft::stored_item>> get(std::string tenant, weft::item_key key) override
    {
        return there().get(std::move(tenant), std::move(key));
    }
    weft::task<bool> erase(std::string tenant, weft::item_key key) override
    {
        return there().erase(std::move(tenant), std::move(key));
    }
    weft::task<std::vector<weft::stored_item>> list(std::string tenant, std::vector<std::string> space,
                                                    std::optional<weft::item_key> after, std::size_t max) override
    {
        return there().list(std::move(tenant), std::move(space), std::move(after), max);
    }
    weft::task<std::size_t> sweep(std::size_t max) override { return there().sweep(max); }
    weft::item_vectors* vectors() noexcept override { return items_ ? items_->vectors() : nullptr; }

private:
    [[nodiscard]] weft::item_store& there() const
    {
        if (!items_) throw weft::error{weft::errc::store_unavailable, "memory", "its store is not open"};
        return *items_;
    }

    std::shared_ptr<weft::item_store> items_;
};

namespace {

constexpr std::size_t swept_max = 1'000;

}  // namespace

run_memory::run_memory(const store_args& args, bool outlives) : items_{std::make_shared<items_to_come>()}
{
    if (!args.store.empty()) place_ = store_place::of(args, weft::process_environment());
    tenant_ = args.tenant;
    space_ = std::make_shared<const weft::item_space>(items_, tenant_, std::vector<std::string>{"memory"});
    if (!outlives) return;
    const weft::item_space results{items_, tenant_, {"node cache"}};
    cache_.emplace(weft::node_cache_options{.store = weft::node_results_in(results)});
}

weft::task<void> run_memory::open(std::shared_ptr<weft::item_store> thread_items, const store_place& thread_place)
{
    const bool is_own = place_ && (!thread_items || place_->where != thread_place.where);
    if (is_own) {
        opened_store opened = co_await open_whole_store(*place_, store_use::make);
        items_->use(std::move(opened.items));
    } else if (thread_items) {
        items_->use(std::move(thread_items));
    } else {
        items_->use(std::make_shared<weft::memory_items>());
    }
    // Nothing else removes what has had its time in a store that only runs use.
    static_cast<void>(co_await items_->sweep(swept_max));
}

weft::item_space run_memory::documents() const { return weft::item_space{items_, tenant_, {"documents"}}; }

void run_memory::close() noexcept { items_->use(nullptr); }

}  // namespace weft_cli
