#pragma once

/** What the demo says when its run has ended. Used by parallel_research.cpp. */

#include "../cli/terminal/console.hpp"
#include "research_graph.hpp"
#include "research_progress.hpp"
#include "research_view.hpp"

#include <weft/engine/run_result.hpp>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

struct research_outcome {
    weft::run_result result;
    int signal = 0;  // that stopped it
};

inline std::string tokens_of(const weft::state& state)
{
    const weft::usage* spent = state.find(research::spent);
    if (!spent) return "none";
    std::string text = std::to_string(spent->input.count()) + " read + " +
                       std::to_string(spent->output.count()) +
                       " written = " + std::to_string(spent->total().count());
    if (!spent->is_exact())
        text += ", and " + std::to_string(spent->unreported) + " replies without a count";
    return text;
}

inline int tell_finished(const weft::run_result& result, const research_progress& progress,
                         const console::screen& screen)
{
    // The state may still hold the verdict on an earlier draft.
    const node_progress* judge = progress.find("judge");
    const bool is_judged = judge && judge->now == node_progress::phase::done;
    const research::verdict* judged = is_judged ? result.state.find(research::judgement) : nullptr;
    console::screen::write("\n");
    screen.write_wrapped(console::harmless(result.get(research::report)));
    std::string text = "\n";
    const auto line = [&](std::string_view name, const std::string& value) {
        text += screen.styled(padded(std::string{name}, 9), "1") + value + '\n';
    };
    line("path", progress.path());
    line("time", seconds(result.elapsed));
    line("tokens", tokens_of(result.state));
    char score[64] = "not judged";
    if (judged)
        std::snprintf(score, sizeof score, "%.2f of 1, %.2f wanted", judged->score,
                      research::score_wanted);
    const bool is_short = judged && judged->score < research::score_wanted;
    line("score", score + std::string{is_short ? ", and no round left" : ""});
    line("quality",
         std::string{name_of(result.quality)} +
             (result.retries > 0 ? ", " + std::to_string(result.retries) + " retries" : ""));
    for (const node_progress& node : progress.nodes())
        if (node.now == node_progress::phase::failed)
            line("without", console::harmless_line(node.tail));
    console::screen::write(text);
    return 0;
}

/** What a stop cut short: who was at work, how far, and what is kept of it. */
inline int tell_stopped(const research_outcome& ended, const research_progress& progress,
                        const console::screen& screen)
{
    const weft::run_result& result = ended.result;
    const std::string by = ended.signal == SIGINT ? "Ctrl-C" : "a signal";
    console::screen::write(
        '\n' + screen.styled("Stopped by " + by + " after " + seconds(result.elapsed) + ".", "1") +
        '\n');
    const research::texts* kept = result.state.find(research::unfinished);
    for (const node_progress& node : progress.nodes()) {
        if (node.now != node_progress::phase::stopped) continue;
        const std::string name{node.name};
        std::string text =
            "Cut short: " + name + ", after " + std::to_string(node.tokens_so_far()) + " tokens";
        if (kept && kept->contains(name))
            text += "; kept: " + console::harmless_line(kept->at(name));
        screen.write_wrapped(text);
    }
    if (const research::texts* found = result.state.find(research::findings)) {
        std::string names;
        for (const auto& [name, text] : *found) names += (names.empty() ? "" : ", ") + name;
        screen.write_wrapped("Kept whole: what was found by " + names);
    }
    if (const std::int64_t* drafts = result.state.find(research::drafts))
        screen.write_wrapped("Kept whole: draft " + std::to_string(*drafts));
    for (const std::string& name : result.unresponsive)
        screen.write_wrapped("Did not stop, and was destroyed: " + name);
    screen.write_wrapped("It had come this far: " + progress.path() + ", about " +
                         std::to_string(progress.tokens()) + " tokens written.");
    return 128 + ended.signal;
}

/** What a person can do about it. */
inline std::string remedy_for(weft::errc code)
{
    using weft::errc;
    switch (code) {
    case errc::model_unauthorized: return "Check WEFT_LLM_API_KEY or OPENAI_API_KEY.";
    case errc::model_not_found:
        return "Check WEFT_LLM_MODEL, and that WEFT_LLM_URL ends before /chat/completions.";
    case errc::model_quota_exhausted: return "Check the account at the endpoint.";
    case errc::model_rate_limited:
    case errc::model_overloaded: return "Try again later.";
    case errc::resolve_failed:
    case errc::connect_failed:
    case errc::connect_timeout: return "Check WEFT_LLM_URL, and that the endpoint is up.";
    case errc::invalid_response:
    case errc::invalid_model_reply:
    case errc::response_truncated:
        return "Check that WEFT_LLM_URL is the base URL of an OpenAI-compatible endpoint.";
    case errc::connection_lost:
        return "Check WEFT_LLM_URL: an endpoint that speaks TLS wants https://, others want "
               "http://.";
    case errc::tls_untrusted:
        return "If the endpoint has a certificate of your own authority, name it: "
               "SSL_CERT_FILE=authority.pem";
    case errc::tls_wrong_host:
    case errc::tls_expired:
    case errc::tls_failed:
        return "Check that WEFT_LLM_URL names the endpoint that you mean, and whether it speaks "
               "TLS.";
    default: return "";
    }
}

inline int tell_failed(const weft::run_result& result, const research_progress& progress)
{
    std::string text = "\nThe run failed: " + console::harmless_line(result.message()) + '\n';
    if (const std::string remedy = result.why ? remedy_for(result.why->code) : ""; !remedy.empty())
        text += remedy + '\n';
    text += "It had come this far: " + progress.path() + '\n';
    std::cout.flush();
    std::cerr << text;
    return 1;
}
