#pragma once

#include "conversation_input.hpp"
#include "run_transcript.hpp"
#include "serve/http/api_call.hpp"
#include "serve/order/assistants.hpp"
#include "serve/order/request_claim.hpp"
#include "serve/order/run_following.hpp"
#include "serve/run/run_launcher.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace weft::serve_detail {

/** What a client says to a graph, whichever of OpenAI's protocols it speaks. */
struct openai_turn {
    openai_turn() {}

    run_id id = {};  ///< Of the run; nil: any.
    std::string model = {};
    conversation_input input = {};
    std::string instructions = {};
    boost::json::array tools = {};  ///< Of the client, as Responses have them.
    boost::json::object sent_tools = {};  ///< As the client gave them, for graphs that offer them to their model.
    boost::json::object notes = {}; ///< For the metadata of the run.
};

/** What a turn orders in a thread: answers to what the thread waits for, or a run behind those before.
 *
 *  Outputs of functions answer questions and calls of tools that are open there. One that answers nothing is refused;
 *  so is a new message while something is open, and an answer to some calls of the client's tools without the others.
 *
 *  @param makes_thread   If it is not there.
 *  @par Errors   `http_error`: 404 no such model or thread; 400 `tool_call_not_found`, `missing_tool_output`, an
 *                answer that does not fit its question; 409 `conversation_locked`: a run is under way. */
[[nodiscard]] task<run_order> order_turn(serve_core& core, thread_key thread, openai_turn turn, bool makes_thread);

/** What a turn orders without a thread: it has all that was said. */
[[nodiscard]] task<run_order> order_turn_alone(serve_core& core, std::string tenant, openai_turn turn);

/** A run that a client of OpenAI's protocols has begun, or has let go on. */
struct begun_turn {
    begun_turn() {}

    run_follower follower = {};
    std::shared_ptr<const hosted_graph> graph = {};
    run_id run = {};
    std::uint64_t after = 0;  ///< The event behind which its answer begins.
    std::optional<wall_time> created = {};  ///< As the store has it, if it was asked.
};

/** For `request_claim::hold`. */
[[nodiscard]] begun_request begun_by(const begun_turn& begun);

/** Launches an order. The audit log has answers. The follower can stop a run that is not kept. */
[[nodiscard]] task<begun_turn> launch_turn(serve_core& core, api_call& call, run_order order);

/** The same, and waits until the store has the run. */
[[nodiscard]] task<begun_turn> enter_turn(serve_core& core, api_call& call, run_order order);

/** The turn that a request has begun before.
 *  @par Errors  `http_error` 404: its run is gone. */
[[nodiscard]] task<begun_turn> turn_before(serve_core& core, api_call& call, begun_request known);

/** Where clients of LangGraph's protocol find a run: `Content-Location`. No header if it is not kept. */
[[nodiscard]] http_headers place_of_run(const begun_turn& of);

/** Hears a run to its end, or until it waits, or goes on behind what belongs to the transcript.
 *  @return         How it ended, with the values that it left, if they are known.
 *  @par Errors     `http_error` 503: a drain has given it back.
 *  @par Lifetimes  The transcript outlives the task. */
[[nodiscard]] task<run_ending> hear_out(serve_core& core, run_follower follower, run_transcript& said);

/** The assistant of a model's name. @par Errors  `http_error` 404 `model_not_found`. */
[[nodiscard]] task<assistant> require_model(serve_core& core, std::string tenant, std::string model);

}  // namespace weft::serve_detail
