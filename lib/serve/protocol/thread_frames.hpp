#pragma once

#include "channels.hpp"
#include "serve/feed/thread_tape.hpp"

#include <weft/base/clock.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

/** Makes the frames of the second protocol out of what happens in a thread, for one client.
 *
 *  Text of a model is a message with a beginning and an end, which the events of a run do not have: which messages are
 *  open is its only state.
 *
 *  @par Source   The agent streaming protocol of LangGraph, version 0.0.21. */
class thread_frames {
public:
    enum class form {
        events,  ///< Of an event stream, with an empty line behind each.
        lines,   ///< JSON alone, a line each.
    };

    explicit thread_frames(form as) noexcept : form_{as} {}
    explicit thread_frames(channel_filter filter, form as = form::events) : form_{as} { add("", std::move(filter)); }

    /** From now on the client gets what any of its filters wants, once. */
    void add(std::string name, channel_filter filter) { filters_.insert_or_assign(std::move(name), std::move(filter)); }
    /** @return  False if there is no filter of this name. */
    bool remove(const std::string& name) { return filters_.erase(name) > 0; }

    /** Which thread it is, for the channel `completion:nested`. */
    void set_thread(std::string name) { thread_ = std::move(name); }

    /** The client goes on behind the frame of this number: what it has got of that entry is left out, and messages that
     *  are open there go on.
     *  @return  The entry of the tape behind which it reads. */
    [[nodiscard]] std::uint64_t go_on_behind(const thread_tape& tape, std::uint64_t number);
    /** What tells the moments of frames; the real one by default. It outlives them. */
    void set_clock(const clock& tells) noexcept { clock_ = &tells; }

    /** Appends the frames of an entry that the client wants to `out`. */
    void append(std::string& out, const tape_entry& entry);

    /** The number of the entry of a frame. */
    [[nodiscard]] static std::uint64_t entry_of(std::uint64_t sent) noexcept { return sent / frames_max; }

private:
    static constexpr std::uint64_t frames_max = 16;  // of one entry

    struct place;
    void append_event(std::string& out, place& at, const feed_event& event);
    void append_text(std::string& out, place& at, const run_event& event);
    void pass(const tape_entry& entry);
    void end_text(std::string& out, place& at, const run_event& event);
    void append_end(std::string& out, place& at, const run_ending& ending);
    void append_completion(std::string& out, const place& at, const run_ending& ending) const;
    void put(std::string& out, place& at, std::string_view channel, std::string_view method, boost::json::object data,
             std::string_view node = {});

    [[nodiscard]] bool is_wanted(const place& at, std::string_view channel, std::string_view method) const;

    form form_;
    const clock* clock_ = &real_clock();
    std::uint64_t seen_ = 0;
    std::string thread_;
    std::map<std::string, channel_filter> filters_;
    std::map<std::string, std::string> open_;  // messages that have not ended: their text so far, by id
};

}  // namespace weft::serve_detail
