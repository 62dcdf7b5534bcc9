#pragma once

#include <weft/chat/message.hpp>
#include <weft/model/chat/reply_options.hpp>
#include <weft/model/chat_sink.hpp>

#include "streamed_text.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::model_detail {

/** A piece of a reply that its provider keeps apart from the others, as far as it has come. */
struct reply_block {
    enum class kind { text, reasoning, call, other };

    kind what = kind::other;
    std::int64_t index = 0;          // the provider's name for it, where it has one
    streamed_text words;             // text, reasoning, or the arguments of a call
    std::string signature;
    tool_call call;                  // but for its arguments
    std::size_t slot = 0;            // of a call, among the calls
    std::optional<std::size_t> place;  // of a call in the reply that is complete; nothing if it was dropped
    boost::json::value raw;          // what the neutral form has no place for; null if nothing
};

/** The blocks of a reply under construction, in their order: bounded, whole characters only, told to the sink.
 *
 *  @par Errors   `reply_refused` when a limit is exceeded or a tool call has no name. */
class reply_blocks {
public:
    using kind = reply_block::kind;

    explicit reply_blocks(const reply_limits& limits) noexcept;

    /** Begins a block; the reference is valid until the next one begins. */
    reply_block& add(kind what, std::int64_t index = 0);
    reply_block& add_call(std::string_view id, std::string_view name, chat_sink& sink, std::int64_t index = 0);

    /** Adds to the words of a block. */
    void append(reply_block& block, std::string_view piece, chat_sink& sink);
    /** Says that no more words of the block follow. */
    void end(reply_block& block, chat_sink& sink);
    void end_all(chat_sink& sink);
    /** Puts a signature in place of the one before. */
    void sign(reply_block& block, std::string_view signature);
    /** The value, counted and made of whole characters.
     *  @param copy   In memory that outlives the piece of the stream it came with. */
    [[nodiscard]] boost::json::value kept(boost::json::value copy);

    /** The newest block of this index; null if there is none. */
    [[nodiscard]] reply_block* find(std::int64_t index) noexcept;
    [[nodiscard]] std::vector<reply_block>& all() noexcept { return blocks_; }
    [[nodiscard]] const std::vector<reply_block>& all() const noexcept { return blocks_; }
    /** Whether the sink was given text, reasoning or a tool call. */
    [[nodiscard]] bool has_delivered() const noexcept { return has_delivered_; }

    /** Moves the calls out that may be executed, and notes their places in the blocks.
     *  @param was_cut   The reply ended early: calls whose arguments are not whole are dropped. */
    [[nodiscard]] std::vector<tool_call> move_calls(bool was_cut, std::uint64_t id_seed,
                                                    std::vector<std::string>& warnings);
    /** Copies text and reasoning out. */
    void copy_content(message& out) const;

private:
    const reply_limits& limits_;
    std::vector<reply_block> blocks_;
    std::size_t calls_ = 0;
    byte_budget text_;
    byte_budget arguments_;
    bool has_delivered_ = false;
};

}  // namespace weft::model_detail
