#pragma once

#include "run_transcript.hpp"
#include "serve/order/run_following.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** What is known of a chat completion beside what its run says. */
struct completion_frame {
    std::string id = {};
    std::string model = {};
    std::int64_t created = 0;      ///< Seconds since 1970.
    bool includes_usage = false;   ///< Of a stream.
    bool is_kept = false;          ///< The run has a thread, in which it can be answered.
};

/** Why a graph that asks something has failed: only in a thread it can be answered. */
[[nodiscard]] std::string question_without_thread(std::string_view question);

/** A chat completion as a whole. */
[[nodiscard]] boost::json::object completion_view(const completion_frame& frame, const run_transcript& said);

/** Says a run in chunks of chat completions, until `[DONE]`. A run that fails ends with an error in the place of it.
 *
 *  What a model said before it was asked again cannot be taken back here: the client keeps it.
 *
 *  @par Source   OpenAI's API of chat completions, streaming. */
class completion_writer final : public run_writer {
public:
    completion_writer(completion_frame frame, run_transcript said);

    void begin(std::string& out) override;
    [[nodiscard]] std::string_view protocol() const noexcept override { return "openai"; }
    [[nodiscard]] event_frames frames(const feed_event& event) override;
    [[nodiscard]] bool wants_outcome() const noexcept override { return true; }
    void end(std::string& out, const run_ending& ending) override;
    [[nodiscard]] last_word_function last_word() const noexcept override;

private:
    void append_chunk(std::string& out, std::string_view delta, std::string_view finish);
    void append_steps(std::string& out, const said_steps& steps);
    void append_calls(std::string& out);

    completion_frame frame_;
    run_transcript said_;
    std::string head_;           // of each chunk
    bool has_text_ = false;
    std::size_t last_item_ = 0;  // whose text came last
};

}  // namespace weft::serve_detail
