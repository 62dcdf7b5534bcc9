#pragma once

#include <weft/base/json/utf16_halves.hpp>
#include <weft/model/openai/openai_stream.hpp>

#include "openai_tool_calls.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace weft::model_detail {

/** A reply of Chat Completions under construction: takes chunks in, whatever they came in.
 *
 *  @par Errors   `reply_refused` when a limit is exceeded or a tool call has no name. */
class openai_reply {
public:
    openai_reply(const openai_profile& profile, const openai_stream_limits& limits) noexcept
        : profile_{profile}, limits_{limits}, calls_{profile, limits}
    {
    }

    /** Takes the choice, the usage and the names of a chunk in; errors in it are somebody else's business. */
    void add(const boost::json::object& chunk, chat_sink& sink);

    /** Says that no more text follows: a half of a character that still waits for the other one becomes U+FFFD. */
    void end_texts(chat_sink& sink);

    /** Whether there was a choice, if only an empty one. */
    [[nodiscard]] bool has_started() const noexcept { return has_started_; }
    /** Whether the sink was given text, reasoning or a tool call. */
    [[nodiscard]] bool has_delivered() const noexcept { return has_delivered_; }
    /** The server's last word for why it stopped; empty as long as there is none. */
    [[nodiscard]] const std::string& finish_reason() const noexcept { return finish_reason_; }

    /** Moves everything but the tool calls into a reply. */
    void move_partial(chat_reply& out, const std::string& asked_model);
    /** Moves everything into a reply that is complete. */
    void move_complete(chat_reply& out, const openai_stream_options& options);

private:
    void add_choice(const boost::json::object& choice, chat_sink& sink);
    void add_delta(const boost::json::object& delta, chat_sink& sink);
    void add_content(const boost::json::value& content, chat_sink& sink);
    void add_content_part(const boost::json::object& part, chat_sink& sink);
    void add_reasoning(const boost::json::object& delta, chat_sink& sink);
    void add_reasoning_details(const boost::json::array& details);
    void append_text(std::string_view piece, chat_sink& sink);
    void append_reasoning(std::string_view piece, chat_sink& sink);
    using sink_function = void (chat_sink::*)(std::string_view);
    void deliver(std::string& to, std::string_view piece, chat_sink& sink, sink_function tell);
    void count_bytes(std::size_t bytes);

    const openai_profile& profile_;
    const openai_stream_limits& limits_;
    std::string id_;
    std::string model_;
    std::string text_;
    std::string reasoning_;
    std::string refusal_;
    utf16_joiner text_seams_;
    utf16_joiner reasoning_seams_;
    utf16_joiner refusal_seams_;
    boost::json::array reasoning_details_;
    openai_tool_calls calls_;
    std::optional<weft::usage> usage_;
    std::string finish_reason_;
    std::size_t bytes_ = 0;
    bool has_started_ = false;
    bool has_delivered_ = false;
};

}  // namespace weft::model_detail
