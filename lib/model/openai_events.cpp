#include "openai_events.hpp"

#include <weft/base/error.hpp>
#include <weft/net/sse_parser.hpp>

#include <optional>
#include <string_view>
#include <utility>

namespace weft::model_detail {

namespace {

/** Gives the stream all events that are there. @return False when nothing of interest can follow. */
bool feed_all(sse_parser& parser, openai_stream& stream, chat_sink& sink)
{
    while (const sse_event* event = parser.next())
        if (!stream.feed(*event, sink)) return false;
    return true;
}

/** Reads what little may follow a reply, so that the connection can serve another one. */
task<std::optional<error>> drained(http_response& response)
{
    std::optional<error> failure;
    try {
        co_await response.drain();
    } catch (const error& e) {
        failure = e;
    }
    co_return failure;
}

}  // namespace

task<chat_reply> read_events(http_response response, openai_stream stream, chat_sink& sink)
{
    sse_parser parser{{.dialect = sse_dialect::llm}};
    std::optional<error> failure;
    bool goes_on = true;
    while (goes_on) {
        std::string_view bytes;
        try {
            const std::string_view read = co_await response.read_some();
            bytes = read;
        } catch (const error& e) {
            failure = e;
        }
        if (bytes.empty()) break;
        parser.feed(bytes);
        goes_on = feed_all(parser, stream, sink);
        if (parser.has_failed()) co_return stream.finish_after(parser.failure("event stream"));
        const bool is_full = sink.is_full();
        if (is_full) co_await sink.wait_for_room();
    }
    if (!goes_on) {
        std::optional<error> late = co_await drained(response);
        failure = std::move(late);
    } else if (const sse_event* rest = parser.finish()) {
        stream.feed_last(*rest, sink);  // the last event of some servers lacks its blank line
    }
    if (failure) co_return stream.finish_after(*failure);
    co_return stream.finish(parser.raw_json());
}

}  // namespace weft::model_detail
