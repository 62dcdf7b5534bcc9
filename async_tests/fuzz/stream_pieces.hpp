#pragma once

#include <weft/base/json.hpp>
#include <weft/base/json/json_reading.hpp>
#include <weft/base/utf8.hpp>
#include <weft/model/chat/reply_options.hpp>
#include <weft/model/chat_sink.hpp>
#include <weft/model/model_error.hpp>
#include <weft/net/sse_parser.hpp>

#include "model/wire/reply_reader.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>

/** What the fuzz targets of the streams of several providers share. */
namespace stream_pieces {

inline void require(bool holds)
{
    if (!holds) std::abort();
}

/** Each byte of the input below 0x80 stands for one of the pieces, each other one for itself less the high bit: so
 *  random inputs reach deep, with bytes in between that break them. */
inline std::string spelled_out(std::span<const std::string_view> pieces, const std::uint8_t* data, std::size_t size)
{
    std::string body;
    for (const std::uint8_t* byte = data; byte != data + size; ++byte) {
        if (*byte < 0x80)
            body += pieces[*byte % pieces.size()];
        else
            body += static_cast<char>(*byte & 0x7f);
    }
    return body;
}

/** The object that a text is; nothing if it is none. */
inline std::optional<boost::json::object> object_in(std::string_view text)
{
    const std::optional<boost::json::value> given = weft::try_parse_json(text);
    if (!given || !given->is_object()) return std::nullopt;
    return given->get_object();
}

class logging_sink final : public weft::chat_sink {
public:
    void on_text(std::string_view piece) override { text += piece; }
    void on_reasoning(std::string_view piece) override { text.append("~").append(piece); }
    void on_refusal(std::string_view piece) override { text.append("!").append(piece); }
    void on_tool_call(std::size_t slot, std::string_view id, std::string_view name) override
    {
        require(announced.insert(slot).second && !name.empty());
        text.append("(").append(id).append(" ").append(name);
    }
    void on_tool_arguments(std::size_t slot, std::string_view piece) override
    {
        require(announced.contains(slot));
        text.append(")").append(piece);
    }
    std::string text;
    std::set<std::size_t> announced;
};

/** Small, so that random inputs reach the limits. */
inline weft::reply_options options()
{
    weft::reply_options options;
    options.limits = {.text_bytes_max = 100, .tool_calls_max = 4, .argument_bytes_max = 60};
    return options;
}

/** A reply is fit to be executed. */
inline void check_reply(const weft::chat_reply& reply)
{
    require(reply.stop != weft::stop_reason::unfinished);
    std::set<std::string> ids;
    for (const weft::tool_call& call : reply.message.tool_calls) {
        require(!call.name.empty() && !call.id.empty() && ids.insert(call.id).second);
        const bool is_json = call.input == weft::tool_input::json;
        require(!is_json || !call.arguments.empty());
        if (reply.stop == weft::stop_reason::length && is_json) require(weft::parse_json(call.arguments).is_object());
    }
}

template <class Parser>
weft::chat_reply read(std::string_view body, Parser& parser, weft::model_detail::reply_reader& reader,
                      weft::chat_sink& sink, const std::function<std::size_t()>& next_size)
{
    while (!body.empty()) {
        const std::size_t size = std::min(next_size(), body.size());
        const auto piece = std::make_unique<char[]>(size);
        body.copy(piece.get(), size);
        body.remove_prefix(size);
        parser.feed({piece.get(), size});
        while (const weft::sse_event* event = parser.next())
            if (!reader.feed(*event, sink)) return reader.finish();
    }
    if (const weft::sse_event* rest = parser.finish()) reader.feed_last(*rest, sink);
    return reader.finish(parser.raw_json());
}

/** All that comes of a body, in one text. */
template <class Parser>
std::string outcome(std::string_view body, Parser& parser, weft::model_detail::reply_reader& reader,
                    const std::function<std::size_t()>& next_size)
{
    logging_sink sink;
    try {
        const weft::chat_reply reply = read(body, parser, reader, sink, next_size);
        check_reply(reply);
        require(weft::is_valid_utf8(sink.text));
        const std::string message = boost::json::serialize(weft::to_json(reply.message));
        require(weft::is_valid_utf8(message));
        return sink.text + message;
    } catch (const weft::model_error& e) {
        require(e.partial().message.tool_calls.empty() && e.partial().stop == weft::stop_reason::unfinished);
        require(!e.is_retryable() || sink.text.empty());
        return sink.text + e.what() + e.partial().message.text();
    }
}

/** However a body is cut into pieces, the same comes of it.
 *  @param read   Gives the outcome of a body that comes in pieces of such sizes. */
template <class Read>
void check_any_pieces(std::string_view body, Read read)
{
    const std::string whole = read([&] { return body.size(); });
    std::minstd_rand random{static_cast<unsigned>(body.size()) + 1};
    require(read([] { return std::size_t{1}; }) == whole);
    require(read([&] { return std::size_t{1 + random() % 40}; }) == whole);
}

}  // namespace stream_pieces
