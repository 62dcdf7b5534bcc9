#include <boost/test/unit_test.hpp>

#include "tool/tools.hpp"

#include <weft/engine/engine.hpp>
#include <weft/engine/memory_journal.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/tool/function_tool.hpp>
#include <weft/tool/tool_node.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(tool_once_test)

namespace {

constexpr weft::state_key<weft::list<weft::message>, weft::append> messages{"messages"};
constexpr weft::state_key<std::int64_t, weft::add> total{"total"};
constexpr weft::state_key<std::string> fate{"fate"};

struct purchase {
    std::int64_t price = 0;
};
BOOST_DESCRIBE_STRUCT(purchase, (), (price))

/** What tools do to the world. */
struct shop {
    int sold = 0;
    std::vector<std::string> keys;
};

weft::tool_set shop_tools(shop& at)
{
    weft::tool_set tools;
    tools.add("buy", "Buys.", [&at](const purchase& what, const weft::tool_context& context) {
        ++at.sold;
        at.keys.push_back(context.idempotency_key);
        return weft::tool_result::text("sold for " + std::to_string(what.price)).set(total, what.price);
    });
    return tools;
}

/** Two calls of one message, and then a failure as often as it says. */
weft::graph shopping(shop& at, int& fails_then, weft::tool_runner_options options = {})
{
    const weft::tool_node tools{shop_tools(at), {}, std::move(options)};
    struct both {
        static weft::task<void> work(weft::tool_node tools, weft::node_context& node, int& fails_then)
        {
            (void)co_await tools(node);
            if (fails_then-- > 0) throw weft::error{weft::errc::model_overloaded, "test", "behind the tools"};
        }
    };
    const auto work = [tools, &fails_then](weft::node_context& node) { return both::work(tools, node, fails_then); };
    weft::node_options tries_three;
    tries_three.retry = {.attempts_max = 3, .jitter = weft::jitter::none};
    return weft::graph_builder{"g"}.state(messages, total, fate).node("n", work, tries_three)
        .edge(weft::start, "n").build();
}

weft::run_result run_with(const weft::graph& graph, const std::shared_ptr<weft::memory_journal>& journal)
{
    weft::message asking = weft::message::assistant("");
    asking.tool_calls = {call_of("c1", "buy", R"({"price":3})"), call_of("c2", "buy", R"({"price":4})")};
    weft::run_request request;
    request.input(messages, asking);
    if (journal) request.journal(journal);
    weft::testing::simulation sim{1};
    const weft::engine engine{graph};
    return sim.run(engine.run(std::move(request)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(P24_a_tool_call_is_made_once_over_further_attempts_and_its_writes_count_once)
{
    shop at;
    int fails_then = 2;
    const weft::run_result result =
        run_with(shopping(at, fails_then), std::make_shared<weft::memory_journal>("tenant/thread/run"));
    BOOST_TEST((result.status == weft::run_status::finished), result.message());
    BOOST_TEST(at.sold == 2);
    BOOST_TEST(result.state.get(total) == 7);
    BOOST_TEST(result.state.get(messages).size() == 3u);
    BOOST_TEST(result.state.get(messages)[2].text() == "sold for 4");
    BOOST_REQUIRE(at.keys.size() == 2u);
    BOOST_TEST(at.keys[0] != at.keys[1]);
    BOOST_TEST(at.keys[0].size() == 36u);
}

BOOST_AUTO_TEST_CASE(without_a_journal_and_where_it_is_not_wanted_each_attempt_makes_the_calls)
{
    for (const bool has_journal : {false, true}) {
        shop at;
        int fails_then = 1;
        weft::tool_runner_options options;
        options.once = false;
        const auto journal = has_journal ? std::make_shared<weft::memory_journal>("run") : nullptr;
        const weft::run_result result = run_with(shopping(at, fails_then, options), journal);
        BOOST_TEST((result.status == weft::run_status::finished), result.message());
        BOOST_TEST(at.sold == 4);
        BOOST_TEST(at.keys[0] == "c1");
    }
}

BOOST_AUTO_TEST_CASE(P24_a_call_in_doubt_follows_the_policy_and_the_model_reads_what_became_of_it)
{
    const auto journal = std::make_shared<weft::memory_journal>("run");
    weft::testing::simulation sim{1};
    sim.run(journal->record(
        weft::effect_record{"n#1/tool:buy:c1#0", weft::effect_phase::intended, "key", "null"}));
    shop at;
    int fails_then = 0;
    weft::tool_runner_options options;
    options.effect.in_doubt = weft::doubt_policy::fail;
    const weft::run_result result = run_with(shopping(at, fails_then, options), journal);
    BOOST_TEST((result.status == weft::run_status::finished), result.message());
    BOOST_TEST(at.sold == 1);  // the other one
    const weft::message told = result.state.get(messages)[1];
    BOOST_TEST(told.is_error);
    BOOST_TEST(told.text().find("nobody knows whether the effect happened") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(P17_parallel_tools_are_confirmed_each_by_its_own_question)
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        shop at;
        int fails_then = 0;
        weft::tool_runner_options options;
        options.policy = [](const auto&, const auto&) { return weft::tool_decision::confirm("Buy it?"); };
        options.confirm = weft::confirm_by_question;
        const weft::graph graph = shopping(at, fails_then, options);
        weft::message asking = weft::message::assistant("");
        asking.tool_calls = {call_of("c1", "buy", R"({"price":3})"), call_of("c2", "buy", R"({"price":4})")};
        weft::testing::simulation sim{seed};
        const weft::engine engine{graph};
        const auto journal = std::make_shared<weft::memory_journal>("run");
        weft::run_request request;
        request.input(messages, asking).journal(journal);
        const weft::run_result both = sim.run(engine.run(std::move(request)));
        BOOST_REQUIRE(both.questions.size() == 2u);
        weft::run_request first;
        first.resume(both.paused_at).answer("n#1/confirm:c2#0", true);
        const weft::run_result half = sim.run(engine.run(std::move(first)));
        BOOST_REQUIRE(half.questions.size() == 1u);
        BOOST_TEST(half.questions[0].asked.about.at("arguments").at("price").as_int64() == 3);
        weft::run_request second;
        second.resume(half.paused_at).answer("n#1/confirm:c1#0", false);
        const weft::run_result done = sim.run(engine.run(std::move(second)));
        BOOST_TEST((done.status == weft::run_status::finished), done.message());
        BOOST_TEST(done.state.get(total) == 4);
        BOOST_TEST(at.sold == 1);
    }
}

BOOST_AUTO_TEST_SUITE_END()
