#pragma once

#include <weft/chat/message.hpp>
#include <weft/model/chat/reply_options.hpp>
#include <weft/model/chat_sink.hpp>

#include "model/wire/streamed_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::model_detail {

/** An item of the output, as far as it has come. */
struct responses_item {
    enum class kind { message, reasoning, call, other };

    std::int64_t index = 0;  // `output_index`
    kind what = kind::other;
    std::string id;          // of the item; a hint only
    std::string status;
    streamed_text words;     // text, reasoning, or the arguments of a call
    streamed_text refusal;
    std::optional<std::pair<bool, std::int64_t>> paragraph;  // of reasoning: which part the last piece belongs to
    tool_call call;          // but for its arguments
    std::size_t slot = 0;    // of the call, once it is announced
    bool is_announced = false;
    bool is_whole = false;   // an event has said that no more of it comes
    boost::json::value raw;  // as the server sent it as a whole; null before that
};

/** The output of a response under construction: takes the events of its items in.
 *
 *  @par Errors      `reply_refused` when a limit is exceeded or a tool call has no name.
 *  @par Lifetimes   The limits outlive it. */
class responses_output {
public:
    explicit responses_output(const reply_limits& limits) noexcept;

    /** Takes an event in. @return Whether it is one that is known. */
    bool take(std::string_view type, const boost::json::object& event, chat_sink& sink);

    /** Takes the final output in, which counts in place of what was streamed; the sink gets what it lacks. */
    void settle(const boost::json::array& output, chat_sink& sink);
    /** Says that no more text follows. */
    void end_texts(chat_sink& sink);

    /** Whether the sink was given text, reasoning or a tool call. */
    [[nodiscard]] bool has_delivered() const noexcept { return has_delivered_; }

    /** Moves the items out, in the form in which they go back to the provider; empty if the neutral form will do. */
    [[nodiscard]] boost::json::array move_raw();
    /** Moves the calls out that may be executed.
     *  @param was_cut   The response is incomplete. */
    [[nodiscard]] std::vector<tool_call> move_calls(bool was_cut, std::vector<std::string>& warnings);
    /** Moves text, reasoning and refusals out. */
    void move_content(message& out);
    [[nodiscard]] std::vector<std::string> move_warnings() noexcept { return std::move(warnings_); }

private:
    using item = responses_item;
    using kind = responses_item::kind;
    using event = boost::json::object;
    using sink_function = void (chat_sink::*)(std::string_view);
    struct handler {
        std::string_view type;
        void (responses_output::*take)(const event&, chat_sink&);
    };
    static const handler handlers[];

    void add_item(const event& e, chat_sink& sink);
    void end_item(const event& e, chat_sink& sink);
    void add_text(const event& e, chat_sink& sink);
    void add_refusal(const event& e, chat_sink& sink);
    void add_summary(const event& e, chat_sink& sink);
    void add_thought(const event& e, chat_sink& sink);
    void add_reasoning(const event& e, bool is_summary, chat_sink& sink);
    void add_arguments(const event& e, chat_sink& sink);
    void end_arguments(const event& e, chat_sink& sink);

    [[nodiscard]] item* item_for(const event& e, kind what);
    [[nodiscard]] item& item_of(const event& e, const boost::json::object& raw);
    [[nodiscard]] item* find(const event& e, std::string_view id) noexcept;
    [[nodiscard]] item& new_item(std::optional<std::int64_t> index, kind what);
    void take_names(item& i, const boost::json::object& raw);
    void settle_item(item& i, const boost::json::object& raw, chat_sink& sink);
    void settle_text(streamed_text& text, std::string_view whole, chat_sink& sink, sink_function tell);
    void settle_arguments(item& i, std::string_view whole, chat_sink& sink);
    [[nodiscard]] item take_match(std::vector<item>& streamed, kind what, std::string_view call_id);

    void deliver(streamed_text& to, std::string_view piece, chat_sink& sink, sink_function tell);
    void deliver_arguments(item& i, std::string_view piece, chat_sink& sink);
    void announce(item& i, chat_sink& sink);

    std::vector<item> items_;  // by index
    const reply_limits& limits_;
    std::size_t calls_announced_ = 0;
    byte_budget text_;
    byte_budget arguments_;
    byte_budget raw_;
    std::vector<std::string> warnings_;
    bool has_delivered_ = false;
};

}  // namespace weft::model_detail
