#pragma once

#include <weft/chat/message.hpp>
#include <weft/chat/usage.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/graph/state/state.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** Something that an AG-UI client gets. What is not named here is empty. */
struct story_item {
    enum class kind : std::uint8_t {
        state,      ///< The whole state, and all messages.
        delta,      ///< What the event changed in the state: from `before` to its values.
        messages,   ///< All messages again: some that were told are void.
        text_start, text_piece, text_end,  ///< `id`: the message's; of a piece `agent_story::current`.
        whole_text,  ///< `id`, `name`: the speaker's role, `text`.
        reasoning,   ///< `id`, `text`.
        call_start, call_args, call_end,  ///< `id`: the call's; `name`: the tool; `text`: arguments, or the message.
        call_result,              ///< `id`: the message's; `name`: the call; `text`.
        step_start, step_end,     ///< `name`.
        custom,                   ///< What a node emitted.
    };

    kind what;
    std::string id = {};
    std::string name = {};
    std::string text = {};
};

/** Makes of the events of a run, in their order, what a client of AG-UI gets: it opens and closes messages, calls
 *  and steps as the protocol wants them, and tells a message that a node writes once, streamed or as a whole.
 *
 *  It decides and writes nothing: two stories that began with the same event say the same of each one.
 *
 *  @par Thread safety   None. */
class agent_story {
public:
    /** @param messages   The slot of the conversation in the states of the run, or `state_layout::none`. */
    explicit agent_story(std::uint32_t messages) noexcept : messages_slot_{messages} {}

    /** Adds what is to be told of an event. */
    void take(const run_event& event, std::vector<story_item>& to);
    /** Takes the event if it is one more piece of the message that the last one belongs to, as most events are.
     *  @return   False: it is none; `take` takes it. True: `take` would have added one `text_piece`. */
    [[nodiscard]] bool takes_piece(const run_event& event);
    /** Adds what is to be told at the end of the run: all that is open is closed. */
    void end(std::vector<story_item>& to);
    /** Events were lost: the next state comes as a whole. */
    void lose() noexcept { newest_.reset(); }

    /** The message that the last piece belongs to. */
    [[nodiscard]] std::string_view current() const noexcept { return current_id_; }
    /** The state before the last event; of a delta it is there. */
    [[nodiscard]] const std::optional<state>& before() const noexcept { return before_; }
    /** The state that was told last. */
    [[nodiscard]] const std::optional<state>& newest() const noexcept { return newest_; }
    /** Whether the event brings a state that comes as a whole. */
    [[nodiscard]] bool wants_state(const run_event& event) const noexcept;
    [[nodiscard]] bool has_told_text() const noexcept { return has_told_text_; }
    /** What all calls of models have used; nothing: none was told. */
    [[nodiscard]] const std::optional<usage>& used() const noexcept { return used_; }
    /** The calls that wait for the client, in the order in which they were made. */
    [[nodiscard]] std::vector<std::string> pending_calls() const;

private:
    struct told_text {
        bool is_open = false;
        bool is_kept = false;   // the conversation has it
        std::size_t bytes = 0;
    };
    struct told_call {
        bool is_told = false;
        bool is_open = false;
        bool is_kept = false;    // the conversation has it
        bool is_remote = false;
        bool has_result = false;
        bool is_answered = false;  // its client's result was told before its message came
        std::size_t order = 0;
        std::string status = {};
    };
    struct open_step {
        std::string node;
        std::string address;
        std::uint32_t branch;
        std::uint32_t visit;
        std::string name;
    };

    void take_output(const run_event& event, std::vector<story_item>& to);
    void take_text(const run_event& event, std::vector<story_item>& to);
    void take_call(const run_event& event, std::vector<story_item>& to);
    void tell_content(told_call& call, const std::string& id, const boost::json::object& told,
                      std::vector<story_item>& to);
    void take_state(const run_event& event, std::vector<story_item>& to);
    void go_on(std::vector<story_item>& to);
    void take_messages(const value_ptr& before, const value_ptr& after, std::vector<story_item>& to);
    void tell(const message& one, std::string id, std::vector<story_item>& to);
    void tell_calls(const message& one, const std::string& id, std::vector<story_item>& to);
    void absorb(const value_ptr& conversation);
    void begin_step(const run_event& event, std::vector<story_item>& to);
    void end_visit(const run_event& event, std::vector<story_item>& to);
    void forget_visit(const run_event& event, std::vector<story_item>& to);
    void tell_again(std::vector<story_item>& to);
    void close_texts(std::vector<story_item>& to);
    void close_calls(std::vector<story_item>& to);
    void close_steps(std::vector<story_item>& to);
    [[nodiscard]] bool has_loose_text() const noexcept;
    [[nodiscard]] bool is_of_current(const run_event& event) const noexcept;
    told_call& call_of(const std::string& id);

    const std::uint32_t messages_slot_;
    std::optional<state> before_;
    std::optional<state> newest_;
    std::map<std::string, told_text, std::less<>> texts_;
    std::map<std::string, told_call, std::less<>> calls_;
    std::vector<open_step> steps_;
    std::optional<usage> used_;
    bool has_told_text_ = false;
    bool tells_again_ = false;  // with the next state

    // Whose text came last: a model's pieces come one after the other.
    told_text* current_ = nullptr;
    std::string current_id_;
    run_event current_visit_;
};

}  // namespace weft::serve_detail
