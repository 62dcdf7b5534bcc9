#include "mcp_http.hpp"

#include "call_stream.hpp"
#include "mcp_http_check.hpp"
#include "stream_writer.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/base/text/base64.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/tool/mcp_server/mcp_refusals.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace weft::mcp_detail {

namespace {

using boost::json::object;

task<void> refuse(http_call& call, std::optional<json_rpc_id> id, http_refusal why)
{
    return reply_rpc(call, why.status, json_rpc_message::error(std::move(id), std::move(why.why)));
}

task<void> reply_accepted(http_call& call)
{
    http_reply accepted;
    accepted.status = 202;
    return call.reply(std::move(accepted));
}

http_refusal refused_in_session(int status, std::string message)
{
    return {status, json_rpc_error{json_rpc_code::invalid_request, std::move(message), nullptr}};
}

/** A key that no stream of another loop or process has. */
std::string new_stream_key(serial_loop& loop)
{
    std::string bytes;
    for (std::uint64_t left = loop.random().next(); bytes.size() < sizeof left; left >>= 8)
        bytes.push_back(static_cast<char>(left & 0xff));
    return to_hex(bytes);
}

/** One request over HTTP, from its head to its answer. */
class http_exchange {
public:
    http_exchange(std::shared_ptr<mcp_core> core, http_call& call, mcp_caller caller)
        : core_{std::move(core)}, call_{call}, caller_{std::move(caller)}
    {
    }

    task<void> post();
    task<void> get();
    task<void> end_session();

private:
    [[nodiscard]] stream_manner manner_of(mcp_era era) const
    {
        stream_manner how;
        how.era = era;
        how.is_resumable = era == mcp_era::legacy;
        how.heartbeat = core_->options.heartbeat;
        how.retry = core_->options.retry;
        return how;
    }
    [[nodiscard]] std::shared_ptr<call_stream> new_stream(std::string key) const
    {
        return std::make_shared<call_stream>(core_->loop(), std::move(key), core_->options.unread_max);
    }
    task<void> take_message(json_rpc_message message);
    task<void> answer_modern(json_rpc_message request);
    task<void> open_session(json_rpc_message request);
    task<void> answer_in_session(std::shared_ptr<server_session> session, json_rpc_message request);
    /** Null: it was refused. */
    task<std::shared_ptr<server_session>> session_of_call(std::optional<json_rpc_id> id);
    task<void> listen(std::shared_ptr<server_session> session);
    task<void> resume(std::shared_ptr<server_session> session, std::string event);
    static void keep_stream(const mcp_core& core, server_session& in, const std::shared_ptr<call_stream>& made);

