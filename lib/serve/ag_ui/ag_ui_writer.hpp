#pragma once

#include "agent_frames.hpp"
#include "agent_story.hpp"
#include "serve/order/run_following.hpp"
#include "serve/run/served_set.hpp"

#include <weft/graph/graph.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** Which run a client of AG-UI follows, in its own words. */
struct agent_run_names {
    agent_run_names() {}

    std::string thread = {};
    std::string run = {};            ///< As the client calls it.
    std::string parent_run = {};
    std::string own_run = {};        ///< As the server, and its other protocols, call it.
    bool speaks_v1 = false;
};

/** The slots of the keys that are no state to clients. */
[[nodiscard]] agent_keys_apart keys_apart(const hosted_graph& of);

/** Writes a run for a client of AG-UI.
 *  @par Source   AG-UI 1.0, events and their order. */
class ag_ui_writer final : public run_writer {
public:
    ag_ui_writer(agent_run_names names, std::shared_ptr<const hosted_graph> of);

    void begin(std::string& out) override;
    [[nodiscard]] std::string_view protocol() const noexcept override { return "ag_ui"; }
    [[nodiscard]] event_frames frames(const feed_event& event) override;
    [[nodiscard]] bool is_long(const feed_event& event) const override;
    [[nodiscard]] task<void> prepare(const feed_event& event) override;
    void end(std::string& out, const run_ending& ending) override;
    void gap(std::string& out) override;
    [[nodiscard]] bool wants_outcome() const noexcept override { return true; }
    [[nodiscard]] last_word_function last_word() const noexcept override;

private:
    /** Clients whose stories began alike are told the same: what is written for one is for all of them. */
    enum class audience : std::uint8_t { unknown, whole_run, rest_of_run, apart };

    void note_first(const run_event& event) noexcept;
    [[nodiscard]] std::shared_ptr<const std::string> told(const feed_event& event) const;
    void append_close(std::string& out);
    void append_answer(std::string& out, const state& left);
    void append_finish(std::string& out, const run_ending& ending, boost::json::object outcome);
    void append_failure(std::string& out, std::string_view code, std::string_view message);
    [[nodiscard]] std::vector<std::string> pending_calls(const run_ending& ending) const;
    [[nodiscard]] boost::json::array usage_form() const;

    const agent_run_names names_;
    const std::shared_ptr<const hosted_graph> graph_;
    const agent_keys_apart apart_;
    agent_story story_;
    std::vector<story_item> items_;  // of the event in hand
    audience audience_ = audience::unknown;
};

/** A stream that tells of a refusal and of nothing else. */
[[nodiscard]] std::string refused_stream(const agent_run_names& names, std::string_view code, std::string_view why);

}  // namespace weft::serve_detail
