#pragma once

#include "serve/feed/run_feed.hpp"
#include "serve/run/served_set.hpp"

#include <weft/chat/usage.hpp>
#include <weft/graph/graph.hpp>

#include <boost/container/small_vector.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** A message of the assistant, as a run says it. */
struct said_item {
    std::string id;             ///< Of the message; another one than those of all items of the run.
    std::string text;           ///< What of it is known.
    std::string message_id;     ///< Under which the state has it; empty: not known.
    bool is_done = false;
    bool is_void = false;       ///< The model was asked again: it does not count.
    bool is_in_state = false;   ///< A message of the state is it.
};

/** One step of what a run says. */
struct said_step {
    enum class kind : std::uint8_t {
        begin,  ///< A message begins.
        piece,  ///< More of its text.
        end,    ///< It is whole.
        drop,   ///< It is void.
    };
    kind what = kind::begin;
    std::size_t item = 0;       ///< Its place in `run_transcript::items`.
    std::string_view text = {}; ///< Of a piece, as long as its event lives; empty: all of the item's text.
};
using said_steps = boost::container::small_vector<said_step, 4>;

/** A call that the client is to carry out, or a question that it is to answer. */
struct client_call {
    std::string id;
    std::string name;
    std::string arguments;  ///< JSON.
};

/** What a run says to people, from its events: messages of the assistant as they come, what they cost, and what is
 *  asked in the end. It decides, and writes nothing.
 *
 *      run_transcript said{graph};
 *      while (auto event = reader.next()) for (const said_step& step : said.take(event->what)) …
 *      for (const said_step& step : said.finish(ending)) …
 *
 *  Equal events give equal steps, so that clients that come later count them as those before. A node that cannot write
 *  what the graph answers with (`chat_graph::answer_key`) is not heard; neither are loops that face no client.
 *
 *  @par Lifetimes   Shares the graph. */
class run_transcript {
public:
    /** @param graph   Null: the server does not have it any more.
     *  @param after   Events up to this one belong to an earlier response. */
    explicit run_transcript(std::shared_ptr<const hosted_graph> graph, std::uint64_t after = 0);

    [[nodiscard]] said_steps take(const run_event& event);
    /** What is left to be said when the run is over or waits. */
    [[nodiscard]] said_steps finish(const run_ending& ending);

    [[nodiscard]] const std::vector<said_item>& items() const noexcept { return items_; }
    /** Those that count, in their order, one paragraph each. */
    [[nodiscard]] std::string text() const;
    [[nodiscard]] const usage& used() const noexcept { return used_; }
    /** What is asked of the client, after `finish`. */
    [[nodiscard]] const std::vector<client_call>& calls() const noexcept { return calls_; }
    /** How many messages the conversation had when the run began or went on; nothing: not known. */
    [[nodiscard]] std::optional<std::size_t> messages_before() const noexcept
    {
        return knows_before_ ? std::optional{messages_before_} : std::nullopt;
    }
    /** A limit has ended the run. */
    [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }
    /** The run has waited, and goes on: what follows belongs to another response. */
    [[nodiscard]] bool is_past() const noexcept { return is_past_; }

private:
    struct open_visit {
        std::size_t item;
        std::string node;
        std::uint32_t visit;
        std::string address;
        std::string visits;
    };
    struct asked {
        std::string address;
        client_call call;
    };
    void take_start(const run_event& event, said_steps& steps);
    void take_output(const run_event& event, said_steps& steps);
    void take_writes(const run_event& event, said_steps& steps);
    void take_message(const message& one, said_steps& steps);
    void finish_messages(const state& values, said_steps& steps);
    void ask_for(const run_ending& ending);
    [[nodiscard]] std::optional<std::size_t> find_visit(const run_event& event) const;
    std::size_t begin_item(std::string message_id, said_steps& steps);
    void end_item(std::size_t item, std::string_view text, said_steps& steps);
    void drop_item(std::size_t item, said_steps& steps);
    void drop_visit(const run_event& event, said_steps& steps);
    void end_visit(const run_event& event, said_steps& steps);
    [[nodiscard]] bool is_heard(const run_event& event);

    std::shared_ptr<const hosted_graph> graph_;
    const chat_graph* chat_;  // null: no graph
    std::uint64_t after_;
    std::vector<said_item> items_;
    std::vector<open_visit> open_;
    std::vector<std::pair<std::string, bool>> heard_;  // nodes of the graph, whether they are
    std::vector<asked> asked_;
    std::vector<tool_call> open_calls_;  // of the state, as far as the events tell
    std::vector<client_call> calls_;
    usage used_;
    run_id run_ = {};
    std::size_t messages_before_ = 0;  // in the state, when the run began or went on
    bool knows_before_ = false;
    bool is_cut_ = false;
    bool has_paused_ = false;
    bool is_past_ = false;
};

/** The first question of a run that is for a person, and no call of a tool of the client; null: there is none. */
[[nodiscard]] const question* question_for_person(const run_ending& ending);

/** The arguments of the call that stands for a question: what is asked, and the schema of the answer. */
[[nodiscard]] boost::json::object question_arguments(const question& asked);

}  // namespace weft::serve_detail
