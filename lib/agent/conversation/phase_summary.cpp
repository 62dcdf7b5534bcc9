#include "phase_summary.hpp"

#include "agent/text/key_text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t output_bytes_max = 300;

void append_list(std::string& text, std::string_view title, std::vector<std::string> names)
{
    if (names.empty()) return;
    std::sort(names.begin(), names.end());
    text.append(title);
    for (const std::string& name : names) text.append(&name == &names.front() ? " " : ", ").append(name);
    text.append("\n");
}

}  // namespace

std::string to_text(const phase_summary& move)
{
    std::string text = "--- PHASE TRANSITION: " + move.from + " → " + move.to + " ---\n\n";
    text.append("Done: ").append(move.from);
    if (!move.from_description.empty()) text.append(" — ").append(move.from_description);
    text.append("\n");
    if (!move.outputs.empty()) {
        text.append("Its outputs:\n");
        for (const named_text& output : move.outputs)
            text.append("- ").append(output.name).append(": ")
                .append(agent_detail::shortened(output.text, output_bytes_max)).append("\n");
    }
    append_list(text, "Data files:", move.files);
    append_list(text, "Tools now:", move.tools);
    text.append("\nNow: ").append(move.to);
    if (!move.to_description.empty()) text.append(" — ").append(move.to_description);
    text.append("\nThis is the only task now; what came before is its background.\n"
                "Before you begin: what of the work so far matters for it, and what is still open?\n\n"
                "--- END TRANSITION ---");
    return text;
}

std::optional<conversation_change> enter_phase(conversation& history, const phase_summary& move, provenance by)
{
    const conversation::lane* const lane = history.find_lane(by.lane);
    if (!lane || lane->phase.empty() || lane->phase == move.to) return std::nullopt;
    by.phase = move.to;
    by.author = message_author::program;
    return history.add(message::user(to_text(move)), std::move(by), {.is_pinned = true, .label = "transition"});
}

}  // namespace weft
