#include <weft/model/decorator/reply_cache.hpp>

#include <weft/async/group/single_flight_cache_operations.hpp>

#include <utility>
#include <variant>

namespace weft {

template class single_flight_cache<chat_reply>;

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

reply_cache::reply_cache(reply_cache_options options)
    : replies_{single_flight_limits{options.entries_max, options.bytes_max}}, keep_for_{options.keep_for}
{
}

bool reply_cache::is_kept(const chat_reply& reply) noexcept
{
    return reply.stop == stop_reason::stop || reply.stop == stop_reason::tool_calls;
}

reply_cache::lookup reply_cache::look_up(std::string key, intrusive_ptr<remote_signal> news, time_point now) const
{
    const std::size_t bytes = key.size();
    return lookup{replies_.look_up(std::move(key), std::move(news), now), bytes, keep_for_};
}

void reply_cache::lookup::succeed(const chat_reply& answer, time_point now)
{
    auto shared = std::make_shared<const chat_reply>(answer);
    if (!is_kept(answer)) return place_.succeed(std::move(shared));
    const std::size_t bytes = key_bytes_ + bytes_of(answer.message) + entry_overhead;
    place_.succeed(std::move(shared), {bytes, now + keep_for_});
}

reply_cache_counts reply_cache::counts() const { return replies_.counts(); }

reply_cache::lookup::lookup(replies::lookup place, std::size_t key_bytes, std::chrono::nanoseconds keep_for) noexcept
    : place_{std::move(place)}, key_bytes_{key_bytes}, keep_for_{keep_for}
{
}

void reply_cache::lookup::look(time_point now) { place_.look(now); }

void reply_cache::lookup::fail(const std::exception_ptr& cause) { place_.fail(cause); }

}  // namespace weft
