#include "agent_frames.hpp"

#include "conversation.hpp"
#include "serve/state/state_text.hpp"
#include "serve/state/state_wire.hpp"
#include "serve/wire/emitted.hpp"
#include "serve/wire/views.hpp"
#include "state_patch.hpp"

#include <weft/async/task/yield_now.hpp>
#include <weft/graph/state/written_values.hpp>

#include <boost/json/serialize.hpp>

#include <limits>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using item_kind = story_item::kind;

constexpr std::string_view head{"data: {\"type\":\""};
constexpr std::string_view tail{"}\n\n"};

/** A frame of texts, written at once: most frames of a run are pieces of a text. */
class text_frame {
public:
    text_frame(std::string& out, std::string_view type) : out_{out} { out_.append(head).append(type).push_back('"'); }
    ~text_frame() { out_.append(tail); }
    text_frame(const text_frame&) = delete;
    text_frame& operator=(const text_frame&) = delete;

    text_frame& with(std::string_view name, std::string_view text)
    {
        out_.append(",\"").append(name).append("\":").append(boost::json::serialize(boost::json::string_view{text}));
        return *this;
    }

private:
    std::string& out_;
};

/** The state as clients get it. */
state shown_state(const state& of, const agent_keys_apart& apart)
{
    state shown = of;
    for (const std::uint32_t slot : {apart.messages, apart.surroundings, apart.client_tools})
        if (slot != state_layout::none && shown.at(slot)) shown.writable(slot) = nullptr;
    return shown;
}

void append_messages(std::string& out, const conversation_view& all, std::size_t& next, std::size_t bytes_max)
{
    const std::size_t until = bytes_max > out.max_size() - out.size() ? out.max_size() : out.size() + bytes_max;
    for (; next < all.size() && out.size() < until; ++next) {
        bool is_first = next == 0;
        for (const object& form : agent_forms_of(all[next], all.id_of(next))) {
            out.append(std::exchange(is_first, false) ? "" : ",").append(boost::json::serialize(form));
        }
    }
}

constexpr std::string_view messages_head{"data: {\"type\":\"MESSAGES_SNAPSHOT\",\"messages\":["};
constexpr std::string_view state_head{"data: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":"};

void append_all_messages(std::string& out, const state& of, const agent_keys_apart& apart)
{
    if (apart.messages == state_layout::none) return;
    out.append(messages_head);
    std::size_t next = 0;
    const conversation_view all{of.at(apart.messages), of.layout()[apart.messages].name};
    append_messages(out, all, next, std::numeric_limits<std::size_t>::max());
    out.append("]").append(tail);
}

void append_delta(std::string& out, const state& before, const state& after, const agent_keys_apart& apart)
{
    const array patch = state_patch(before, after, {apart.messages, apart.surroundings, apart.client_tools});
    if (patch.empty()) return;
    const std::string delta = boost::json::serialize(patch);
    // A client that gets less than a patch would be has less to do as well.
    if (const auto whole = short_state_text(shown_state(after, apart), delta.size()))
        out.append(state_head).append(*whole).append(tail);
    else
        out.append("data: {\"type\":\"STATE_DELTA\",\"delta\":").append(delta).append(tail);
}

void append_reasoning(std::string& out, const story_item& item)
{
    text_frame{out, "REASONING_START"}.with("messageId", item.id);
    text_frame{out, "REASONING_MESSAGE_START"}.with("messageId", item.id).with("role", "reasoning");
    text_frame{out, "REASONING_MESSAGE_CONTENT"}.with("messageId", item.id).with("delta", item.text);
    text_frame{out, "REASONING_MESSAGE_END"}.with("messageId", item.id);
    text_frame{out, "REASONING_END"}.with("messageId", item.id);
}

void append_whole_text(std::string& out, const story_item& item)
{
    text_frame{out, "TEXT_MESSAGE_START"}.with("messageId", item.id).with("role", item.name);
    text_frame{out, "TEXT_MESSAGE_CONTENT"}.with("messageId", item.id).with("delta", item.text);
    text_frame{out, "TEXT_MESSAGE_END"}.with("messageId", item.id);
}

void append_call_start(std::string& out, const story_item& item)
{
    text_frame frame{out, "TOOL_CALL_START"};
    frame.with("toolCallId", item.id).with("toolCallName", item.name);
    if (!item.text.empty()) frame.with("parentMessageId", item.text);
}

void append_call_result(std::string& out, const story_item& item)
{
    text_frame frame{out, "TOOL_CALL_RESULT"};
    frame.with("messageId", item.id).with("toolCallId", item.name).with("content", item.text).with("role", "tool");
}

void append_custom(std::string& out, const run_event& event)
{
    out.append(agent_frame({{"type", "CUSTOM"}, {"name", event.label}, {"value", emitted_value(event)}}));
}

/** @return  False if the item is no text alone. */
bool append_texts(std::string& out, const story_item& item, const agent_story& story, const run_event& event)
{
    switch (item.what) {
    case item_kind::text_start:
        text_frame{out, "TEXT_MESSAGE_START"}.with("messageId", item.id).with("role", "assistant");
        break;
    case item_kind::text_piece:
        text_frame{out, "TEXT_MESSAGE_CONTENT"}.with("messageId", story.current()).with("delta", event.text);
        break;
    case item_kind::text_end: text_frame{out, "TEXT_MESSAGE_END"}.with("messageId", item.id); break;
    case item_kind::whole_text: append_whole_text(out, item); break;
    case item_kind::reasoning: append_reasoning(out, item); break;
    case item_kind::call_start: append_call_start(out, item); break;
    case item_kind::call_args:
        text_frame{out, "TOOL_CALL_ARGS"}.with("toolCallId", item.id).with("delta", item.text);
        break;
    case item_kind::call_end: text_frame{out, "TOOL_CALL_END"}.with("toolCallId", item.id); break;
    case item_kind::call_result: append_call_result(out, item); break;
    case item_kind::step_start: text_frame{out, "STEP_STARTED"}.with("stepName", item.name); break;
    case item_kind::step_end: text_frame{out, "STEP_FINISHED"}.with("stepName", item.name); break;
    default: return false;
    }
    return true;
}

}  // namespace

