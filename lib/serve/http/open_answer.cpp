#include "open_answer.hpp"

#include <weft/async/wait/with_stop.hpp>
#include <weft/net/server/http_error.hpp>

#include <exception>
#include <stop_token>
#include <utility>

namespace weft::serve_detail {

void forbid_buffering(http_headers& headers)
{
    headers.set("Cache-Control", "no-store");
    headers.set("X-Accel-Buffering", "no");
}

task<void> answer_while_allowed(access_watch& watch, api_call& call, task<void> work, last_word_function last_word)
{
    if (!call.by().can_end()) {
        co_await std::move(work);
        co_return;
    }
    std::stop_source source;
    const std::unique_ptr<access_watch::place> place =
        watch.enter(call.by(), [source](const std::string&) mutable { source.request_stop(); });
    std::exception_ptr failure;
    try {
        co_await with_stop(std::move(work), source.get_token());
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) co_return;
    if (place->why().empty() || call.http().is_gone()) std::rethrow_exception(failure);
    if (!call.http().has_answered()) {
        http_error refused{401, "unauthenticated", place->why()};
        refused.header("WWW-Authenticate", "Bearer");
        throw refused;
    }
    if (call.http().is_streaming()) co_await call.http().end_stream(last_word(place->why()));
}

}  // namespace weft::serve_detail
