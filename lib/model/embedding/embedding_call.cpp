#include "embedding_call.hpp"

#include <weft/base/error.hpp>
#include <weft/model/model_error.hpp>

#include "model/wire/keyed_sending.hpp"

#include <iterator>
#include <limits>
#include <optional>
#include <utility>

namespace weft::model_detail {

namespace {

/** How long a reply within its limits may be: a number takes at most 32 bytes with the space around it. */
std::size_t reply_bytes_max(std::size_t count, std::size_t dimensions_max) noexcept
{
    constexpr std::size_t frame_bytes_max = 1024 * 1024;
    constexpr std::size_t number_bytes_max = 32;
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    if (dimensions_max > most / 2 / number_bytes_max / count) return most;
    return frame_bytes_max + count * dimensions_max * number_bytes_max;
}

task<std::string> read_body(const std::string& where, http_response response, std::size_t bytes_max)
{
    std::string body;
    std::optional<error> failure;
    try {
        std::string whole = co_await response.read_all(bytes_max);
        body = std::move(whole);
    } catch (const error& e) {
        failure = e;
    }
    if (failure) fail_request(where, *failure);
    co_return body;
}

bool is_json_reply(const http_response_head& head)
{
    const std::string type = head.media_type();
    return head.is_success() && (type == "application/json" || type.ends_with("+json"));
}

/** @param body   What the request says; its texts are gone by now. */
task<embedding_reply> ask_once(const embedding_provider& from, std::string body, std::size_t count)
{
    request_writer write = [&from, body = std::move(body)](const secret_string& key) {
        return written_embedding_request(from.from, from.wire.target, body, key);
    };
    provider_answer answer = co_await send_with_key(from.from, from.from.label, std::move(write));
    if (!is_json_reply(answer.response.head())) {
        model_error refusal = co_await refusal_of(from.from, from.from.label, std::move(answer));
        throw refusal;
    }
    const secret_string key = key_of(from.from, answer);
    const std::size_t bytes_max = reply_bytes_max(count, from.expected.dimensions_max);
    const std::string text = co_await read_body(from.from.label, std::move(answer.response), bytes_max);
    co_return read_embeddings(from, text, count, key);
}

/** Puts the vectors of one request behind those of the requests before it. */
void append(embeddings& all, embedding_reply more, const std::string& where)
{
    if (!all.vectors.empty() && all.vectors.front().size() != more.vectors.front().size()) {
        model_failure failure;
        failure.phase = model_phase::response;
        failure.detail = "vectors of " + std::to_string(all.vectors.front().size()) + " and of " +
                         std::to_string(more.vectors.front().size()) + " numbers came for texts of one call";
        throw model_error{where, std::move(failure)};
    }
    all.usage += more.usage;
    all.vectors.insert(all.vectors.end(), std::make_move_iterator(more.vectors.begin()),
                       std::make_move_iterator(more.vectors.end()));
}

}  // namespace

http_request written_embedding_request(const provider& from, const url& target, std::string body,
                                       const secret_string& key)
{
    http_request out{"POST", target};
    for (const auto& [name, value] : from.how.headers) out.header(name, value);
    if (!key.empty()) out.secret(from.how.key_header, key, from.how.key_prefix);
    if (from.options.timeouts) out.timeouts(*from.options.timeouts);
    out.body(std::move(body), "application/json");
    return out;
}

task<embeddings> ask_embeddings(std::shared_ptr<const embedding_provider> from, std::vector<std::string> texts)
{
    embeddings all;
    const std::vector<std::size_t> batches = batches_of(texts, from->limits);
    std::size_t first = 0;
    for (const std::size_t count : batches) {
        const embedding_request request{from->from.options.model, std::span{texts}.subspan(first, count),
                                        from->expected.dimensions};
        std::string body = from->wire.write(request);
        embedding_reply more = co_await ask_once(*from, std::move(body), count);
        append(all, std::move(more), from->from.label);
        first += count;
    }
    co_return all;
}

}  // namespace weft::model_detail