std::string agent_frame(const object& event) { return "data: " + boost::json::serialize(event) + "\n\n"; }

void append_agent_frames(std::string& out, const std::vector<story_item>& items, const agent_story& story,
                         const run_event& event, const agent_keys_apart& apart)
{
    for (const story_item& item : items) {
        if (append_texts(out, item, story, event)) continue;
        if (item.what == item_kind::custom) append_custom(out, event);
        else if (item.what == item_kind::messages) append_all_messages(out, *story.newest(), apart);
        else if (item.what == item_kind::delta) append_delta(out, *story.before(), event.written->state(), apart);
    }
}

task<std::string> agent_snapshots(state of, agent_keys_apart apart)
{
    std::string text{state_head};
    co_await append_state_text(text, shown_state(of, apart));
    text.append(tail);
    if (apart.messages == state_layout::none) co_return text;
    text.append(messages_head);
    const conversation_view all{of.at(apart.messages), of.layout()[apart.messages].name};
    for (std::size_t next = 0; next < all.size();) {
        append_messages(text, all, next, state_slice_bytes);
        co_await yield_now();
    }
    text.append("]").append(tail);
    co_return text;
}

std::string agent_snapshots_now(const state& of, const agent_keys_apart& apart)
{
    std::string text{state_head};
    text.append(*short_state_text(shown_state(of, apart), std::numeric_limits<std::size_t>::max() / 2)).append(tail);
    append_all_messages(text, of, apart);
    return text;
}

object agent_interrupt_of(const open_question& asked)
{
    const bool is_approval = asked.asked.kind == question_kind::approval;
    object interrupt{{"id", asked.address}, {"reason", is_approval ? "confirmation" : "input_required"}};
    if (!asked.asked.text.empty()) interrupt["message"] = asked.asked.text;
    interrupt["responseSchema"] = asked.asked.answer_schema();
    if (asked.asked.expires_in > std::chrono::nanoseconds{0}) {
        const auto wait = std::chrono::duration_cast<wall_time::duration>(asked.asked.expires_in);
        interrupt["expiresAt"] = iso_time(asked.asked_at + wait);
    }
    // What no field of the protocol says: options, fields, what it is about.
    object more = to_json(asked.asked);
    for (const char* const said : {"text", "schema"}) more.erase(said);
    if (!asked.refused.empty()) more["refused"] = asked.refused;
    if (!more.empty()) interrupt["metadata"] = std::move(more);
    return interrupt;
}

}  // namespace weft::serve_detail
