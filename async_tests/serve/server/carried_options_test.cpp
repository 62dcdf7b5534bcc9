#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/async/sleep.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/serve/worker.hpp>

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

/** What a client says of a run holds wherever the run is performed. */
BOOST_AUTO_TEST_SUITE(carried_options_test)

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::vector<weft::message>, weft::append> said{"messages"};
inline constexpr weft::state_key<std::int64_t> rounds{"rounds"};
inline constexpr weft::state_key<std::int64_t> most{"most"};
inline constexpr weft::state_key<bool> asks{"asks"};

weft::task<void> turn(weft::node_context& ctx)
{
    const std::int64_t before = ctx.value_or(rounds, 0);
    if (before == 0 && ctx.value_or(asks, false)) static_cast<void>(co_await ctx.ask<std::string>("Go on?"));
    ctx.set(rounds, before + 1);
}

/** Goes round `most` times; with `asks` it asks first. */
weft::graph rounds_graph()
{
    weft::graph_builder builder{"rounds"};
    builder.state(said, rounds, most, asks);
    builder.node("turn", turn);
    builder.edge(weft::start, "turn");
    builder.edge_when("turn", "turn", [](const weft::state_view& at) { return at.value_or(rounds, 0) < at.get(most); });
    return builder.edge("turn", weft::end).build();
}

/** A server that performs runs itself, or one that performs none beside a worker. */
class deployment {
public:
    explicit deployment(bool has_worker)
    {
        weft::server_options options;
        if (has_worker) options.runs.performed_max = 0;
        options.runs.names_graphs = has_worker;
        server_ = std::make_unique<life>(loop_, store_, std::vector<weft::served_graph>{rounds_graph()},
                                         std::move(options));
        if (!has_worker) return;
        weft::worker_options of_worker;
        of_worker.heartbeats_apart = false;
        of_worker.runs.poll_every = of_worker.runs.poll_every_with_news = 20ms;
        of_worker.runs.names_graphs = true;
        const std::vector<weft::served_graph> graphs{rounds_graph()};
        worker_ = std::make_unique<weft::worker>(loop_.loop(), weft::server_stores{store_}, graphs, of_worker);
        working_ = std::make_unique<started<void>>(loop_, worker_->run());
    }
    ~deployment()
    {
        if (worker_) worker_->drain();
        if (working_) loop_.run_until([this] { return working_->is_done(); });
        server_->drain();
    }
    deployment(const deployment&) = delete;
    deployment& operator=(const deployment&) = delete;

    /** What a client sees of a thread after runs with these bodies. */
    std::string seen_after(const std::vector<std::string>& bodies)
    {
        std::string seen;
        for (const std::string& body : bodies) {
            const answer got = server_->post(
                "/threads/t/runs/wait", R"({"assistant_id":"rounds","if_not_exists":"create",)" + body + "}");
            seen += std::to_string(got.status) + ' ' + without_ids(got.json()) + '\n';
        }
        const boost::json::value runs = server_->send("GET", "/threads/t/runs").json();
        for (const boost::json::value& run : runs.as_array()) {
            boost::json::object shown{{"status", run.at("status")}, {"strategy", run.at("multitask_strategy")}};
            boost::json::object metadata = run.at("metadata").as_object();
            metadata.erase("assistant_id");
            shown["metadata"] = std::move(metadata);
            seen += boost::json::serialize(shown) + '\n';
        }
        const boost::json::value history = server_->send("GET", "/threads/t/history").json();
        for (const boost::json::value& state : history.as_array())
            seen += without_ids(state.at("values")) + ' ' + boost::json::serialize(state.at("next")) + '\n';
        return seen;
    }

private:
    /** The numbers of a state, and how many messages it has; of an error what it says. */
    static std::string without_ids(const boost::json::value& values)
    {
        boost::json::object shown;
        for (const auto& [name, value] : values.as_object()) {
            if (name == "messages") shown["messages"] = value.as_array().size();
            else if (name == "__interrupt__") shown["asks"] = value.at(0).at("value");
            // Of a run elsewhere the store knows what its failure says, and no code.
            else if (name == "__error__") shown["error"] = value.at("message");
            else shown[name] = value;
        }
        return boost::json::serialize(shown);
    }

    test_loop loop_;
    weft::memory_store store_;
    std::unique_ptr<life> server_;
    std::unique_ptr<weft::worker> worker_;
    std::unique_ptr<started<void>> working_;
};

BOOST_AUTO_TEST_CASE(what_a_request_says_of_its_run_holds_at_a_worker_as_on_one_server)
{
    const std::string plain = R"("input":{"most":4})";
    const std::string limited = R"("input":{"most":4},"config":{"recursion_limit":2})";
    const std::string asking = R"("input":{"most":4,"asks":true})";
    const std::string answer = R"("command":{"resume":"yes"})";
    const std::string few = R"(,"config":{"recursion_limit":2})";
    const std::string many = R"(,"config":{"recursion_limit":9})";
    const std::string spoken = R"("input":{"most":2,"messages":[{"role":"user","content":"hi"}]})";
    struct row {
        std::string option;
        std::vector<std::string> bodies;
        std::string shows;  // what the option does
    };
    const std::vector<row> rows{
        {"input", {plain}, R"("rounds":4)"},
        {"recursion_limit", {limited}, "used up its steps"},
        {"recursion_limit of a further run", {plain, R"("config":{"recursion_limit":1},"input":{"rounds":0})"},
         "used up its steps"},
        {"a run that goes on after its limit", {limited, R"("config":{"recursion_limit":9})"}, R"("rounds":4)"},
        {"the input as a place to go back to", {spoken}, R"({"messages":1,"most":2} ["turn"])"},
        {"metadata", {plain + R"(,"metadata":{"who":"ann"})"}, R"("who":"ann")"},
        {"multitask_strategy", {plain + R"(,"multitask_strategy":"reject")"}, R"("strategy":"reject")"},
        {"after_seconds", {plain + R"(,"after_seconds":0)"}, R"("rounds":4)"},
        {"a question", {asking}, R"("asks":)"},
        {"recursion_limit of an answer", {asking, answer + few}, "used up its steps"},
        {"an answer without recursion_limit", {asking, answer}, R"("rounds":4)"},
        {"recursion_limit of an answer over that of the input", {asking + few, answer + many}, R"("rounds":4)"},
        {"command.update", {plain, R"("command":{"update":{"rounds":1}})"}, R"("rounds":1)"},
    };
    for (const row& each : rows) {
        BOOST_TEST_CONTEXT(each.option)
        {
            const std::string alone = deployment{false}.seen_after(each.bodies);
            const std::string at_worker = deployment{true}.seen_after(each.bodies);
            BOOST_TEST((alone.find(each.shows) != alone.npos), alone);
            BOOST_TEST(at_worker == alone);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
