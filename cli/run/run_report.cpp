#include "run_report.hpp"

#include "run_view.hpp"
#include "store/question_text.hpp"
#include "store/store_problem.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/people_lines.hpp"

#include <weft/base/errc.hpp>
#include <weft/base/json.hpp>

#include <cstdio>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

constexpr std::size_t path_nodes_max = 40;

boost::json::array list_of(const std::vector<std::string>& texts)
{
    return boost::json::array(texts.begin(), texts.end());
}

boost::json::object goal_json(const weft::goal_report& goal)
{
    return {{"met", goal.is_met},
            {"weight_met", goal.weight_met},
            {"unmet", list_of(goal.unmet)},
            {"violated", list_of(goal.violated)}};
}

/** The state, or why it cannot be said. A run that could not begin has changed nothing. */
boost::json::value state_json(const ended_run& run)
{
    const weft::state& state = run.result.state;
    if (!state.shared_layout()) return run.before;
    try {
        return state.to_json();
    } catch (const weft::error& e) {
        return boost::json::object{{"error", e.what()}};
    }
}

std::string with_commas(const std::vector<std::string>& texts)
{
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
    return all;
}

std::string path_of_run(const weft::run_result& result)
{
    const auto path = result.path();
    std::string text;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (path.size() > path_nodes_max && i == path_nodes_max / 2) {
            text += " -> … " + std::to_string(path.size() - path_nodes_max) + " more …";
            i = path.size() - path_nodes_max / 2;
        }
        text.append(text.empty() ? "" : " -> ").append(path[i]);
    }
    return text;
}

std::string goal_text(const weft::goal_report& goal)
{
    char part[32];
    std::snprintf(part, sizeof part, "%.0f %%", goal.weight_met * 100);
    std::string text = goal.is_met ? "met" : "not met";
    text.append(", ").append(part).append(" of the weight");
    if (!goal.unmet.empty()) text += "; not met: " + with_commas(goal.unmet);
    if (!goal.violated.empty()) text += "; not kept: " + with_commas(goal.violated);
    return text;
}

std::string tokens_text(const weft::usage& spent)
{
    std::string text = std::to_string(spent.input.count()) + " read, " + std::to_string(spent.output.count()) +
                       " written";
    if (!spent.is_exact()) text += ", and " + std::to_string(spent.unreported) + " replies that nobody counted";
    return text;
}

void add_changes(people_lines& lines, const ended_run& run)
{
    const boost::json::value now = state_json(run);
    for (const boost::json::key_value_pair& member : now.as_object()) {
        const boost::json::value* const before = run.before.if_contains(member.key());
        if (before && *before == member.value()) continue;
        lines.add(console::harmless_line(std::string_view{member.key()}), value_text(member.value()));
    }
}

std::string status_text(const ended_run& run)
{
    const weft::run_result& result = run.result;
    std::string text{name_of(result.status)};
    if (result.ok() && result.quality != weft::run_quality::clean)
        text.append(", ").append(name_of(result.quality));
    if (result.was_cut_short) text += ", cut short by a limit of steps";
    return text;
}

}  // namespace

int exit_code_of(const ended_run& run, bool requires_goal)
{
    switch (run.result.status) {
    case weft::run_status::finished:
        return requires_goal && run.result.goal && !run.result.goal->is_met ? has_failed : all_good;
    case weft::run_status::failed: return has_failed;
    case weft::run_status::paused: return has_paused;
    case weft::run_status::cancelled: return run.signal != 0 ? 128 + run.signal : has_failed;
    }
    return has_failed;
}

