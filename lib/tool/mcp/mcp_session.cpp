#include "mcp_session.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>

#include "mcp_read.hpp"

#include <algorithm>
#include <utility>

namespace weft::mcp_detail {

namespace {

using boost::json::object;
using boost::json::value;

/** How long to wait before a request is made again that the server put off. */
constexpr retry_policy put_off{.attempts_max = 0,
                               .initial = std::chrono::milliseconds{500},
                               .factor = 2.0,
                               .delay_max = std::chrono::seconds{10},
                               .jitter = jitter::full};

}  // namespace

mcp_session::mcp_session(std::unique_ptr<mcp_transport> transport, const mcp_client_options& options)
    : options_{options}, connection_{std::move(transport), options}
{
    mcp_connection::observer watching;
    watching.notified = [this](const json_rpc_message& notification) { notified(notification); };
    watching.forget = [this] { forget_all(); };
    connection_.observe(std::move(watching));
}

void mcp_session::forget_all()
{
    ++changes_;
    tools.forget();
    resources.forget();
    templates.forget();
    prompts.forget();
}

void mcp_session::notified(const json_rpc_message& notification)
{
    const std::string& method = notification.method();
    if (method == "notifications/tools/list_changed")
        list_changed(mcp_list::tools);
    else if (method == "notifications/resources/list_changed")
        list_changed(mcp_list::resources);
    else if (method == "notifications/prompts/list_changed")
        list_changed(mcp_list::prompts);
    else if (method == "notifications/message" && options_.on_log)
        options_.on_log(read_log_line(notification.params()));
    else if (method == "notifications/resources/updated" && options_.on_resource_updated)
        options_.on_resource_updated(peek_text(notification.params(), "uri"));
}

void mcp_session::list_changed(mcp_list which)
{
    ++changes_;
    if (which == mcp_list::tools) tools.forget();
    if (which == mcp_list::prompts) prompts.forget();
    if (which == mcp_list::resources) {
        resources.forget();
        templates.forget();
    }
    if (options_.on_list_changed) options_.on_list_changed(which);
}

void mcp_session::require(const char* capability) const
{
    if (connection_.agreement().offers(capability)) return;
    throw mcp_error{errc::mcp_unsupported, connection_.transport().label(),
                    std::string{"the server has no '"} + capability + "'"};
}

task<object> mcp_session::ask_once(std::string method, object params, headers arguments, mcp_call_options options)
{
    connection_request request{std::move(method), std::move(params)};
    const mcp_agreement& agreed = connection_.agreement();
    if (agreed.era == mcp_era::modern && connection_.transport().wire() == mcp_wire::http)
        request.headers = std::move(arguments);
    request.limits.quiet_max = options.timeout.value_or(options_.timeout);
    request.limits.total_max = options.timeout_max;
    request.limits.on_progress = options.on_progress;
    value result = co_await connection_.ask(std::move(request));
    object* answer = result.if_object();
    if (!answer)
        throw mcp_error{errc::invalid_mcp_message, connection_.transport().label(), "the result is no object"};
    co_return std::move(*answer);
}

/** As `ask_once`, and again where a lost answer may be asked for again: the server has forgotten the session and did
 *  not carry the request out, or the call is repeatable. */
task<object> mcp_session::attempt(std::string method, object params, headers arguments, mcp_call_options options)
{
    for (bool is_second = false;; is_second = true) {
        co_await connection_.connect();
        const int generation = connection_.generation();
        std::exception_ptr failure;
        bool may_repeat = false;
        try {
            object answer = co_await ask_once(method, params, arguments, options);
            co_return answer;
        } catch (const mcp_error& e) {
            if (e.session_is_gone() && generation == connection_.generation()) connection_.lose(e);
            may_repeat = e.session_is_gone();
            failure = std::current_exception();
        } catch (const error& e) {
            may_repeat = options.is_repeatable &&
                         (e.code() == errc::connection_lost || e.code() == errc::response_truncated);
            failure = std::current_exception();
        }
        if (is_second || !may_repeat) std::rethrow_exception(failure);
    }
}

/** The parameters of the next round: the handlers answer what the server asked. */
task<object> mcp_session::next_round(const mcp_rounds& asked)
{
    std::vector<mcp_rounds::answer> answers;
    for (const mcp_input_request& request : asked.requests()) {
        value answer = co_await connection_.served().handle(request.method, request.params);
        answers.emplace_back(request.key, std::move(answer));
    }
    if (answers.empty()) {
        const int attempt = static_cast<int>(asked.rounds()) + 1;
        co_await sleep_for(put_off.delay_before(attempt, connection_.loop()->random().uniform()));
    }
    co_return asked.next(std::move(answers));
}

task<object> mcp_session::rounds(std::string method, object params, headers arguments, mcp_call_options options)
{
    mcp_rounds asked{params, options_.limits.rounds_max};
    for (;;) {
        object answer = co_await attempt(method, std::move(params), arguments, options);
        if (connection_.agreement().era == mcp_era::legacy) co_return answer;
        const bool is_complete = asked.take(answer);
        if (is_complete) co_return answer;
        object again = co_await next_round(asked);
        params = std::move(again);
    }
}

task<object> mcp_session::request(std::string method, object params, mcp_call_options options)
{
    object answer = co_await rounds(std::move(method), std::move(params), headers{}, std::move(options));
    co_return answer;
}

task<std::vector<value>> mcp_session::pages(std::string method, std::string member, std::optional<time_point>& expires)
{
    std::vector<value> items;
    std::set<std::string> seen;
    std::optional<std::string> cursor;
    const mcp_limits& limits = options_.limits;
    const std::string& label = connection_.transport().label();
    for (std::size_t page = 1;; ++page) {
        object params;
        if (cursor) params["cursor"] = *cursor;
        mcp_call_options careful;
        careful.is_repeatable = true;
        object answer = co_await rounds(method, std::move(params), headers{}, std::move(careful));
        if (boost::json::value* given = answer.if_contains(member); given && given->is_array())
            std::move(given->get_array().begin(), given->get_array().end(), std::back_inserter(items));
        if (const auto lives = peek_number(answer, "ttlMs"); lives && *lives >= 0) {
            // A day at most: what a server means by a century is not known.
            const auto until = connection_.loop()->now() +
                               std::chrono::milliseconds{static_cast<std::int64_t>(std::min(*lives, 86'400'000.0))};
            expires = expires ? std::min(*expires, until) : until;
        }
        if (items.size() > limits.items_max)
            throw error{errc::limit_reached, label,
                        method + ": more than " + std::to_string(limits.items_max) + " items"};
        const value* next = peek_member(answer, "nextCursor");
        if (!next || !next->is_string()) co_return items;
        cursor = std::string{next->get_string()};
        if (!seen.insert(*cursor).second)
            throw error{errc::invalid_mcp_message, label, method + ": a cursor came twice, so the pages never end"};
        if (page >= limits.pages_max)
            throw error{errc::limit_reached, label,
                        method + ": more than " + std::to_string(limits.pages_max) + " pages"};
    }
}

/** What is known of a tool. Over HTTP in the modern era it has to be known, for the headers. */
task<const mcp_tool*> mcp_session::definition_of(std::string name, mcp_client::list<mcp_tool>& keeps)
{
    const bool is_needed = connection_.agreement().era == mcp_era::modern &&
                           connection_.transport().wire() == mcp_wire::http;
    keeps = tools.items;
    if (!keeps && is_needed) {
        const list_request<mcp_tool> how{"tools", "tools/list", "tools", &read_tool};
        mcp_client::list<mcp_tool> asked = co_await list(how, tools);
        keeps = std::move(asked);
    }
    if (!keeps) co_return nullptr;
    const auto found = std::find_if(keeps->begin(), keeps->end(), [&](const mcp_tool& t) { return t.name == name; });
    co_return found == keeps->end() ? nullptr : &*found;
}

task<object> mcp_session::call_defined(object params, const mcp_tool* tool, mcp_call_options options)
{
    headers extra;
    if (tool) extra = tool->headers.of(params.at("arguments").get_object());
    object answer = co_await rounds("tools/call", std::move(params), std::move(extra), std::move(options));
    co_return answer;
}

task<mcp_call_result> mcp_session::call_tool(std::string name, object arguments, mcp_call_options options)
{
    co_await connection_.connect();
    require("tools");
    object params{{"name", name}, {"arguments", std::move(arguments)}};
    if (!options.meta.empty()) params["_meta"] = std::move(options.meta);
    std::optional<object> answer;
    mcp_client::list<mcp_tool> known;
    for (bool is_second = false; !answer; is_second = true) {
        const mcp_tool* const tool = co_await definition_of(name, known);
        std::exception_ptr failure;
        try {
            object given = co_await call_defined(params, tool, options);
            answer = std::move(given);
        } catch (const mcp_error& e) {
            // The headers of a definition that is not the server's any more: ask for the new one, once.
            if (e.rpc_code() != json_rpc_code::header_mismatch || is_second) throw;
            failure = std::current_exception();
        }
        if (failure) tools.forget();
    }
    const mcp_tool* const tool = co_await definition_of(name, known);
    mcp_call_result result = read_call_result(*answer);
    if (tool && tool->output_check && !result.is_error) {
        const auto mistakes = tool->output_check->mistakes(result.structured);
        if (!mistakes.empty())
            throw mcp_error{errc::invalid_mcp_message, connection_.transport().label(),
                            "the result of '" + name + "' does not follow its output schema: " + text_of(mistakes)};
    }
    co_return result;
}

}  // namespace weft::mcp_detail
