#pragma once

#include "stream_reader.hpp"

#include <weft/base/error.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/** Bodies of the streams of any provider, read as the driver of all of them does, without a wire. */
namespace piecewise {

/** How a body comes. */
struct pieces {
    std::function<std::size_t()> next_size{};        ///< Of the pieces; all at once if empty.
    std::optional<weft::error> transport_failure{};  ///< How the body ends, if not well.
};

inline constexpr std::string_view secret = "sk-TEST-0123456789abcdef";

inline weft::reply_options reading()
{
    weft::reply_options options;
    options.where = "gpt-x at test";
    options.model = "gpt-x";
    options.request_id = "req_1";
    options.id_seed = 1;
    return options;
}

template <class Parser, class Stream>
weft::chat_reply read_pieces(std::string_view body, Parser& parser, Stream& stream, weft::chat_sink& sink,
                             const pieces& how)
{
    while (!body.empty()) {
        const std::size_t wanted = how.next_size ? how.next_size() : body.size();
        const std::string piece{body.substr(0, wanted)};  // of its own, so that a view into it cannot live on
        body.remove_prefix(piece.size());
        parser.feed(piece);
        while (const weft::sse_event* event = parser.next())
            if (!stream.feed(*event, sink)) return stream.finish();
    }
    if (const weft::sse_event* rest = parser.finish()) stream.feed_last(*rest, sink);
    if (how.transport_failure) return stream.finish_after(*how.transport_failure);
    return stream.finish(parser.raw_json());
}

/** What `read` makes of a sink: a reply or an error, and what the sink saw. */
template <class Read>
outcome observe(Read read)
{
    outcome result;
    try {
        result.reply = read(result.sink);
    } catch (const weft::model_error& e) {
        result.failure = e;
    }
    return result;
}

/** Reads a body; anything else that is to be known about the provider is in the function. */
using reader = std::function<outcome(std::string_view body, const pieces& how)>;

/** Wherever a body is cut into pieces, the same comes of it. */
void check_any_pieces(std::string_view body, const reader& read);

/** The connection may break after any byte. Then there is the whole reply, or a part of it that can't do harm. */
void check_any_end(std::string_view body, const reader& read);

}  // namespace piecewise
