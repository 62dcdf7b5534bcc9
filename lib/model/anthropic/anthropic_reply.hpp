#pragma once

#include <weft/chat/usage.hpp>
#include <weft/model/anthropic/anthropic_settings.hpp>
#include <weft/model/chat/reply_options.hpp>
#include <weft/model/chat_reply.hpp>

#include "model/wire/reply_blocks.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::model_detail {

/** The counts of a message. Each report is the sum so far and replaces what it names. */
struct anthropic_usage {
    std::optional<std::int64_t> input;  // neither from nor into the cache
    std::optional<std::int64_t> cache_read;
    std::optional<std::int64_t> cache_written;
    std::optional<std::int64_t> output;
    std::optional<std::int64_t> thinking;

    void add(const boost::json::object& report) noexcept;
    [[nodiscard]] weft::usage total() const noexcept;
};

/** A message under construction: takes its events in, but for errors.
 *
 *  @par Errors   `reply_refused` when a limit is exceeded or a tool call has no name. */
class anthropic_reply {
public:
    anthropic_reply(const reply_options& options, const anthropic_settings& settings) noexcept
        : options_{options}, settings_{settings}, blocks_{options.limits}
    {
    }

    /** Takes an event in; one of an unknown type is ignored. */
    void take(std::string_view type, const boost::json::object& event, chat_sink& sink);
    /** Takes a whole message in. */
    void take_message(const boost::json::object& message, chat_sink& sink);

    /** Whether `message_stop` was seen. */
    [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }
    [[nodiscard]] bool is_complete() const noexcept { return has_ended_ && !stop_reason_.empty(); }
    [[nodiscard]] bool has_delivered() const noexcept { return has_delivered_ || blocks_.has_delivered(); }

    /** Moves everything but the tool calls into a reply. */
    void move_partial(chat_reply& out);
    /** Moves everything into a reply that is complete. */
    void move_complete(chat_reply& out);

private:
    using object = boost::json::object;

    void start(const object& message, chat_sink& sink);
    void report_usage(const object& holder, chat_sink& sink);
    void begin_block(std::int64_t index, const object& block, chat_sink& sink);
    void begin_call(std::int64_t index, const object& block, chat_sink& sink);
    void add_delta(const object& event, chat_sink& sink);
    void add_citations(reply_block& block, const boost::json::array& citations);
    void add_stop(const object& delta, chat_sink& sink);
    void end_block(reply_block& block, chat_sink& sink);
    [[nodiscard]] stop_reason meaning(bool has_calls) const noexcept;
    [[nodiscard]] bool was_cut() const noexcept;
    [[nodiscard]] bool needs_raw() const noexcept;
    [[nodiscard]] bool has_signature() const noexcept;
    [[nodiscard]] boost::json::array raw_content(const std::vector<tool_call>& calls) const;
    void put_provider(chat_reply& out) const;

    const reply_options& options_;
    const anthropic_settings& settings_;
    reply_blocks blocks_;
    anthropic_usage usage_;
    std::string id_;
    std::string model_;
    std::string stop_reason_;
    std::string refusal_;  // why, in the provider's words
    std::vector<std::string> warnings_;
    bool has_started_ = false;
    bool has_ended_ = false;
    bool has_delivered_ = false;
};

}  // namespace weft::model_detail