    std::shared_ptr<mcp_core> core_;
    http_call& call_;
    mcp_caller caller_;
};

task<void> http_exchange::post()
{
    std::optional<http_refusal> wrong = check_post_head(call_.headers());
    if (wrong) co_return co_await refuse(call_, std::nullopt, std::move(*wrong));
    const std::string body = co_await call_.read_body(core_->options.message_bytes_max);
    std::optional<json_rpc_message> message;
    std::optional<http_refusal> unreadable;
    try {
        message.emplace(json_rpc_message::parse(body));
    } catch (const error& e) {
        if (e.code() != errc::invalid_json && e.code() != errc::invalid_mcp_message) throw;
        const bool is_json = e.code() == errc::invalid_mcp_message;
        unreadable = http_refusal{400, {is_json ? json_rpc_code::invalid_request : json_rpc_code::parse_error,
                                        e.what(), nullptr}};
    }
    if (unreadable) co_return co_await refuse(call_, std::nullopt, std::move(*unreadable));
    co_await take_message(std::move(*message));
}

task<void> http_exchange::take_message(json_rpc_message message)
{
    const bool is_request = message.what() == json_rpc_message::kind::request;
    if (!message.is_answer() && era_of(call_.headers(), message) == mcp_era::modern) {
        // On HTTP the modern era has no notifications of clients that mean anything.
        if (is_request) co_return co_await answer_modern(std::move(message));
        co_return co_await reply_accepted(call_);
    }
    if (is_request && message.method() == "initialize") co_return co_await open_session(std::move(message));
    std::optional<json_rpc_id> id;
    if (is_request) id = message.id();
    std::shared_ptr<server_session> session = co_await session_of_call(std::move(id));
    if (!session) co_return;
    if (is_request) co_return co_await answer_in_session(std::move(session), std::move(message));
    // For the refusal; the message goes with the call.
    std::optional<json_rpc_id> answered = message.is_answer() ? message.id() : std::nullopt;
    const bool is_taken = co_await core_->take(std::move(session), std::move(message));
    if (is_taken) co_return co_await reply_accepted(call_);
    const std::string which = answered ? text_of(*answered) : "without an id";
    http_refusal stale = refused_in_session(400, "stale_answer: no question waits for the answer " + which);
    co_await refuse(call_, std::nullopt, std::move(stale));
}

/** Stops the call when its client goes away: that is how the modern era cancels. */
class cancel_when_gone {
public:
    cancel_when_gone(std::shared_ptr<served_call> call, mcp_on_disconnect how) noexcept
        : call_{std::move(call)}, how_{how}
    {
    }
    ~cancel_when_gone()
    {
        if (!call_) return;
        if (how_ == mcp_on_disconnect::cancel) call_->cancel();
        else call_->stop();
    }
    cancel_when_gone(const cancel_when_gone&) = delete;
    cancel_when_gone& operator=(const cancel_when_gone&) = delete;
    void is_answered() noexcept { call_.reset(); }

private:
    std::shared_ptr<served_call> call_;
    mcp_on_disconnect how_;
};

task<void> http_exchange::answer_modern(json_rpc_message request)
{
    modern_request read = read_modern_request(request, &call_.headers());
    if (!read.refused && request.method() == "tools/call")
        if (const offered_tool* const tool = core_->offer.tool(peek_text(request.params(), "name")))
            read.refused = check_argument_headers(call_.headers(), tool->definition.headers, request);
    if (read.refused) co_return co_await refuse(call_, request.id(), std::move(*read.refused));
    // Without a key: what is lost with the connection is lost.
    const auto stream = new_stream({});
    cancel_when_gone guard{
        core_->begin(std::move(request), {std::move(read.client), std::move(caller_), nullptr, stream}),
                           core_->options.on_disconnect};
    stream_writer writer{call_, stream, manner_of(mcp_era::modern)};
    const bool is_answered = co_await writer.answer_at_once(core_->loop(), core_->options.stream_after);
    if (!is_answered) co_await writer.write_all(core_->loop());
    guard.is_answered();
}

task<void> http_exchange::open_session(json_rpc_message request)
{
    std::optional<http_refusal> refused;
    mcp_peer client;
    try {
        client = read_initialize(request.params());
    } catch (const mcp_rejection& wrong) {
        refused = http_refusal{400, wrong.why()};
    }
    if (refused) co_return co_await refuse(call_, request.id(), std::move(*refused));
    object said = greeting(*core_, client);
    const std::shared_ptr<server_session> session = co_await core_->sessions.open(std::move(client), caller_);
    http_headers headers;
    headers.set("Mcp-Session-Id", session->id);
    co_await reply_rpc(call_, 200, json_rpc_message::result(*request.id(), std::move(said)), std::move(headers));
}

task<std::shared_ptr<server_session>> http_exchange::session_of_call(std::optional<json_rpc_id> id)
{
    const auto named = call_.headers().find("mcp-session-id");
    std::optional<http_refusal> refused;
    std::shared_ptr<server_session> session;
    const bool is_named = named && !named->empty();
    if (!is_named) refused = refused_in_session(400, "Mcp-Session-Id: is required; begin with initialize");
    else refused = check_legacy_version(call_.headers());
    if (!refused) session = co_await core_->sessions.find(std::string{*named}, caller_);
    if (!refused && !session) refused = refused_in_session(404, "Session not found: begin again with initialize");
    if (refused) co_await refuse(call_, std::move(id), std::move(*refused));
    co_return session;
}

/** Keeps the stream of a call for a client that comes back; of those that are over, the last ones. */
void http_exchange::keep_stream(const mcp_core& core, server_session& in, const std::shared_ptr<call_stream>& made)
{
    in.streams.insert_or_assign(made->key(), made);
    in.finished.push_back(made->key());
    const std::size_t streams_max = core.options.streams_kept_max;
    // Once round: streams of calls under way stay, however many they are.
    for (std::size_t left = in.finished.size(); left > 0 && in.finished.size() > streams_max; --left) {
        std::string oldest = std::move(in.finished.front());
        in.finished.pop_front();
        const auto found = in.streams.find(oldest);
        if (found == in.streams.end()) continue;
        if (found->second->is_over()) in.streams.erase(found);
        else in.finished.push_back(std::move(oldest));
    }
}

task<void> http_exchange::answer_in_session(std::shared_ptr<server_session> session, json_rpc_message request)
{
    const auto stream = new_stream(new_stream_key(core_->loop()));
    core_->begin(std::move(request), {{}, std::move(caller_), session, stream});
    stream_writer writer{call_, stream, manner_of(mcp_era::legacy)};
    const bool is_answered = co_await writer.answer_at_once(core_->loop(), core_->options.stream_after);
    if (is_answered) co_return;  // and there is nothing to come back for
    // Its handler has named it by now, if it ever does.
    keep_stream(*core_, *session, stream);
    co_await writer.write_all(core_->loop());
}

task<void> http_exchange::get()
{
    const auto accepts = call_.headers().find("accept").value_or("*/*");
    const bool takes_stream = accepts.find("text/event-stream") != accepts.npos || accepts.find("*/*") != accepts.npos;
    if (!takes_stream)
        co_return co_await refuse(call_, std::nullopt, refused_in_session(406, "Accept: expected text/event-stream"));
    const auto version = call_.headers().find("mcp-protocol-version");
    const bool is_modern = version && std::find(mcp_modern_versions.begin(), mcp_modern_versions.end(), *version) !=
                                          mcp_modern_versions.end();
    const bool has_session = call_.headers().contains("mcp-session-id");
    if (is_modern || !has_session) {
        http_reply refused{405, "only sessions of the legacy era listen here\n"};
        refused.headers.set("Allow", "POST");
        co_return co_await call_.reply(std::move(refused));
    }
    std::shared_ptr<server_session> session = co_await session_of_call(std::nullopt);
    if (!session) co_return;
    const auto event = call_.headers().find("last-event-id");
    // A client that comes back reads on where it was; another one listens to what belongs to no request.
    if (event && !event->empty()) co_return co_await resume(std::move(session), std::string{*event});
    co_await listen(std::move(session));
}

/** The stream for what belongs to no request. */
task<void> http_exchange::listen(std::shared_ptr<server_session> session)
{
    if (!session->listening) {
        session->listening = new_stream("s" + new_stream_key(core_->loop()));
        session->standalone = session->listening;
        session->streams.insert_or_assign(session->listening->key(), session->listening);
    }
    stream_writer writer{call_, session->listening, manner_of(mcp_era::legacy)};
    co_await writer.write_all(core_->loop());
}

task<void> http_exchange::resume(std::shared_ptr<server_session> session, std::string event)
{
    const std::size_t dot = event.rfind('.');
    const std::string key = event.substr(0, dot);
    const std::string mark = dot == event.npos ? std::string{} : event.substr(dot + 1);
    stream_manner how = manner_of(mcp_era::legacy);
    const auto found = session->streams.find(key);
    std::shared_ptr<call_stream> stream = found == session->streams.end() ? nullptr : found->second;
    const std::optional<std::uint64_t> known = stream ? stream->number_of(mark) : std::nullopt;
    if (stream && !known)
        co_return co_await refuse(call_, std::nullopt, refused_in_session(404, "Last-Event-ID: those events are gone"));
    if (!stream) {
        std::optional<json_rpc_message> request;
        if (core_->options.revive) request = co_await core_->options.revive(caller_, session->id, key);
        http_refusal unknown = refused_in_session(404, "Last-Event-ID: there is no such stream");
        if (!request) co_return co_await refuse(call_, std::nullopt, std::move(unknown));
        stream = new_stream(key);
        stream->begins_behind(mark);
        core_->begin(std::move(*request), {{}, std::move(caller_), session, stream, key, mark});
        keep_stream(*core_, *session, stream);
    }
    how.after = known.value_or(0);
    how.is_resumed = true;
    stream_writer writer{call_, stream, how};
    co_await writer.write_all(core_->loop());
}

task<void> http_exchange::end_session()
{
    if (!call_.headers().contains("mcp-session-id")) {
        http_reply refused{405, "only sessions of the legacy era end here\n"};
        refused.headers.set("Allow", "POST");
        co_return co_await call_.reply(std::move(refused));
    }
    std::shared_ptr<server_session> session = co_await session_of_call(std::nullopt);
    if (!session) co_return;
    co_await core_->sessions.close(std::move(session));
    http_reply gone;
    gone.status = 204;
    co_await call_.reply(std::move(gone));
}

}  // namespace

task<void> serve_http(std::shared_ptr<mcp_core> core, http_call& call, mcp_caller caller)
{
    serial_loop& loop = co_await this_task::loop();
    core->bind(loop);
    const mcp_server_options& options = core->options;
    if (auto wrong = check_caller_of(call.head(), options.allowed_hosts, options.allowed_origins))
        co_return co_await refuse(call, std::nullopt, std::move(*wrong));
    http_exchange exchange{std::move(core), call, std::move(caller)};
    const std::string_view method = call.method();
    if (method == "POST") co_return co_await exchange.post();
    if (method == "GET") co_return co_await exchange.get();
    if (method == "DELETE") co_return co_await exchange.end_session();
    http_reply refused{405, "POST, GET or DELETE\n"};
    refused.headers.set("Allow", "POST, GET, DELETE");
    co_await call.reply(std::move(refused));
}

}  // namespace weft::mcp_detail
