#include <boost/test/unit_test.hpp>

#include "agent/tool_agents.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/base/json.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/store/memory_store.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(request_record_test)

using namespace weft_tests::tool_agents;
using weft::testing::scripted_turn;

namespace {

namespace json = boost::json;

/** What a run says of its calls of models. */
struct call_log {
    std::map<std::uint64_t, json::object> requests = {};
    std::vector<json::object> replies = {};
    std::string texts = {};

    void hear(const weft::run_event& event)
    {
        if (event.what != weft::run_event::kind::output) return;
        const bool is_request = weft::agent_event::model_request == event.label;
        if (!is_request && weft::agent_event::model_reply != event.label) return;
        texts += event.text;
        json::object said = weft::parse_json(event.text).as_object();
        if (is_request) requests.emplace(said.at("number").to_number<std::uint64_t>(), std::move(said));
        else replies.push_back(std::move(said));
    }
    /** A list of a request, as readers put it together. */
    [[nodiscard]] json::array whole(std::uint64_t number, std::string_view list) const
    {
        const json::object& request = requests.at(number);
        json::array before;
        if (const json::value* const of = request.if_contains("of"))
            before = whole(of->to_number<std::uint64_t>(), list);
        json::array all;
        for (const json::value& item : request.at(list).as_array()) {
            const json::value* const same = item.as_object().if_contains("same");
            if (!same) all.push_back(item);
            for (auto left = same ? same->to_number<std::size_t>() : 0; left > 0; --left)
                all.push_back(before.at(all.size()));
        }
        return all;
    }
};

weft::task<weft::run_result> run_recorded(weft::graph what, weft::run_request request, call_log& log, bool is_recorded)
{
    weft::memory_store store;
    auto graphs = std::make_shared<weft::durable_graphs>();
    const std::string name{what.name()};
    graphs->add(std::move(what));
    weft::durable_options options;
    options.records_requests = is_recorded;
    options.on_event = [&log](const weft::thread_key&, const weft::run_event& event) { log.hear(event); };
    weft::durable_engine engine{store, std::move(graphs), std::move(options)};
    co_await engine.open();
    weft::durable_request order{std::move(request)};
    order.of(name);
    weft::run_result result = co_await engine.run(std::move(order));
    co_await engine.close();
    co_return result;
}

/** Asks an agent durably. */
call_log recorded(const weft::react_agent& agent, std::string question, bool is_recorded = true)
{
    call_log log;
    weft::testing::simulation sim{1};
    weft::run_request request{"t"};
    request.input(weft::react_messages, weft::message::user(std::move(question)));
    static_cast<void>(sim.run(run_recorded(agent.graph(), std::move(request), log, is_recorded)));
    return log;
}

std::shared_ptr<weft::testing::scripted_model> three_turns()
{
    const auto model = script();
    model->then(scripted_turn{}.call("weather", {{"city", "Rome"}}))
        .then(scripted_turn{}.call("weather", {{"city", "Oslo"}}))
        .then(scripted_turn{"Take an umbrella."});
    return model;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_request_is_recorded_as_it_was_sent_and_a_conversation_once)
{
    const auto model = three_turns();
    weft::react_options options = weather_agent();
    options.settings.temperature = 0.25;
    const call_log log = recorded(weft::react_agent{model, std::move(options)}, "Umbrella?");
    const std::vector<weft::chat_request> sent = model->requests();
    BOOST_TEST_REQUIRE(sent.size() == 3u);
    BOOST_TEST_REQUIRE(log.requests.size() == 3u);
    for (std::uint64_t i = 0; i < 3; ++i) {
        const json::object& request = log.requests.at(i + 1);
        BOOST_TEST(log.whole(i + 1, "messages") == weft::to_json(sent[i].messages).as_array());
        const json::array tools = log.whole(i + 1, "tools");
        BOOST_TEST_REQUIRE(tools.size() == 1u);
        BOOST_TEST(tools[0].at("name") == "weather");
        BOOST_TEST(tools[0].at("fingerprint").as_string().size() == 16u);
        BOOST_TEST(request.at("asked") == "scripted");
        BOOST_TEST(request.at("parameters").at("temperature") == 0.25);
        BOOST_TEST(request.at("parameters").at("tool_choice") == "automatic");
    }
    BOOST_TEST(!log.requests.at(1).contains("of"));
    BOOST_TEST(log.requests.at(3).at("of") == 2);
    // Behind what was there: the call of the tool and its result.
    const json::array& last = log.requests.at(3).at("messages").as_array();
    BOOST_TEST_REQUIRE(last.size() == 3u);
    BOOST_TEST(last[0] == (json::value{{"same", 4}}));
    BOOST_TEST(last[2].at("content") == "rain in Oslo");
    BOOST_TEST(log.requests.at(3).at("tools") == (json::value{json::object{{"same", 1}}}));

    BOOST_TEST_REQUIRE(log.replies.size() == 3u);
    BOOST_TEST(log.replies[0].at("of") == 1);
    BOOST_TEST(log.replies[0].at("message").at("tool_calls").as_array().size() == 1u);
    BOOST_TEST(log.replies[2].at("stop") == "stop");
    BOOST_TEST(log.replies[2].at("message") == weft::to_json(weft::message::assistant("Take an umbrella.")));
}

BOOST_AUTO_TEST_CASE(a_run_that_does_not_record_says_nothing_of_its_calls)
{
    const call_log log = recorded(weft::react_agent{three_turns(), weather_agent()}, "Umbrella?", false);
    BOOST_TEST(log.requests.empty());
    BOOST_TEST(log.replies.empty());
}

BOOST_AUTO_TEST_CASE(a_recorded_request_has_no_secrets_and_a_bound)
{
    const auto model = script();
    model->then(scripted_turn{"Done."});
    weft::react_options options = weather_agent();
    options.settings.system = "The key is sk-abcdefghijklmnopqrstuvwx. " + std::string(100'000, 'y');
    // The end of what is looked at is in a key, of which too little is there to see it as one.
    const std::string pem = "-----BEGIN PRIVATE KEY-----" + std::string(3'000, 'k') + "-----END PRIVATE KEY-----";
    const std::string filler((64u << 10) + 256 - 12 - pem.size() - 1, ' ');
    const std::string question = pem + filler + " sk-zyxwvutsrqponmlkjihgfedcba";
    const call_log log = recorded(weft::react_agent{model, std::move(options)}, question);
    BOOST_TEST_REQUIRE(log.requests.size() == 1u);
    BOOST_TEST(log.texts.find("sk-") == std::string::npos);
    BOOST_TEST(log.texts.size() < (130u << 10));
    const json::array messages = log.whole(1, "messages");
    BOOST_TEST_REQUIRE(messages.size() == 2u);
    BOOST_TEST(messages[0].at("content").as_string().starts_with("The key is *** yyy"));
    BOOST_TEST(messages[0].at("cut").to_number<std::size_t>() > 34'000u);
    BOOST_TEST(messages[1].at("content").as_string().starts_with("***  "));
}

BOOST_AUTO_TEST_CASE(a_call_that_fails_is_recorded_with_why)
{
    const auto model = script();
    model->then(scripted_turn{"It ra"}.fails(weft::errc::connection_lost, "gone, password=hunter22"));
    const call_log log = recorded(weft::react_agent{model, weather_agent()}, "Umbrella?");
    BOOST_TEST_REQUIRE(log.replies.size() == 1u);
    BOOST_TEST(log.replies[0].at("error") == "connection_lost");
    BOOST_TEST(log.replies[0].at("message").at("content") == "It ra");
    BOOST_TEST(log.texts.find("hunter22") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
