#include <weft/store/redis/redis_thread_state_store.hpp>

#include "redis_thread_keys.hpp"
#include "store/record/limit_checks.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>

#include <utility>

namespace weft {

namespace {

// A writer without a lock (an empty name) may write while the thread is not locked.
constexpr const char* save_text = R"(
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return 1
)";

constexpr const char* erase_text = R"(
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[2])
return 1
)";

/** What the server knows a holder by: it does not know the locks that a process gave itself. */
std::string owner_on_server(const thread_hold& hold) { return hold.is_local ? std::string{} : hold.owner; }

write_state write_state_of(const redis_value& reply)
{
    return reply.integer == 1 ? write_state::ok : write_state::fenced;
}

}  // namespace

redis_thread_state_store::redis_thread_state_store(redis_client client, std::chrono::milliseconds lifetime,
                                                   std::string prefix)
    : client_{std::move(client)}, lifetime_{lifetime}, prefix_{std::move(prefix)}, save_{save_text},
      erase_{erase_text}
{
}

task<write_state> redis_thread_state_store::save(thread_hold by, boost::json::value state)
{
    const redis_detail::redis_thread_keys keys{prefix_, by.thread};
    std::string text = boost::json::serialize(state);
    check_text_limit(text, "state");
    std::vector<std::string> names(1, keys.lock);
    names.push_back(keys.state);
    std::vector<std::string> arguments(1, owner_on_server(by));
    arguments.push_back(std::move(text));
    arguments.push_back(std::to_string(lifetime_.count()));
    const redis_value reply = co_await client_.run(save_, std::move(names), std::move(arguments));
    co_return write_state_of(reply);
}

task<std::optional<boost::json::value>> redis_thread_state_store::load(thread_key thread)
{
    const redis_detail::redis_thread_keys keys{prefix_, thread};
    redis_command command{"GET"};
    command.add(keys.state).reads_only();
    const redis_value reply = co_await client_.call(std::move(command));
    if (reply.is_null()) co_return std::nullopt;
    try {
        co_return parse_json(reply.text);
    } catch (const error& e) {
        throw error{errc::store_corrupt, keys.state, std::string{"it holds no JSON: "} + e.what()};
    }
}

task<write_state> redis_thread_state_store::erase(thread_hold by)
{
    const redis_detail::redis_thread_keys keys{prefix_, by.thread};
    std::vector<std::string> names(1, keys.lock);
    names.push_back(keys.state);
    std::vector<std::string> arguments(1, owner_on_server(by));
    const redis_value reply = co_await client_.run(erase_, std::move(names), std::move(arguments));
    co_return write_state_of(reply);
}

}  // namespace weft
