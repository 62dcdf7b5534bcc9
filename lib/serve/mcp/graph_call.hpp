#pragma once

#include "run_teller.hpp"
#include "serve/order/run_following.hpp"
#include "serve/run/run_launcher.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/tool/mcp/mcp_types.hpp>
#include <weft/tool/mcp_server/mcp_server_context.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace weft::serve_detail {

/** A call of a tool that is a graph: begins a run, or goes on with one, follows it to its end, and asks the client what
 *  the run asks. The run belongs to the server; only the client's word ends it.
 *
 *  @par Lifetimes   Core and context outlive it. */
class graph_call {
public:
    graph_call(serve_core& core, mcp_server_context& context, std::shared_ptr<const hosted_graph> graph);
    ~graph_call();
    graph_call(const graph_call&) = delete;
    graph_call& operator=(const graph_call&) = delete;

    /** @par Errors   `mcp_input_required`, `mcp_rejection`, `http_error`; those of the store. `errc::cancelled`: there
     *                is no answer now, and the client may come back for it. */
    [[nodiscard]] task<mcp_call_result> carry_out(boost::json::object arguments);

private:
    [[nodiscard]] task<run_follower> begin(boost::json::object arguments);
    [[nodiscard]] task<run_follower> come_back();
    [[nodiscard]] task<run_follower> answer(std::string state);
    [[nodiscard]] task<run_order> answering_order(boost::json::object responses);
    [[nodiscard]] task<run_ending> follow(run_follower& follower);
    [[nodiscard]] task<mcp_call_result> follow_to_end(run_follower follower);
    [[nodiscard]] std::optional<mcp_call_result> ask(const std::vector<open_question>& questions,
                                                     std::uint64_t last_event);
    [[nodiscard]] task<void> wait_for_answer();
    [[nodiscard]] mcp_call_result outcome_of(const run_ending& ending) const;
    [[nodiscard]] mcp_call_result question_text(const std::vector<open_question>& questions) const;
    [[nodiscard]] mcp_call_result with_ids(mcp_call_result result) const;

    serve_core& core_;
    mcp_server_context& context_;
    std::shared_ptr<const hosted_graph> graph_;
    std::string tenant_;
    thread_key thread_;
    std::optional<run_id> run_;
    std::optional<run_teller> teller_;
    std::set<std::string> asked_;   // addresses of questions that went to the client
    std::size_t asked_before_ = 0;  // of a client that came back: how many of them it has
    bool has_ended_ = false;        // the run is over, or waits; to cancel the call means nothing to it
};

/** A call of a tool by its name.
 *  @return  Nothing: no graph has it. */
[[nodiscard]] task<std::optional<mcp_call_result>> call_graph(serve_core& core, mcp_server_context& context,
                                                              std::string tool, boost::json::object arguments);

}  // namespace weft::serve_detail
