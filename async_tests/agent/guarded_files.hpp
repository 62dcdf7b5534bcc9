#pragma once

#include "filed_agents.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace weft_tests::tool_agents {

/** Guardrails called `dry`, of settings. */
inline const std::string no_rain_said = "'guards': {'input': [{'name': 'dry', 'words': ['rain']}]}";
inline const std::string no_rain_answered = "'guards': {'output': [{'name': 'dry', 'words': ['rain']}]}";

[[nodiscard]] inline std::string pattern_settings_of(std::string_view pattern, std::string_view rest)
{
    return "'pattern': '" + std::string{pattern} + "', 'task': 'About rain?', " + std::string{rest} + ", ";
}

[[nodiscard]] inline weft::testing::scripted_turn sets_answer(const std::string& text)
{
    return weft::testing::scripted_turn{text}.call("set_output", {{"key", "answer"}, {"value", "fine"}});
}

/** A run, and what watchers heard of it. */
struct heard_run {
    weft::run_result result;
    std::string emitted;  ///< `label: text`, a line each.

    [[nodiscard]] bool hears(std::string_view part) const { return emitted.find(part) != std::string::npos; }
};

[[nodiscard]] inline heard_run hear_file(const std::string& members, const weft::node_registry& registry,
                                         std::shared_ptr<weft::effect_journal> journal = nullptr)
{
    const weft::loaded_graph loaded = weft::load_graph(spec_text(members), registry);
    heard_run heard;
    const auto watch = [&heard](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::output) heard.emitted += event.label + ": " + event.text + "\n";
    };
    weft::run_request request;
    request.options(weft::run_options_of(loaded.spec)).journal(std::move(journal)).on_event(watch);
    heard.result = run_with(loaded.what, std::move(request));
    return heard;
}

/** The guardrail `dry` has stopped the node `a`. */
inline void check_tripped(const weft::run_result& result, std::string_view stage)
{
    BOOST_TEST((result.status == weft::run_status::failed));
    BOOST_REQUIRE(result.why);
    BOOST_TEST((result.why->code == weft::errc::guardrail_tripped), result.message());
    BOOST_TEST(result.why->node == "a");
    const std::string words = std::string{stage} + " guardrail 'dry': the text has the word 'rain'";
    BOOST_TEST(result.message().find(words) != std::string::npos, result.message());
    BOOST_TEST(!result.state.to_json().contains("answer"));
}

}  // namespace weft_tests::tool_agents
