#include <boost/test/unit_test.hpp>

#include "agent/tool_agents.hpp"

#include <weft/base/error.hpp>
#include <weft/engine/memory_journal.hpp>

#include <stdexcept>

using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(agent_hooks_test)

using namespace weft_tests::tool_agents;

namespace {

using reply_or_none = std::optional<weft::chat_reply>;

weft::chat_reply says_text(std::string text)
{
    weft::chat_reply reply;
    reply.message = weft::message::assistant(std::move(text));
    reply.stop = weft::stop_reason::stop;
    return reply;
}

weft::run_result ask_with(const std::shared_ptr<weft::chat_model>& model, weft::agent_hooks hooks)
{
    weft::react_options options = weather_agent();
    options.hooks = std::move(hooks);
    options.tools.add("broken", "", [] { throw std::runtime_error{"out of order"}; });
    return ask(weft::react_agent{model, std::move(options)}.graph(), "Umbrella?");
}

std::string answer_of(const weft::run_result& result)
{
    const std::string* const answer = result.state.find(weft::react_answer);
    return answer ? *answer : result.message();
}

/** The last tool result that a model saw. */
std::string seen_result(const weft::testing::scripted_model& model)
{
    return last_of(model.requests().back(), weft::role::tool);
}

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_12_hooks_of_one_kind_form_a_chain)
{
    const auto model = script();
    model->then(scripted_turn{"rain"}.expects([](const weft::chat_request& request) {
        BOOST_TEST(request.labels.at("order") == "12");
    }));
    std::string agents;
    weft::agent_hooks hooks;
    for (const char* const name : {"1", "2"}) {
        hooks.before_model([name, &agents](std::string_view agent, weft::chat_request& request) {
            agents += agent;
            request.labels["order"] += name;
            return reply_or_none{};
        });
        hooks.after_model([name](std::string_view, const weft::chat_request& request, weft::chat_reply& reply) {
            reply.message = weft::message::assistant(reply.message.text() + name + request.labels.at("order"));
        });
    }
    BOOST_TEST(answer_of(ask_with(model, hooks)) == "rain112212");
    BOOST_TEST(agents == "agentagent");
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(PYA_12_a_reply_of_a_hook_stands_for_the_call)
{
    const auto model = script();
    int later = 0;
    weft::agent_hooks hooks;
    hooks.before_model([](std::string_view, weft::chat_request&) { return reply_or_none{says_text("cached")}; });
    hooks.before_model([&later](std::string_view, weft::chat_request&) { return ++later, reply_or_none{}; });
    hooks.after_model([](std::string_view, const weft::chat_request&, weft::chat_reply& reply) {
        reply.message = weft::message::assistant(reply.message.text() + "!");
    });
    BOOST_TEST(answer_of(ask_with(model, hooks)) == "cached!");
    BOOST_TEST(model->requests().empty());
    BOOST_TEST(later == 0);
}

BOOST_AUTO_TEST_CASE(PYA_12_what_a_hook_throws_fails_the_call)
{
    weft::agent_hooks hooks;
    hooks.before_model([](std::string_view, weft::chat_request&) -> reply_or_none {
        throw weft::error{weft::errc::invalid_output, "validator", "it looks like an injection"};
    });
    const auto model = script();
    const weft::run_result result = ask_with(model, hooks);
    BOOST_REQUIRE((result.status == weft::run_status::failed));
    BOOST_TEST(result.message().find("an injection") != std::string::npos);
    BOOST_TEST(model->requests().empty());
}

BOOST_AUTO_TEST_CASE(PYA_12_a_failure_of_the_model_is_mended_by_the_first_hook_that_can)
{
    const auto model = script();
    model->otherwise(scripted_turn{}.text("half").fails(weft::errc::model_rejected, "no"));
    std::string seen;
    weft::agent_hooks hooks;
    hooks.on_model_error([&](std::string_view, const weft::chat_request& request, const std::exception_ptr& why) {
        seen = std::string{name_of(weft::code_of(why))} + std::to_string(request.messages.size());
        return reply_or_none{};
    });
    BOOST_TEST((ask_with(model, hooks).status == weft::run_status::failed));
    BOOST_TEST(seen == "model_rejected2");
    hooks.on_model_error([](std::string_view, const weft::chat_request&, const std::exception_ptr&) {
        return reply_or_none{says_text("Sorry.")};
    });
    BOOST_TEST(answer_of(ask_with(model, hooks)) == "Sorry.");
}

BOOST_AUTO_TEST_CASE(PYA_12_watchers_of_a_mended_reply_see_what_counts)
{
    const auto model = script();
    model->then(scripted_turn{}.text("half").fails(weft::errc::model_rejected, "no"));
    weft::react_options options = weather_agent();
    options.hooks.on_model_error([](std::string_view, const weft::chat_request&, const std::exception_ptr&) {
        return reply_or_none{says_text("Sorry.")};
    });
    std::string emitted;
    const auto watch = [&emitted](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::output) emitted += event.label + ":" + event.text + " ";
    };
    const weft::react_agent agent{model, std::move(options)};
    (void)run_with(agent.graph(),
                   weft::run_request{}.input(weft::react_messages, weft::message::user("?")).on_event(watch));
    BOOST_TEST(emitted == "output:half retract: output:Sorry. ");
}

