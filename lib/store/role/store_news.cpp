#include <weft/store/role/store_news.hpp>

#include <cstring>
#include <string>
#include <utility>

namespace weft {

store_news::store_news(hash_key key, links to) : key_{key}, links_{std::move(to)} {}

std::uint64_t store_news::name_of(const thread_key& thread) const noexcept
{
    const content_hash hash = hash_of(thread.tenant + '\0' + thread.thread, key_);
    std::uint64_t name = 0;
    std::memcpy(&name, hash.bytes.data(), sizeof name);
    return name == 0 ? 1 : name;
}

store_news::subscription store_news::subscribe(listener to, interest in)
{
    bool is_first = false;
    bool is_first_for_events = false;
    std::list<heard_by>::iterator place;
    {
        const std::lock_guard lock{lock_};
        place = listeners_.insert(listeners_.end(), heard_by{std::move(to), in});
        is_first = !std::exchange(had_listener_, true);
        if (in == interest::changes_and_events) is_first_for_events = !std::exchange(had_one_for_events_, true);
    }
    if (is_first && links_.on_first_listener) links_.on_first_listener();
    if (is_first_for_events && links_.on_first_for_events) links_.on_first_for_events();
    return subscription{*this, place};
}

namespace {

store_news::due_task nothing_due() { co_return std::nullopt; }

}  // namespace

store_news::due_task store_news::next_due() const { return links_.next_due ? links_.next_due() : nothing_due(); }

void store_news::announce(const store_notice& notice)
{
    pass_on(notice);
    if (links_.to_others) links_.to_others(notice);
}

void store_news::pass_on(const store_notice& notice)
{
    const std::lock_guard lock{lock_};
    const bool is_of_events = notice.what == store_notice::kind::events;
    for (const heard_by& each : listeners_)
        if (!is_of_events || each.in == interest::changes_and_events) each.to(notice);
}

store_news::subscription::subscription(subscription&& from) noexcept
    : news_{std::exchange(from.news_, nullptr)}, place_{from.place_}
{
}

store_news::subscription& store_news::subscription::operator=(subscription&& from) noexcept
{
    if (this == &from) return *this;
    end();
    news_ = std::exchange(from.news_, nullptr);
    place_ = from.place_;
    return *this;
}

void store_news::subscription::end() noexcept
{
    if (!news_) return;
    const std::lock_guard lock{news_->lock_};
    news_->listeners_.erase(place_);
    news_ = nullptr;
}

}  // namespace weft
