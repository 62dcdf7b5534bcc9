#include <weft/tool/mcp/mcp_http_transport.hpp>

#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/net/sse_parser.hpp>
#include <weft/tool/mcp/mcp_headers.hpp>

#include "mcp_http_replies.hpp"
#include "tool/oauth/oauth_session.hpp"
#include "tool/rpc/broken_message.hpp"
#include "tool/rpc/mcp_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace weft {

namespace {

using mcp_detail::reply_kind;

constexpr std::size_t refusal_bytes_max = 64 * 1024;
constexpr std::chrono::nanoseconds resume_delay_max = std::chrono::minutes{5};
/** The caller that waits for an answer limits the time; between two bytes of a stream there is no other limit. */
constexpr std::chrono::nanoseconds silence_max = std::chrono::hours{24};

/** One stream of the server across the connections that it takes: which answer it is for, and where it stands. */
struct stream_place {
    explicit stream_place(std::optional<json_rpc_id> answer_to) : wanted{std::move(answer_to)} {}

    std::optional<json_rpc_id> wanted;
    std::string version;  // empty in the modern era, in which a stream cannot be taken up again
    bool is_answered = false;
    bool has_news = false;  // something came on this connection
    std::string last_id;
    std::optional<std::chrono::milliseconds> retry;
    int failures = 0;
};

class http_transport final : public mcp_transport {
public:
    http_transport(http_client client, mcp_endpoint endpoint)
        : client_{std::move(client)}, endpoint_{std::move(endpoint)}, target_{endpoint_.url}, label_{target_.endpoint()}
    {
        // Refuses now what no request could send.
        http_request first = make_request("POST", {}, {});
        if (!endpoint_.token.empty()) first.bearer(endpoint_.token);
        if (!endpoint_.oauth) return;
        if (!endpoint_.token.empty())
            throw error{errc::invalid_configuration, label_, "give it either a `token` or `oauth`"};
        oauth_ = std::make_unique<tool_detail::oauth_session>(*endpoint_.oauth, target_);
    }

    mcp_wire wire() const noexcept override { return mcp_wire::http; }
    const std::string& label() const noexcept override { return label_; }
    task<void> open() override;
    task<void> listen(mcp_inbox& inbox, mcp_agreement agreement) override;
    task<void> send(mcp_inbox& inbox, mcp_outgoing message) override;
    task<void> close(mcp_agreement agreement) override;
    bool renews_credentials() const noexcept override { return oauth_ != nullptr; }
    task<bool> renew_credentials(mcp_refusal said) override;

private:
    /** A response, and the token that its request bore. */
    struct exchange {
        http_response response;
        tool_detail::numbered_token bore;
    };

    http_request make_request(std::string method, const std::string& version, const std::string& session) const;
    http_request make_post(const mcp_outgoing& message) const;
    task<exchange> send_with_token(http_request request) const;
    task<void> refuse(exchange refused, bool has_session) const;
    task<void> take_document(http_response response, mcp_inbox& inbox, stream_place place) const;
    task<void> follow(http_response first, mcp_inbox& inbox, stream_place place);
    task<void> read_stream(http_response response, mcp_inbox& inbox, stream_place& place) const;
    task<std::optional<http_response>> take_up(const stream_place& place) const;
    task<void> say_goodbye(std::string version) const;
    void take_message(std::string_view text, mcp_inbox& inbox, stream_place& place) const;
    void take_event(const sse_event& event, mcp_inbox& inbox, stream_place& place) const;
    std::chrono::nanoseconds delay_of(const stream_place& place) const;

