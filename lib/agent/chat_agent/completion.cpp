#include <weft/agent/chat_agent/completion.hpp>

#include "agent/text/words_in_text.hpp"

#include <array>
#include <optional>
#include <utility>

namespace weft {

using agent_detail::find_in_any_case;

namespace {

constexpr std::string_view done_tag = "agent_done";
constexpr std::string_view blocked_tag = "agent_blocked";
constexpr std::string_view continue_tag = "agent_continue";
constexpr std::array block_tags = {blocked_tag, done_tag, continue_tag};
constexpr std::array inner_tags = {std::string_view{"key_result"}, std::string_view{"blocker_reason"},
                                   std::string_view{"unblock_requirements"}, std::string_view{"status_report"},
                                   std::string_view{"status_message"}};

/** Where a block stands: all of it, and what is between its tags. */
struct block_place {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string_view inside;
};

/** The next block of a tag that has both its ends. */
std::optional<block_place> find_block(std::string_view text, std::string_view tag, std::size_t from)
{
    const std::string open = "<" + std::string{tag} + ">";
    const std::string close = "</" + std::string{tag} + ">";
    const std::size_t begin = find_in_any_case(text, open, from);
    if (begin == std::string_view::npos) return std::nullopt;
    const std::size_t inside = begin + open.size();
    const std::size_t end = find_in_any_case(text, close, inside);
    if (end == std::string_view::npos) return std::nullopt;
    return block_place{begin, end + close.size(), text.substr(inside, end - inside)};
}

std::optional<std::string_view> last_block(std::string_view text, std::string_view tag)
{
    std::optional<std::string_view> last;
    std::size_t from = 0;
    while (const auto found = find_block(text, tag, from)) {
        last = found->inside;
        from = found->end;
    }
    return last;
}

std::string inner(std::string_view text, std::string_view tag)
{
    const auto found = find_block(text, tag, 0);
    return found ? std::string{trimmed(found->inside)} : std::string{};
}

void remove_all(std::string& text, std::string_view lower)
{
    std::string kept;
    std::size_t from = 0;
    for (std::size_t at = 0; (at = find_in_any_case(text, lower, from)) != std::string::npos; from = at + lower.size())
        kept.append(text, from, at - from);
    if (from == 0) return;
    text = kept.append(text, from);
}

void remove_blocks(std::string& text, std::string_view tag)
{
    std::string kept;
    std::size_t from = 0;
    while (const auto found = find_block(text, tag, from)) {
        kept.append(text, from, found->begin - from);
        from = found->end;
    }
    if (from == 0) return;
    text = kept.append(text, from);
}

void remove_single_tags(std::string& text, std::string_view tag)
{
    remove_all(text, "<" + std::string{tag} + ">");
    remove_all(text, "</" + std::string{tag} + ">");
}

std::string without_blocks(std::string_view reply)
{
    std::string text{reply};
    for (const std::string_view tag : block_tags) {
        remove_blocks(text, tag);
        remove_single_tags(text, tag);
    }
    for (const std::string_view tag : inner_tags) remove_single_tags(text, tag);
    return std::string{trimmed(text)};
}

/** Takes the lines of a block one by one, without blank ones. */
template <class Function>
void for_each_line(std::string_view text, Function function)
{
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = trimmed(text.substr(0, end));
        if (!line.empty()) function(line);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

void read_done(std::string_view inside, completion& into)
{
    constexpr std::string_view needs = "needs user input:";
    into.summary = inner(inside, "key_result");
    for_each_line(inside, [&](std::string_view line) {
        if (find_in_any_case(line, needs, 0) == 0)
            into.needs_input = find_in_any_case(trimmed(line.substr(needs.size())), "yes", 0) == 0;
        else if (into.summary.empty())
            into.summary = line;
    });
}

void append_paragraph(std::string& to, std::string_view text)
{
    if (text.empty()) return;
    if (!to.empty()) to += "\n\n";
    to += text;
}

}  // namespace

completion read_completion(std::string_view reply)
{
    completion outcome;
    if (const auto inside = last_block(reply, blocked_tag)) {
        outcome.what = completion_kind::blocked;
        outcome.blocker = inner(*inside, "blocker_reason");
        outcome.requirements = inner(*inside, "unblock_requirements");
        if (outcome.blocker.empty() && outcome.requirements.empty()) outcome.blocker = without_blocks(*inside);
    } else if (const auto done = last_block(reply, done_tag)) {
        outcome.what = completion_kind::done;
        read_done(*done, outcome);
    } else if (const auto more = last_block(reply, continue_tag)) {
        outcome.what = completion_kind::carry_on;
        outcome.status = inner(*more, "status_report");
        if (outcome.status.empty()) outcome.status = inner(*more, "status_message");
        if (outcome.status.empty()) outcome.status = without_blocks(*more);
    }
    return outcome;
}

std::string visible_reply(std::string_view reply, const completion& outcome)
{
    std::string text = without_blocks(reply);
    switch (outcome.what) {
    case completion_kind::in_progress: break;
    case completion_kind::carry_on:
        if (text.empty()) text = outcome.status.empty() ? "Continuing." : outcome.status;
        break;
    case completion_kind::done:
        if (text.empty()) text = outcome.summary.empty() ? "Done." : outcome.summary;
        break;
    case completion_kind::blocked:
        append_paragraph(text, outcome.blocker);
        append_paragraph(text, outcome.requirements);
        if (text.empty()) text = "Blocked.";
        break;
    }
    return text;
}

std::string_view completion_instructions() noexcept
{
    return R"(End each reply with exactly one of these blocks.

When all is done:
<AGENT_DONE>
What was achieved, in one to three sentences.
Needs user input: yes or no
</AGENT_DONE>

When you cannot go on without an answer, a permission or access to something; questions go here too:
<AGENT_BLOCKED>
<BLOCKER_REASON>What holds you up, in one line.</BLOCKER_REASON>
<UNBLOCK_REQUIREMENTS>Exactly what you need to go on.</UNBLOCK_REQUIREMENTS>
</AGENT_BLOCKED>

When you got further and there is more to do:
<AGENT_CONTINUE>
<STATUS_REPORT>What you do next, in one line.</STATUS_REPORT>
</AGENT_CONTINUE>)";
}

}  // namespace weft