boost::json::object result_json(const ended_run& run)
{
    const weft::run_result& result = run.result;
    boost::json::object line{{"kind", "result"},
                             {"status", name_of(result.status)},
                             {"quality", name_of(result.quality)},
                             {"state", state_json(run)}};
    boost::json::array path;
    for (const std::string_view node : result.path()) path.emplace_back(node);
    line.emplace("path", std::move(path));
    line.emplace("steps", result.steps);
    line.emplace("retries", result.retries);
    line.emplace("elapsed_ms",
                 static_cast<double>(std::chrono::round<std::chrono::microseconds>(result.elapsed).count()) / 1000);
    if (result.was_cut_short) line.emplace("cut_short", true);
    if (result.goal) line.emplace("goal", goal_json(*result.goal));
    if (result.why)
        line.emplace("error", boost::json::object{{"code", name_of(result.why->code)},
                                                  {"node", result.why->node},
                                                  {"message", result.why->message}});
    if (run.spent != weft::usage{}) line.emplace("usage", weft::to_json(run.spent));
    if (!result.resume_from.empty()) {
        boost::json::array nodes;
        for (const std::string_view node : result.resume_from) nodes.emplace_back(node);
        line.emplace("resume_from", std::move(nodes));
    }
    if (!result.unresponsive.empty()) line.emplace("unresponsive", list_of(result.unresponsive));
    if (!run.saved) return line;
    line.emplace("thread", run.saved->name);
    line.emplace("checkpoint", run.saved->head);
    boost::json::array questions;
    for (const weft::open_question& open : run.saved->questions) questions.push_back(to_json(open));
    if (!questions.empty()) line.emplace("questions", std::move(questions));
    return line;
}

std::string result_text(const ended_run& run, const console::screen& screen)
{
    const weft::run_result& result = run.result;
    people_lines lines;
    add_changes(lines, run);
    const bool is_good = result.ok();
    lines.add("status", status_text(run), is_good ? "32" : result.status == weft::run_status::failed ? "31" : "33");
    lines.add("path", console::harmless_line(path_of_run(result)));
    if (result.goal)
        lines.add("goal", console::harmless_line(goal_text(*result.goal)), result.goal->is_met ? "32" : "31");
    std::string time = time_text(result.elapsed) + ", " + std::to_string(result.steps) +
                       (result.steps == 1 ? " step" : " steps");
    if (result.retries > 0)
        time += ", " + std::to_string(result.retries) + (result.retries == 1 ? " retry" : " retries");
    lines.add("time", time);
    if (run.spent != weft::usage{}) lines.add("tokens", tokens_text(run.spent));
    std::string rest;
    for (const std::string_view node : result.resume_from) rest.append(rest.empty() ? "" : ", ").append(node);
    if (!rest.empty()) lines.add("left", console::harmless_line(rest));
    if (run.saved)
        lines.add("thread", console::harmless_line(run.saved->name) + ", checkpoint " +
                                std::to_string(run.saved->head) + " in " + console::harmless_line(run.saved->store));
    if (!result.unresponsive.empty())
        lines.add("stuck", console::harmless_line(with_commas(result.unresponsive)) + " did not stop, was destroyed");
    return lines.text(screen);
}

std::string remedy_for(weft::errc code)
{
    using weft::errc;
    switch (code) {
    case errc::model_unauthorized: return "Check WEFT_LLM_API_KEY, or the provider's own key.";
    case errc::model_not_found: return "Check WEFT_LLM_MODEL, and that WEFT_LLM_URL ends before /chat/completions.";
    case errc::model_quota_exhausted: return "Check the account at the endpoint.";
    case errc::model_rate_limited:
    case errc::model_overloaded: return "Try again later.";
    case errc::resolve_failed:
    case errc::connect_failed:
    case errc::connect_timeout: return "Check WEFT_LLM_URL, and that the endpoint is up.";
    case errc::invalid_response: return "Check that WEFT_LLM_URL is the base URL of an OpenAI-compatible endpoint.";
    case errc::connection_lost:
    case errc::tls_failed:
        return "Check WEFT_LLM_URL: an endpoint that speaks TLS wants https://, others want http://.";
    case errc::tls_untrusted:
        return "If the endpoint has a certificate of your own authority, name it: SSL_CERT_FILE=authority.pem";
    case errc::steps_exceeded: return "If the graph does not loop for ever, raise --steps-max.";
    case errc::budget_exhausted: return "If it may cost more, raise the budget among the limits in the file.";
    case errc::run_timeout: return "If it may take longer, raise --timeout, or elapsed_max in the file.";
    default: return store_remedy(weft::error{code});
    }
}

}  // namespace weft_cli
