#pragma once

#include <weft/model/chat_sink.hpp>
#include <weft/model/chat/reply_options.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/model_error.hpp>
#include <weft/model/openai/openai_profile.hpp>
#include <weft/net/sse_parser.hpp>

#include "model/wire/reply_reader.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

/** Keeps everything that it is given. */
class recording_sink final : public weft::chat_sink {
public:
    struct call {
        std::string id;
        std::string name;
        std::string arguments;
    };

    std::string started;
    std::string text;
    std::string reasoning;
    std::string refusal;
    std::map<std::size_t, call> calls;
    std::optional<weft::usage> usage;
    int starts = 0;
    int pieces = 0;  ///< Of text.

    void on_started(std::string_view id, std::string_view model) override;
    void on_text(std::string_view piece) override;
    void on_reasoning(std::string_view piece) override { reasoning += piece; }
    void on_refusal(std::string_view piece) override { refusal += piece; }
    void on_tool_call(std::size_t slot, std::string_view id, std::string_view name) override;
    void on_tool_arguments(std::size_t slot, std::string_view piece) override;
    void on_usage(const weft::usage& so_far) override { usage = so_far; }

    [[nodiscard]] std::string log() const;
};

/** What became of a stream: a reply or an error, and what the sink saw. */
struct outcome {
    std::optional<weft::chat_reply> reply;
    std::optional<weft::model_error> failure;
    recording_sink sink;

    /** All of it in one text, for comparing. */
    [[nodiscard]] std::string log() const;
};

/** How a stream is read. */
struct reading {
    weft::openai_profile profile{};
    weft::reply_limits limits{};
    std::function<std::size_t()> next_size{};          ///< Of the pieces that the bytes come in; all at once if empty.
    std::optional<weft::error> transport_failure{};    ///< How the body ends, if not well.
};

/** Reads a body with the reader of any provider as `ask_provider` does, without a wire.
 *  @param how   Has the members `next_size` and `transport_failure` of `reading`. */
template <class Parser, class How>
weft::chat_reply read_in_pieces(std::string_view body, Parser& parser, weft::model_detail::reply_reader& reader,
                                weft::chat_sink& sink, const How& how)
{
    while (!body.empty()) {
        const std::size_t wanted = how.next_size ? how.next_size() : body.size();
        const std::string piece{body.substr(0, wanted)};  // of its own, so that a view into it cannot live on
        body.remove_prefix(piece.size());
        parser.feed(piece);
        while (const weft::sse_event* event = parser.next())
            if (!reader.feed(*event, sink)) return reader.finish();
    }
    if (const weft::sse_event* rest = parser.finish()) reader.feed_last(*rest, sink);
    if (how.transport_failure) return reader.finish_after(*how.transport_failure);
    return reader.finish(parser.raw_json());
}

/** What the stream must have ended with; else this ends the test. */
[[nodiscard]] const weft::chat_reply& reply_of(const outcome& o);
[[nodiscard]] const weft::model_error& failure_of(const outcome& o);

/** Reads the body of an event stream as `openai_model` does, without a wire. */
[[nodiscard]] outcome read_stream(std::string_view body, const reading& how = {});

/** Reads a body that is one JSON document. */
[[nodiscard]] outcome read_document(std::string_view body, const reading& how = {});

/** An event stream of these chunks, and a terminator unless that is empty. */
[[nodiscard]] std::string events(std::initializer_list<std::string_view> chunks, std::string_view last = "[DONE]");

/** A chunk with this delta, and this finish reason if there is one. */
[[nodiscard]] std::string delta(std::string_view delta_json, std::string_view finish_reason = {});
