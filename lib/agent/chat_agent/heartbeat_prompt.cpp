#include "heartbeat_prompt.hpp"

#include <weft/agent/prompt/prompt_layers.hpp>

#include <string_view>

namespace weft::agent_detail {

namespace {

void append_part(std::string& to, std::string_view title, std::string_view text)
{
    if (text.empty()) return;
    if (!to.empty()) to += "\n\n";
    if (!title.empty()) to.append(title).append("\n");
    to += text;
}

std::string lines_of(const std::vector<std::string>& rules)
{
    std::string text;
    for (const std::string& rule : rules) text.append(text.empty() ? "- " : "\n- ").append(rule);
    return text;
}

}  // namespace

std::string heartbeat_list(const std::function<std::vector<named_text>()>& source)
{
    std::string text;
    if (!source) return text;
    for (const named_text& one : source()) {
        if (!text.empty()) text += '\n';
        text.append("- ").append(one.name);
        if (!one.text.empty()) text.append(": ").append(one.text);
    }
    return text;
}

std::string heartbeat_prompt(std::string_view directive, const heartbeat_options& options,
                             const heartbeat_lists& lists, const heartbeat_status& status,
                             std::chrono::sys_seconds now)
{
    std::string text;
    append_part(text, "", directive);
    append_part(text, "",
                "It is " + readable_time(now) + ". This is cycle " + std::to_string(status.cycles) + " of at most " +
                    std::to_string(options.cycles_max) + ".");
    append_part(text, "## Projects", lists.projects);
    append_part(text, "## Skills", lists.skills);
    append_part(text, "## Agents", lists.agents);
    append_part(text, "## What the cycle before did", status.summary);
    append_part(text, "## What it wanted next", status.focus);
    append_part(text, "## Rules", lines_of(options.rules));
    return text;
}

}  // namespace weft::agent_detail