BOOST_AUTO_TEST_CASE(PYA_12_hooks_change_skip_and_mend_tool_calls)
{
    const auto after_call = [](scripted_turn turn, weft::agent_hooks hooks) {
        const auto model = script();
        model->then(std::move(turn)).then(scripted_turn{"done"});
        (void)ask_with(model, std::move(hooks));
        return seen_result(*model);
    };
    const scripted_turn rome = scripted_turn{}.call("weather", {{"city", "Rome"}});
    weft::agent_hooks changes;
    changes.before_tool([](weft::tool_invocation& call) {
        call.arguments["city"] = "Bonn";
        return std::optional<std::string>{};
    });
    changes.after_tool([](const weft::tool_invocation& call, weft::tool_answer& answer) {
        answer.result = weft::tool_result::text(answer.result.readable() + " by " + call.call.name);
    });
    BOOST_TEST(after_call(rome, changes) == "rain in Bonn by weather");
    weft::agent_hooks skips;
    skips.before_tool([](weft::tool_invocation&) { return std::optional<std::string>{"not today"}; });
    BOOST_TEST(after_call(rome, skips) == "Skipped: not today");
    weft::agent_hooks mends;
    mends.on_tool_error([](const weft::tool_invocation&, const weft::tool_answer&) {
        return std::optional<weft::tool_result>{};
    });
    mends.on_tool_error([](const weft::tool_invocation& call, const weft::tool_answer& failed) {
        return std::optional{weft::tool_result::text(call.call.name + " instead of " + failed.result.readable())};
    });
    BOOST_TEST(after_call(scripted_turn{}.call("broken"), mends) ==
               "broken instead of Internal execution error: out of order");
    BOOST_TEST(after_call(rome, mends) == "rain in Rome");
}

BOOST_AUTO_TEST_CASE(PYA_12_a_tool_hook_that_throws_fails_that_call_only)
{
    const auto model = script();
    model->then(scripted_turn{}.call("weather", {{"city", "Rome"}}).call("weather", {{"city", "Bonn"}}))
        .then(scripted_turn{"done"});
    weft::agent_hooks hooks;
    hooks.before_tool([](weft::tool_invocation& call) -> std::optional<std::string> {
        if (call.arguments.at("city").as_string() == "Rome") throw std::runtime_error{"hook"};
        return std::nullopt;
    });
    const weft::run_result result = ask_with(model, hooks);
    BOOST_TEST(result.message() == "finished");
    const std::string all = told(result.state.get(weft::react_messages));
    BOOST_TEST(all.find("tool: Internal execution error: hook / tool: rain in Bonn") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(PYA_12_hooks_of_the_tool_options_come_nearest_to_the_call)
{
    std::string order;
    weft::react_options options = weather_agent();
    options.tool_options.before = [&](weft::tool_invocation&) { return order += "b", std::optional<std::string>{}; };
    options.tool_options.after = [&](const weft::tool_invocation&, weft::tool_answer&) { order += "a"; };
    options.hooks.before_tool([&](weft::tool_invocation&) { return order += "B", std::optional<std::string>{}; });
    options.hooks.after_tool([&](const weft::tool_invocation&, weft::tool_answer&) { order += "A"; });
    const auto model = script();
    model->then(scripted_turn{}.call("weather", {{"city", "Rome"}})).then(scripted_turn{"done"});
    (void)ask(weft::react_agent{model, std::move(options)}.graph(), "?");
    BOOST_TEST(order == "BbaA");
}

BOOST_AUTO_TEST_CASE(without_hooks_nothing_stands_around_a_model)
{
    const std::shared_ptr<weft::chat_model> model = script();
    BOOST_TEST((weft::agent_hooks{}.around(model, "a") == model));
    BOOST_TEST((weft::agent_hooks{}.around(nullptr, "a") == nullptr));
}

BOOST_AUTO_TEST_SUITE_END()
