#include "playbook_text.hpp"

#include "agent/node/model_choice.hpp"
#include "agent/text/key_text.hpp"
#include "agent/text/words_in_text.hpp"

namespace weft {

namespace {

using agent_detail::without_quotes;

constexpr std::string_view contains_word = " contains ";

bool read_playbook_place(std::string_view inside, playbook_place& into)
{
    inside = trimmed(inside);
    into.label = inside;
    if (inside == "trigger") return true;
    const std::size_t dot = inside.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return false;
    into.label = trimmed(inside.substr(0, dot));
    into.member = inside.substr(dot + 1);
    return into.member == "result" || into.member == "threadId";
}

std::string playbook_value_at(const playbook_place& place, const playbook_values& values)
{
    if (place.member.empty()) return values.trigger.is_null() ? "" : agent_detail::readable_text(values.trigger);
    const boost::json::value* const record = values.outputs.if_contains(place.label);
    if (!record || !record->is_object()) return {};
    const boost::json::value* const member = record->get_object().if_contains(place.member);
    return member && !member->is_null() ? agent_detail::readable_text(*member) : std::string{};
}

}  // namespace

std::vector<playbook_place> playbook_places(std::string_view text)
{
    std::vector<playbook_place> places;
    for (std::size_t at = 0; (at = text.find("{{", at)) != std::string_view::npos;) {
        const std::size_t end = text.find("}}", at + 2);
        if (end == std::string_view::npos) break;
        playbook_place place;
        if (read_playbook_place(text.substr(at + 2, end - at - 2), place)) {
            place.begin = at;
            place.end = end + 2;
            places.push_back(std::move(place));
            at = end + 2;
        } else {
            at += 2;
        }
    }
    return places;
}

std::string fill_playbook_text(std::string_view text, const playbook_values& values)
{
    std::string filled;
    std::size_t from = 0;
    for (const playbook_place& place : playbook_places(text)) {
        filled.append(text.substr(from, place.begin - from)).append(playbook_value_at(place, values));
        from = place.end;
    }
    filled.append(text.substr(from));
    return filled;
}

boost::json::value fill_playbook_json(const boost::json::value& value, const playbook_values& values)
{
    if (const auto* const text = value.if_string())
        return boost::json::string_view{fill_playbook_text({text->data(), text->size()}, values)};
    if (const auto* const items = value.if_array()) {
        boost::json::array filled;
        for (const boost::json::value& item : *items) filled.push_back(fill_playbook_json(item, values));
        return filled;
    }
    const auto* const members = value.if_object();
    if (!members) return value;
    boost::json::object filled;
    for (const auto& member : *members) filled[member.key()] = fill_playbook_json(member.value(), values);
    return filled;
}

bool playbook_condition_holds(std::string_view filled)
{
    const std::string text = ascii_lower_case(trimmed(filled));
    if (text == "true" || text == "yes") return true;
    const std::size_t at = text.find(contains_word);
    if (at == std::string::npos) return false;
    const std::string_view whole{text};
    const std::string_view part = without_quotes(whole.substr(at + contains_word.size()));
    return !part.empty() && without_quotes(whole.substr(0, at)).find(part) != std::string_view::npos;
}

bool is_natural_language(std::string_view condition)
{
    std::string words;
    std::size_t from = 0;
    for (const playbook_place& place : playbook_places(condition)) {
        words.append(condition.substr(from, place.begin - from));
        from = place.end;
    }
    words.append(condition.substr(from));
    const std::string text = ascii_lower_case(trimmed(words));
    const bool is_test = (" " + text + " ").find(contains_word) != std::string::npos;
    if (is_test || text == "true" || text == "yes" || text == "false" || text == "no") return false;
    return !agent_detail::words_in(text).empty();
}

std::size_t playbook_route_in(std::string_view answer, const std::vector<std::string>& routes)
{
    return agent_detail::choice_in(answer, routes).value_or(0);
}

std::string_view hand_back_instructions() noexcept
{
    return R"(You are one step of a workflow. Hand your work back inside your last block, in these lines:
Summary: what you did and found, in one to three sentences.
Artifact: the file, link or text that you made, or none.
Needs user input: yes or no
Suggested next action: what should follow, in one line.)";
}

}  // namespace weft
