#include <weft/agent/prompt/prompt_layers.hpp>

#include "agent/text/key_text.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t layer_bytes_max = 200;

std::string titled(std::string_view title, std::string_view text)
{
    if (text.empty()) return {};
    return std::string{title}.append("\n").append(text);
}

std::string narrative_of(const prompt_layers& layers)
{
    std::string text;
    if (!layers.phases_done.empty()) {
        text += "Phases completed:";
        for (const std::string& phase : layers.phases_done)
            text.append(&phase == &layers.phases_done.front() ? " " : ", ").append(phase);
        text += '\n';
    }
    for (const named_text& value : layers.values)
        text.append("- ").append(value.name).append(": ")
            .append(agent_detail::shortened(value.text, layer_bytes_max)).append("\n");
    if (!text.empty()) text.pop_back();
    return titled("## Context (what has happened so far)", text);
}

prompt_section layer(std::string_view id, std::string text, prompt_stability stability, prompt_phase phase)
{
    prompt_section section;
    section.id = id;
    section.text = std::move(text);
    section.source = "layer " + section.id;
    section.stability = stability;
    section.phase = phase;
    section.is_sticky = true;
    return section;
}

std::string two_digits(unsigned number)
{
    std::string text{"00"};
    text[0] = static_cast<char>('0' + number / 10 % 10);
    text[1] = static_cast<char>('0' + number % 10);
    return text;
}

}  // namespace

std::vector<prompt_section> sections_of(const prompt_layers& layers)
{
    using enum prompt_stability;
    const bool is_continuous = layers.mode == conversation_mode::continuous;
    std::vector<prompt_section> sections;
    const auto add = [&](std::string_view id, std::string text, prompt_stability stability, prompt_phase about) {
        sections.push_back(layer(id, std::move(text), stability, about));
    };
    add("identity", is_continuous ? layers.identity : "", fixed, prompt_phase::constraint);
    add("goal", layers.goal, fixed, prompt_phase::constraint);
    sections.insert(sections.end(), layers.surroundings.begin(), layers.surroundings.end());
    add("narrative", is_continuous ? narrative_of(layers) : "", phase, prompt_phase::memory);
    add("scope", layers.scope, phase, prompt_phase::constraint);
    add("preamble", layers.preamble, phase, prompt_phase::constraint);
    add("focus", is_continuous ? titled("## Current Focus", layers.focus) : layers.focus, phase, prompt_phase::task);
    add("time", layers.now ? "The time is " + readable_time(*layers.now) + "." : "", turn, prompt_phase::user);
    add("notice", layers.notice, turn, prompt_phase::user);
    return sections;
}

composed_prompt compose(const prompt_layers& layers, prompt_options options)
{
    options.order = prompt_order::as_given;
    return compose(sections_of(layers), options);
}

std::string readable_time(std::chrono::sys_seconds at)
{
    static constexpr std::array<std::string_view, 7> names{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                           "Thursday", "Friday", "Saturday"};
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{at - day};
    std::string text{names[std::chrono::weekday{day}.c_encoding()]};
    text.append(", ").append(std::to_string(static_cast<int>(date.year())));
    text.append("-").append(two_digits(static_cast<unsigned>(date.month())));
    text.append("-").append(two_digits(static_cast<unsigned>(date.day())));
    text.append(" ").append(two_digits(static_cast<unsigned>(time.hours().count())));
    text.append(":").append(two_digits(static_cast<unsigned>(time.minutes().count())));
    return text + " UTC";
}

}  // namespace weft
