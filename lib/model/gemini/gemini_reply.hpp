#pragma once

#include <weft/chat/usage.hpp>
#include <weft/model/chat/reply_options.hpp>
#include <weft/model/chat_reply.hpp>
#include <weft/model/gemini/gemini_settings.hpp>

#include "model/wire/reply_blocks.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::model_detail {

/** The counts of a reply. Each report is the sum so far and replaces what it names. */
struct gemini_usage {
    std::optional<std::int64_t> prompt;
    std::optional<std::int64_t> tool_prompt;
    std::optional<std::int64_t> cached;      // of the prompt
    std::optional<std::int64_t> candidates;  // without thoughts
    std::optional<std::int64_t> thoughts;

    void add(const boost::json::object& report) noexcept;
    [[nodiscard]] weft::usage total() const noexcept;
};

/** A reply under construction: takes its chunks in, but for errors.
 *
 *  @par Errors   `reply_refused` when a limit is exceeded or a tool call has no name. */
class gemini_reply {
public:
    gemini_reply(const reply_options& options, const gemini_settings& settings) noexcept
        : options_{options}, settings_{settings}, blocks_{options.limits}
    {
    }

    void take(const boost::json::object& chunk, chat_sink& sink);
    void end_texts(chat_sink& sink) { blocks_.end_all(sink); }

    /** Whether there was a candidate, or the prompt was blocked. */
    [[nodiscard]] bool has_answer() const noexcept { return candidate_.has_value() || !block_reason_.empty(); }
    [[nodiscard]] bool is_complete() const noexcept { return !finish_reason_.empty() || !block_reason_.empty(); }
    [[nodiscard]] bool has_delivered() const noexcept { return blocks_.has_delivered(); }
    /** Why the model gave up, for people; empty if it did not. */
    [[nodiscard]] std::string giving_up() const;

    /** Moves everything but the tool calls into a reply. */
    void move_partial(chat_reply& out);
    /** Moves everything into a reply that is complete. */
    void move_complete(chat_reply& out);

private:
    using object = boost::json::object;

    void add_candidate(const object& candidate, chat_sink& sink);
    void add_part(const object& part, chat_sink& sink);
    void add_text(std::string_view text, reply_block::kind what, std::string_view signature, chat_sink& sink);
    void add_call(const object& call, std::string_view signature, chat_sink& sink);
    [[nodiscard]] stop_reason meaning(bool has_calls) const noexcept;
    [[nodiscard]] bool needs_raw(const std::vector<bool>& has_id) const noexcept;
    [[nodiscard]] boost::json::array raw_parts(const std::vector<tool_call>& calls,
                                               const std::vector<bool>& has_id) const;

    const reply_options& options_;
    const gemini_settings& settings_;
    reply_blocks blocks_;
    gemini_usage usage_;
    std::string id_;
    std::string model_;
    std::string finish_reason_;
    std::string finish_message_;
    std::string block_reason_;
    std::optional<std::int64_t> candidate_;
    bool has_started_ = false;
};

}  // namespace weft::model_detail
