#include <weft/model/reply_cache.hpp>

#include <weft/async/remote_signal.hpp>

#include <list>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace weft {

namespace {

constexpr std::size_t entry_overhead = 512;

std::size_t bytes_of(const message& said)
{
    std::size_t sum = said.name.size();
    for (const content_part& part : said.content)
        sum += std::visit(
            [](const auto& one) {
                if constexpr (requires { one.signature; }) return one.text.size() + one.signature.size();
                else if constexpr (requires { one.text; }) return one.text.size();
                else return one.url.size() + one.base64().size();
            },
            part);
    for (const tool_call& call : said.tool_calls)
        sum += call.id.size() + call.name.size() + call.arguments.size() + 128;
    // What the provider keeps in it is of the order of the message itself.
    return said.provider ? sum * 2 : sum;
}

}  // namespace

/** A call that is under way, and who waits for it. Under the store's lock. */
struct reply_cache::flight {
    std::vector<intrusive_ptr<remote_signal>> waiting;
    bool is_over = false;
    std::shared_ptr<const chat_reply> reply;  // with neither: its leader is gone
    std::exception_ptr error;
};

struct reply_cache::store {
    struct entry {
        std::string key;
        std::shared_ptr<const chat_reply> reply;
        time_point ends;
        std::size_t bytes = 0;
    };
    using entries = std::list<entry>;

    [[nodiscard]] std::shared_ptr<const chat_reply> find(const std::string& key, time_point now);
    void keep(const std::string& key, std::shared_ptr<const chat_reply> reply, time_point now);
    void drop(entries::iterator old);
    void end(const std::string& key, flight& over);

    reply_cache_options options;
    std::mutex lock;
    entries by_use;  // the most recently used first
    std::unordered_map<std::string_view, entries::iterator> by_key;  // the keys stand in the entries
    std::unordered_map<std::string, std::shared_ptr<flight>> flights;
    reply_cache_counts counts;
};

std::shared_ptr<const chat_reply> reply_cache::store::find(const std::string& key, time_point now)
{
    const auto found = by_key.find(key);
    if (found == by_key.end()) return nullptr;
    const entries::iterator known = found->second;
    if (known->ends <= now) return drop(known), nullptr;
    by_use.splice(by_use.begin(), by_use, known);
    return known->reply;
}

void reply_cache::store::keep(const std::string& key, std::shared_ptr<const chat_reply> reply, time_point now)
{
    const std::size_t bytes = key.size() + bytes_of(reply->message) + entry_overhead;
    if (bytes > options.bytes_max || options.entries_max == 0) return;
    if (const auto old = by_key.find(key); old != by_key.end()) drop(old->second);
    while (counts.bytes + bytes > options.bytes_max || by_use.size() >= options.entries_max) {
        drop(std::prev(by_use.end()));
        ++counts.dropped;
    }
    by_use.push_front({key, std::move(reply), now + options.keep_for, bytes});
    by_key.emplace(by_use.front().key, by_use.begin());
    counts.bytes += bytes;
}

void reply_cache::store::drop(entries::iterator old)
{
    counts.bytes -= old->bytes;
    by_key.erase(old->key);
    by_use.erase(old);
}

void reply_cache::store::end(const std::string& key, flight& over)
{
    over.is_over = true;
    for (const auto& waiting : over.waiting) waiting->notify();
    over.waiting.clear();
    flights.erase(key);
}

reply_cache::reply_cache(reply_cache_options options) : store_{std::make_shared<store>()}
{
    store_->options = options;
}

reply_cache_counts reply_cache::counts() const
{
    const std::lock_guard guard{store_->lock};
    reply_cache_counts result = store_->counts;
    result.entries = store_->by_use.size();
    return result;
}

bool reply_cache::is_kept(const chat_reply& reply) noexcept
{
    return reply.stop == stop_reason::stop || reply.stop == stop_reason::tool_calls;
}

reply_cache::lookup reply_cache::look_up(std::string key, intrusive_ptr<remote_signal> news, time_point now) const
{
    lookup made{store_, std::move(key), std::move(news)};
    made.look(now);
    return made;
}

reply_cache::lookup::lookup(std::shared_ptr<store> owner, std::string key, intrusive_ptr<remote_signal> news)
    : store_{std::move(owner)}, key_{std::move(key)}, news_{std::move(news)}
{
}

reply_cache::lookup::lookup(lookup&& other) noexcept
    : store_{std::move(other.store_)}, key_{std::move(other.key_)}, news_{std::move(other.news_)},
      flight_{std::move(other.flight_)}, state_{std::exchange(other.state_, state::waits)},
      reply_{std::move(other.reply_)}, error_{std::move(other.error_)}
{
}

reply_cache::lookup::~lookup()
{
    if (state_ != state::leads || !store_) return;
    const std::lock_guard guard{store_->lock};
    store_->end(key_, *flight_);
}

void reply_cache::lookup::look(time_point now)
{
    const std::lock_guard guard{store_->lock};
    if (flight_) {
        if (!flight_->is_over) return;
        const std::shared_ptr<flight> over = std::move(flight_);
        reply_ = over->reply;
        error_ = over->error;
        if (reply_ || error_) {
            state_ = reply_ ? state::found : state::failed;
            ++store_->counts.shared;
            return;
        }
    }
    reply_ = store_->find(key_, now);
    if (reply_) {
        state_ = state::found;
        ++store_->counts.hits;
        return;
    }
    auto& under_way = store_->flights[key_];
    if (!under_way) {
        under_way = std::make_shared<flight>();
        state_ = state::leads;
        ++store_->counts.misses;
    } else {
        under_way->waiting.push_back(news_);
        state_ = state::waits;
    }
    flight_ = under_way;
}

void reply_cache::lookup::succeed(const chat_reply& answer, time_point now)
{
    const std::lock_guard guard{store_->lock};
    flight_->reply = std::make_shared<const chat_reply>(answer);
    if (is_kept(answer)) store_->keep(key_, flight_->reply, now);
    store_->end(key_, *flight_);
    state_ = state::waits;
}

void reply_cache::lookup::fail(const std::exception_ptr& cause)
{
    const std::lock_guard guard{store_->lock};
    flight_->error = cause;
    store_->end(key_, *flight_);
    state_ = state::waits;
}

}  // namespace weft
