#include <weft/store/redis/redis_thread_lock.hpp>

#include "redis_thread_keys.hpp"

#include <weft/base/error.hpp>
#include <weft/base/system/ids.hpp>

#include <charconv>
#include <utility>

namespace weft {

namespace {

/** A fencing counter outlives its locks by this much; by then the time of day has passed it. */
constexpr std::chrono::milliseconds fence_lifetime = std::chrono::hours{24 * 7};

// An owner that asks twice, because it did not hear the answer, gets the same one.
constexpr const char* acquire_text = R"(
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
    if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
    return redis.call('GET', KEYS[2])
end
local fence = redis.call('INCR', KEYS[2])
local time = redis.call('TIME')
fence = string.format('%.0f', math.max(fence, time[1] * 1000000 + time[2]))
redis.call('SET', KEYS[2], fence, 'PX', ARGV[3])
return fence
)";

constexpr const char* renew_text = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
)";

constexpr const char* release_text = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
)";

std::int64_t fence_in(const redis_value& reply, const std::string& key)
{
    std::int64_t fence = 0;
    const char* const end = reply.text.data() + reply.text.size();
    const auto [stopped_at, code] = std::from_chars(reply.text.data(), end, fence);
    if (!reply.is(redis_value::kind::text) || code != std::errc{} || stopped_at != end)
        throw error{errc::store_corrupt, key, "the fencing counter holds no number"};
    return fence;
}

}  // namespace

redis_thread_lock::redis_thread_lock(redis_client client, redis_lock_options options)
    : client_{std::move(client)}, options_{std::move(options)}, acquire_{acquire_text}, renew_{renew_text},
      release_{release_text}, local_{options_.lifetime}
{
}

bool redis_thread_lock::falls_back_from(errc code) const noexcept
{
    return options_.when_away == lock_fallback::this_process &&
           (code == errc::store_unavailable || code == errc::store_outcome_unknown);
}

/** Asks a second time, under the same name, when the first answer was lost. */
task<redis_value> redis_thread_lock::take(thread_key thread, std::string owner)
{
    const redis_detail::redis_thread_keys keys{options_.prefix, thread};
    const std::vector<std::string> names{keys.lock, keys.fence};
    const std::vector<std::string> arguments{std::move(owner), std::to_string(options_.lifetime.count()),
                                             std::to_string(fence_lifetime.count())};
    try {
        co_return co_await client_.run(acquire_, names, arguments);
    } catch (const error& e) {
        if (e.code() != errc::store_outcome_unknown) throw;
    }
    co_return co_await client_.run(acquire_, names, arguments);
}

task<std::optional<thread_hold>> redis_thread_lock::acquire(thread_key thread)
{
    serial_loop& loop = co_await this_task::loop();
    thread_hold hold{thread};
    hold.owner = id_source{loop.clock(), loop.random()}.next().text();
    hold.valid_until = loop.now() + options_.lifetime;
    std::optional<redis_value> reply;
    try {
        redis_value answer = co_await take(thread, hold.owner);
        reply = std::move(answer);
    } catch (const error& e) {
        if (!falls_back_from(e.code())) throw;
    }
    if (!reply) {
        std::optional<thread_hold> local = co_await local_.acquire(thread);
        if (local) local->is_local = true;
        co_return local;
    }
    if (reply->is_null()) co_return std::nullopt;
    const redis_detail::redis_thread_keys keys{options_.prefix, thread};
    hold.fence = fence_in(*reply, keys.fence);
    co_return hold;
}

task<std::optional<thread_hold>> redis_thread_lock::renew(thread_hold hold)
{
    if (hold.is_local) {
        std::optional<thread_hold> renewed = co_await local_.renew(std::move(hold));
        co_return renewed;
    }
    serial_loop& loop = co_await this_task::loop();
    const time_point until = loop.now() + options_.lifetime;
    const redis_detail::redis_thread_keys keys{options_.prefix, hold.thread};
    std::vector<std::string> names(1, keys.lock);
    std::vector<std::string> arguments(1, hold.owner);
    arguments.push_back(std::to_string(options_.lifetime.count()));
    const redis_value reply = co_await client_.run(renew_, std::move(names), std::move(arguments));
    if (reply.integer != 1) co_return std::nullopt;
    hold.valid_until = until;
    co_return hold;
}

task<bool> redis_thread_lock::release(thread_hold hold)
{
    if (hold.is_local) {
        const bool was_ours = co_await local_.release(std::move(hold));
        co_return was_ours;
    }
    const redis_detail::redis_thread_keys keys{options_.prefix, hold.thread};
    std::vector<std::string> names(1, keys.lock);
    std::vector<std::string> arguments(1, hold.owner);
    const redis_value reply = co_await client_.run(release_, std::move(names), std::move(arguments));
    co_return reply.integer == 1;
}

task<bool> redis_thread_lock::is_held(thread_key thread)
{
    const redis_detail::redis_thread_keys keys{options_.prefix, thread};
    redis_command command{"EXISTS"};
    command.add(keys.lock).reads_only();
    std::optional<redis_value> reply;
    try {
        redis_value answer = co_await client_.call(std::move(command));
        reply = std::move(answer);
    } catch (const error& e) {
        if (!falls_back_from(e.code())) throw;
    }
    if (reply) co_return reply->integer == 1;
    const bool is_held_here = co_await local_.is_held(std::move(thread));
    co_return is_held_here;
}

}  // namespace weft
