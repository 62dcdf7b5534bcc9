#pragma once

#include "agent_input.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace weft::serve_detail {

/** What is known of a conversation before a client's request is carried out. */
struct known_conversation {
    known_conversation() {}

    /** The run that the thread has. */
    enum class run_state : std::uint8_t { none, under_way, waiting };

    run_state run = run_state::none;
    bool has_request = false;                   ///< A run was begun by this very request: it is sent again.
    std::set<std::string, std::less<>> messages = {};  ///< Ids of those that the thread has, or a run brings.
    std::string last_message = {};              ///< The id of the last one that the thread has.
    std::set<std::string, std::less<>> calls = {};     ///< Ids of the calls of tools in it,
    std::set<std::string, std::less<>> answered = {};  ///< and of those that have a result.
    std::vector<std::string> questions = {};    ///< Addresses of those that are open.
    /** Calls of the client's own tools that the run waits for, and the addresses of their questions. */
    std::map<std::string, std::string, std::less<>> client_calls = {};
};

/** What a request means. */
struct agent_turn {
    agent_turn() {}

    enum class kind : std::uint8_t {
        join,    ///< The client watches the run that the thread has.
        answer,  ///< Questions are answered.
        post,    ///< Results of tools that the client carries out go to the run that waits for them.
        cancel,  ///< The run ends: its question stays without an answer.
        begin,   ///< A run begins.
        again,   ///< Another answer to the client's last message, which the thread has answered already.
        refuse,  ///< The client gets the reason.
    };

    kind what = kind::begin;
    std::vector<std::size_t> added = {};  ///< The messages that the thread has not, by their place in the request.
    boost::json::object answers = {};     ///< By the address of the question.
    std::string code = {};                ///< Of a refusal,
    std::string why = {};                 ///< and for people.
};

/** Decides what a request means. A client sends its whole conversation each time: what the thread has is not added
 *  again, and a request that brings nothing while a run is under way, or waits, joins that run. */
[[nodiscard]] agent_turn plan_turn(const agent_input& input, const known_conversation& known);

}  // namespace weft::serve_detail