    http_client client_;
    mcp_endpoint endpoint_;
    url target_;
    std::string label_;
    std::string session_;
    std::unique_ptr<tool_detail::oauth_session> oauth_;  // null: the token is the endpoint's, or there is none
};

http_request http_transport::make_request(std::string method, const std::string& version,
                                          const std::string& session) const
{
    http_request out{std::move(method), target_};
    for (const auto& [name, value] : endpoint_.headers) out.header(name, value);
    if (!version.empty()) out.header("MCP-Protocol-Version", version);
    if (!session.empty()) out.header("Mcp-Session-Id", session);
    out.timeouts({.first_byte = silence_max, .gap = silence_max});
    return out;
}

http_request http_transport::make_post(const mcp_outgoing& message) const
{
    const bool is_modern = message.era == mcp_era::modern;
    http_request out = make_request("POST", message.version, is_modern ? std::string{} : session_);
    out.header("Accept", "application/json, text/event-stream");
    if (is_modern) {
        for (const auto& [name, value] : mcp_request_headers(message.message.method(), message.message.params()))
            out.header(name, value);
        for (const auto& [name, value] : message.headers) out.header(name, value);
    }
    out.body(message.message.text(), "application/json");
    return out;
}

/** Sends a request with the token that counts now. */
task<http_transport::exchange> http_transport::send_with_token(http_request request) const
{
    tool_detail::numbered_token token{endpoint_.token};
    if (oauth_) {
        tool_detail::numbered_token current = co_await oauth_->current();
        token = std::move(current);
    }
    if (!token.text.empty()) request.bearer(token.text);
    http_response response = co_await client_.send(std::move(request));
    const bool is_refused = response.status() == 401 || response.status() == 403;
    if (oauth_ && !is_refused) oauth_->on_accepted(token.number);
    co_return exchange{std::move(response), std::move(token)};
}

task<bool> http_transport::renew_credentials(mcp_refusal said)
{
    return oauth_->renew(said.token_number, said.http_status, std::move(said.challenge));
}

task<void> http_transport::open()
{
    session_.clear();
    co_return;
}

task<void> http_transport::send(mcp_inbox& inbox, mcp_outgoing message)
{
    http_request request = make_post(message);
    const bool has_session = message.era == mcp_era::legacy && !session_.empty();
    exchange sent = co_await send_with_token(std::move(request));
    if (!sent.response.head().is_success()) {
        co_await refuse(std::move(sent), has_session);
        co_return;
    }
    http_response response = std::move(sent.response);
    const http_response_head& head = response.head();
    const bool is_request = message.message.what() == json_rpc_message::kind::request;
    if (message.message.method() == "initialize") session_ = mcp_detail::session_of(head).value_or("");
    if (!is_request) {
        const bool is_at_end = co_await response.drain();
        static_cast<void>(is_at_end);
        co_return;
    }
    stream_place place{message.message.id()};
    if (message.era == mcp_era::legacy) place.version = message.version;
    switch (mcp_detail::kind_of(head)) {
    case reply_kind::document: co_await take_document(std::move(response), inbox, std::move(place)); break;
    case reply_kind::stream: co_await follow(std::move(response), inbox, std::move(place)); break;
    case reply_kind::nothing:
        throw mcp_error{errc::invalid_mcp_message, label_, "the server accepted a request and did not answer it"};
    case reply_kind::wrong: throw mcp_detail::wrong_reply(head, label_);
    }
}

task<void> http_transport::refuse(exchange refused, bool has_session) const
{
    const http_response_head head = refused.response.head();
    std::string body;
    try {
        std::string beginning = co_await refused.response.read_at_most(refusal_bytes_max);
        body = std::move(beginning);
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
    }
    mcp_error refusal = mcp_detail::refusal_of(head, body, refused.bore.text, label_, has_session);
    refusal.mark_token(refused.bore.number);
    throw mcp_error{refusal};
}

task<void> http_transport::take_document(http_response response, mcp_inbox& inbox, stream_place place) const
{
    const std::string body = co_await response.read_all(endpoint_.message_bytes_max);
    std::optional<std::string> why;
    try {
        take_message(body, inbox, place);
    } catch (const error& e) {
        if (e.code() != errc::invalid_json && e.code() != errc::invalid_mcp_message) throw;
        why = e.what();
    }
    if (!why && !place.is_answered) why = "the answer is for another request";
    if (why) throw mcp_error{errc::invalid_mcp_message, label_, *why};
}

void http_transport::take_message(std::string_view text, mcp_inbox& inbox, stream_place& place) const
{
    json_rpc_message message = json_rpc_message::parse(text);
    if (message.is_answer() && place.wanted && (message.id() == place.wanted || !message.id())) {
        place.is_answered = true;
        // An error without an id is about the one request that this is the reply to.
        if (!message.id()) message = json_rpc_message::error(place.wanted, message.why());
    }
    inbox.on_message(std::move(message));
}

void http_transport::take_event(const sse_event& event, mcp_inbox& inbox, stream_place& place) const
{
    place.has_news = true;
    // Events without data carry an id to take the stream up from.
    if (event.data.empty() || event.type != "message") return;
    std::optional<error> why;
    try {
        take_message(event.data, inbox, place);
    } catch (const error& e) {
        if (e.code() != errc::invalid_json && e.code() != errc::invalid_mcp_message) throw;
        why = e;
    }
    if (!why) return;
    if (place.wanted && mcp_detail::answered_id(event.data) == place.wanted) {
        place.is_answered = true;
        return inbox.on_broken_answer(*place.wanted, mcp_detail::unreadable_answer(label_, *why));
    }
    inbox.on_noise(label_ + ": dropped an event: " + why->what());
}

/** Reads one connection of a stream: to the answer, or to its end, which the wire may have brought about. */
task<void> http_transport::read_stream(http_response response, mcp_inbox& inbox, stream_place& place) const
{
    sse_options options;
    options.line_bytes_max = endpoint_.message_bytes_max;
    options.event_bytes_max = endpoint_.message_bytes_max;
    sse_parser parser{options};
    place.has_news = false;
    while (!place.is_answered) {
        std::string_view bytes;
        try {
            const std::string_view piece = co_await response.read_some();
            bytes = piece;
        } catch (const error& e) {
            if (e.code() != errc::response_truncated && e.code() != errc::connection_lost &&
                e.code() != errc::gap_timeout)
                throw;
        }
        if (bytes.empty()) break;
        parser.feed(bytes);
        while (const sse_event* event = parser.next()) take_event(*event, inbox, place);
        if (parser.has_failed()) throw parser.failure(label_);
    }
    if (!parser.last_event_id().empty()) place.last_id = parser.last_event_id();
    if (parser.retry()) place.retry = parser.retry();
    if (place.is_answered) {
        const bool is_at_end = co_await response.drain();
        static_cast<void>(is_at_end);
    }
}

std::chrono::nanoseconds http_transport::delay_of(const stream_place& place) const
{
    std::chrono::nanoseconds delay = endpoint_.resume_delay;
    if (place.retry) delay = *place.retry;
    for (int i = 1; i < place.failures && delay < resume_delay_max; ++i) delay *= 2;
    return std::min(delay, resume_delay_max);
}

/** Reads the stream of a request until its answer, over as many connections as it takes. */
task<void> http_transport::follow(http_response first, mcp_inbox& inbox, stream_place place)
{
    std::optional<http_response> response{std::move(first)};
    for (;;) {
        if (response) {
            http_response reading = std::move(*response);
            response.reset();
            co_await read_stream(std::move(reading), inbox, place);
            if (place.has_news) place.failures = 0;
        }
        if (place.is_answered) co_return;
        if (place.version.empty() || place.last_id.empty() || ++place.failures > endpoint_.resumes_max)
            throw error{errc::response_truncated, label_,
                        "the stream ended before the answer; what became of the request is not known"};
        co_await sleep_for(delay_of(place));
        std::optional<http_response> again = co_await take_up(place);
        response = std::move(again);
    }
}

/** Asks for a stream from where it was left. @return Nothing if the wire failed: another attempt may do better. */
task<std::optional<http_response>> http_transport::take_up(const stream_place& place) const
{
    http_request request = make_request("GET", place.version, session_);
    request.header("Accept", "text/event-stream");
    if (!place.last_id.empty()) request.header("Last-Event-ID", place.last_id);
    std::optional<exchange> sent;
    try {
        exchange got = co_await send_with_token(std::move(request));
        sent.emplace(std::move(got));
    } catch (const error& e) {
        if (e.code() == errc::cancelled || e.code() == errc::invalid_configuration || e.code() == errc::address_refused)
            throw;
    }
    if (!sent || sent->response.status() >= 500 || sent->response.status() == 429) co_return std::nullopt;
    if (!sent->response.head().is_success()) {
        co_await refuse(std::move(*sent), !session_.empty());
        co_return std::nullopt;
    }
    if (mcp_detail::kind_of(sent->response.head()) != reply_kind::stream)
        throw mcp_error{errc::invalid_mcp_message, label_, "the server answers a GET with no event stream"};
    co_return std::optional<http_response>{std::move(sent->response)};
}

task<void> http_transport::listen(mcp_inbox& inbox, mcp_agreement agreement)
{
    stream_place place{std::nullopt};
    place.version = agreement.version;
    for (;;) {
        bool is_offered = true;
        try {
            std::optional<http_response> response = co_await take_up(place);
            if (response) {
                co_await read_stream(std::move(*response), inbox, place);
                if (place.has_news) place.failures = 0;
            }
        } catch (const mcp_error& e) {
            // Most servers have no such stream, and say so in one way or another.
            if (e.said().http_status == 0 || e.code() == errc::mcp_unauthorized) throw;
            is_offered = false;
        }
        if (!is_offered) co_return;
        if (++place.failures > endpoint_.resumes_max)
            throw error{errc::connection_lost, label_, "the server ends its stream of messages again and again"};
        co_await sleep_for(delay_of(place));
    }
}

task<void> http_transport::say_goodbye(std::string version) const
{
    http_request request = make_request("DELETE", version, session_);
    exchange sent = co_await send_with_token(std::move(request));
    const bool is_at_end = co_await sent.response.drain();
    static_cast<void>(is_at_end);
}

task<void> http_transport::close(mcp_agreement agreement)
{
    if (agreement.era == mcp_era::modern || session_.empty()) co_return;
    try {
        co_await with_deadline(say_goodbye(agreement.version), endpoint_.close_time_max);
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;  // else: a server may decline, or be gone already
    }
    session_.clear();
}

}  // namespace

std::unique_ptr<mcp_transport> mcp_http(http_client client, mcp_endpoint endpoint)
{
    return std::make_unique<http_transport>(std::move(client), std::move(endpoint));
}

}  // namespace weft
