#pragma once

#include "response_view.hpp"
#include "serve/order/run_following.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** Says a run in the events of Responses, numbered from 0 for all clients alike.
 *
 *      event: response.output_text.delta
 *      data: {"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_…","output_index":0,…}
 *
 *  @par Source   OpenAI's Responses API; Open Responses of 2026-04-24. */
class response_writer final : public run_writer {
public:
    /** @param seen   The number of the last event that the client has had; nothing: none.
     *  @param now    Seconds since 1970, for the end. */
    response_writer(response_frame frame, run_transcript said, std::optional<std::uint64_t> seen,
                    std::function<std::int64_t()> now);

    void begin(std::string& out) override;
    [[nodiscard]] std::string_view protocol() const noexcept override { return "openai"; }
    [[nodiscard]] event_frames frames(const feed_event& event) override;
    [[nodiscard]] bool wants_outcome() const noexcept override { return true; }
    void end(std::string& out, const run_ending& ending) override;
    [[nodiscard]] bool is_done() const noexcept override { return said_.is_past(); }
    [[nodiscard]] last_word_function last_word() const noexcept override;

    [[nodiscard]] const run_transcript& said() const noexcept { return said_; }
    [[nodiscard]] const response_frame& frame() const noexcept { return frame_; }

private:
    void append_steps(std::string& out, const said_steps& steps);
    void append_step(std::string& out, const said_step& step);
    void append_calls(std::string& out);
    void append_response(std::string& out, std::string_view type, boost::json::object response);
    /** Begins an event. @return  False if the client has had it. */
    [[nodiscard]] bool open_event(std::string& out, std::string_view type);
    void append_item_event(std::string& out, std::string_view type, std::size_t index, boost::json::object item);

    response_frame frame_;
    run_transcript said_;
    std::uint64_t next_ = 0;   // the number of the next event
    std::uint64_t first_ = 0;  // that the client has not had
    std::function<std::int64_t()> now_;
};

/** An event `error`, the last one of a stream. */
[[nodiscard]] std::string response_error_frame(std::string_view code, std::string_view message);

}  // namespace weft::serve_detail
