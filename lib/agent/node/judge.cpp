#include <weft/agent/node/judge.hpp>

#include "agent/text/names.hpp"
#include "agent/text/words_in_text.hpp"

#include <weft/base/text/ascii_text.hpp>
#include <weft/base/text/joined_text.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace weft {

namespace {

std::string list_of(const std::vector<std::string>& names) { return "[" + joined_text(names) + "]"; }

verdict retry_with(std::string feedback)
{
    verdict result;
    result.action = judgement::retry;
    result.feedback = std::move(feedback);
    return result;
}

std::string missing_text(const std::vector<std::string>& missing)
{
    return "Task incomplete. Required outputs not yet produced: " + list_of(missing) +
           ". Set each of them with set_output.";
}

/** What stands behind a word at the beginning of a line. */
std::optional<std::string_view> value_behind(std::string_view line, std::string_view word)
{
    while (!line.empty() && (line.front() == '*' || line.front() == '#' || line.front() == '-' || line.front() == ' '))
        line.remove_prefix(1);
    if (agent_detail::find_in_any_case(line, word, 0) != 0) return std::nullopt;
    line.remove_prefix(word.size());
    const std::size_t first = line.find_first_not_of("* :");
    const bool has_colon = line.substr(0, first).find(':') != std::string_view::npos;
    if (!has_colon) return std::nullopt;
    return first == std::string_view::npos ? std::string_view{} : trimmed(line.substr(first));
}

std::optional<judgement> action_named(std::string_view text)
{
    const std::string word = ascii_lower_case(text.substr(0, text.find_first_of(" .,*;(")));
    if (word == "accept") return judgement::accept;
    if (word == "retry") return judgement::retry;
    if (word == "escalate") return judgement::escalate;
    return std::nullopt;
}

double confidence_in(std::string_view text)
{
    double number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{}) return 0.5;
    if (end != text.data() + text.size() && *end == '%') number /= 100;
    return number >= 0 && number <= 1 ? number : 0.5;
}

}  // namespace

bool judge_by_rules(const turn_facts& turn, verdict& into)
{
    into = verdict{};
    into.by = "rules";
    const auto answer = [&](verdict found) {
        found.by = "rules";
        into = std::move(found);
        return true;
    };
    if (turn.is_marked_complete) return true;
    if (turn.skips_judge || turn.called_tools) return answer(retry_with({}));
    if (!turn.missing.empty()) return answer(retry_with(missing_text(turn.missing)));
    if (turn.outputs > 0 && turn.outputs_set == 0)
        return answer(retry_with("Task incomplete. No output has been set yet: set at least one with set_output."));
    if (turn.is_client_facing && turn.outputs == 0) return answer(retry_with({}));
    return !turn.has_criteria;
}

verdict with_outputs_checked(verdict from, const std::vector<std::string>& missing)
{
    if (from.action != judgement::accept || missing.empty()) return from;
    from.action = judgement::retry;
    from.feedback = missing_text(missing);
    return from;
}

verdict read_verdict(std::string_view reply)
{
    verdict result;
    result.by = "model";
    result.confidence = 0.5;
    std::optional<judgement> action;
    bool is_in_feedback = false;  // its lines go on up to one of the other two
    while (!reply.empty()) {
        const std::string_view line = reply.substr(0, reply.find('\n'));
        reply.remove_prefix(std::min(line.size() + 1, reply.size()));
        if (const auto named = value_behind(line, "action")) {
            action = action_named(*named);
            is_in_feedback = false;
        } else if (const auto share = value_behind(line, "confidence")) {
            result.confidence = confidence_in(*share);
            is_in_feedback = false;
        } else if (const auto said = value_behind(line, "feedback"); said && result.feedback.empty()) {
            result.feedback = *said;
            is_in_feedback = true;
        } else if (is_in_feedback && !is_blank(line)) {
            result.feedback.append(result.feedback.empty() ? "" : "\n").append(trimmed(line));
        }
    }
    if (action) {
        result.action = *action;
    } else {
        result.feedback.clear();
        result.confidence = 0.5;
    }
    return result;
}

std::string feedback_text(const verdict& from) { return "[Judge feedback]: " + from.feedback; }

}  // namespace weft
