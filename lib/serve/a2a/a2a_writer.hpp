#pragma once

#include "a2a_dialect.hpp"
#include "a2a_task.hpp"
#include "serve/order/run_following.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** What the events of a stream are packed into. */
struct a2a_envelope {
    a2a_envelope() {}

    a2a_dialect dialect = a2a_dialect::v1;
    bool is_rpc = false;              ///< JSON-RPC answers; else the items alone (HTTP+JSON).
    boost::json::value id = nullptr;  ///< Of the call.
};

/** Tells what happens in a run as a stream of A2A: the task as it stands, then its states, its output piece by piece,
 *  what its nodes tell as metadata of states, and in the end the whole output if the pieces do not make it up.
 *
 *  What is made of an event is made once for all clients of a dialect; envelopes are put around it. */
class a2a_writer final : public run_writer {
public:
    /** @param first   The task that the stream begins with. */
    a2a_writer(a2a_envelope envelope, a2a_task first, std::optional<std::size_t> history_length = std::nullopt);

    void begin(std::string& out) override;
    [[nodiscard]] std::string_view protocol() const noexcept override { return "a2a"; }
    [[nodiscard]] event_frames frames(const feed_event& event) override;
    [[nodiscard]] bool wants_outcome() const noexcept override { return true; }
    void end(std::string& out, const run_ending& ending) override;
    void gap(std::string& out) override;
    [[nodiscard]] last_word_function last_word() const noexcept override;

private:
    using make_function = boost::json::object (*)(const run_event& event, const std::string& context);

    void add(event_frames& to, const feed_event& event, std::size_t form, make_function make) const;
    void add(event_frames& to, boost::json::object item) const;
    void append(std::string& out, boost::json::object item) const;
    void say(event_frames& to, const feed_event& event);
    void tell_output(std::string& out, boost::json::value output) const;

    a2a_envelope envelope_;
    a2a_task task_;
    std::optional<std::size_t> history_length_;
    std::shared_ptr<const std::string> head_;
    std::shared_ptr<const std::string> tail_;
    std::string speaker_;                         // the visit that the last piece came from
    std::uint64_t said_hash_;                     // of the output as the client has it
    bool has_said_ = false;
    bool is_saying_ = false;                      // the visit of the last piece has not ended
    bool is_broken_ = false;                      // pieces are missing, or void
};

/** What a stream of a call has in the place of its end. */
[[nodiscard]] std::string a2a_last_word(const std::string& why);

}  // namespace weft::serve_detail
