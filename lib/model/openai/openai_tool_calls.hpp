#pragma once

#include <weft/base/json/utf16_halves.hpp>
#include <weft/chat/tool_call.hpp>
#include <weft/model/chat/reply_options.hpp>
#include <weft/model/chat_sink.hpp>
#include <weft/model/openai/openai_profile.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::model_detail {

/** Puts the tool calls of a reply together from the pieces in which servers send them.
 *
 *  Servers leave out the index, give the same index to several calls, repeat or withhold ids and names, and send
 *  arguments as text, as an object or not at all. Calls keep the order in which they were first seen.
 *
 *  @par Errors   `reply_refused` when there are too many calls or too long arguments.
 */
class openai_tool_calls {
public:
    openai_tool_calls(const openai_profile& profile, const reply_limits& limits) noexcept
        : profile_{profile}, limits_{limits}
    {
    }

    /** Takes in the pieces of `delta.tool_calls`. @return Whether the sink was given any of it. */
    bool add(const boost::json::array& pieces, chat_sink& sink);
    /** Takes in the deprecated `delta.function_call`. */
    bool add_function_call(const boost::json::object& piece, chat_sink& sink);

    /** Says that no more pieces follow: a half of a character that waits for the other one becomes U+FFFD.
     *  @return Whether the sink was given any of it. */
    bool end_arguments(chat_sink& sink);

    [[nodiscard]] bool empty() const noexcept { return slots_.empty(); }

    /** The calls, once the turn is complete.
     *
     *  @param was_cut    The turn ended by its length or a filter: calls whose arguments are not whole are dropped.
     *  @param id_seed    Makes the ids of calls that came without one.
     *  @param warnings   Gets a line for each mended mistake.
     *
     *  @par Errors   `reply_refused` when a call has arguments and no name. */
    [[nodiscard]] std::vector<tool_call> finish(bool was_cut, std::uint64_t id_seed,
                                                std::vector<std::string>& warnings);

private:
    struct slot {
        std::optional<std::int64_t> index;
        tool_call call;
        utf16_joiner seams;  // of the arguments
        bool is_announced = false;
    };
    /** One element of the delta, with what is missing, null or empty made equal. */
    struct piece {
        std::optional<std::int64_t> index;
        std::string_view id;
        std::string_view name;
        const boost::json::value* arguments = nullptr;
        const boost::json::value* extra = nullptr;
        bool is_text = false;
    };

    [[nodiscard]] static piece read(const boost::json::object& in);
    bool take(const piece& p, chat_sink& sink);
    [[nodiscard]] slot& slot_for(const piece& p);
    [[nodiscard]] slot* find_index(std::int64_t index) noexcept;
    [[nodiscard]] slot* find_id(std::string_view id) noexcept;
    [[nodiscard]] slot& new_slot(const piece& p);
    void merge_name(slot& s, std::string_view name) const;
    [[nodiscard]] std::string_view merge_arguments(slot& s, const boost::json::value* arguments);
    [[nodiscard]] std::string_view append_arguments(slot& s, std::string_view text);
    bool announce(slot& s, std::string_view added, chat_sink& sink) const;

    const openai_profile& profile_;
    const reply_limits& limits_;
    std::vector<slot> slots_;
    std::size_t argument_bytes_ = 0;
};

}  // namespace weft::model_detail
