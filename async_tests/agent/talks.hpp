#pragma once

#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/conversation/conversation_view.hpp>
#include <weft/model/chat/token_estimate.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <deque>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft_tests {

/** A text that is estimated as so many tokens. */
[[nodiscard]] inline std::string text_of_tokens(std::size_t count)
{
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += "wor ";
    return text;
}

/** Where a message comes from. */
[[nodiscard]] inline weft::provenance by(std::string node, std::string lane = {}, std::string phase = {})
{
    weft::provenance from;
    from.node = std::move(node);
    from.lane = std::move(lane);
    from.phase = std::move(phase);
    from.visit = 1;
    return from;
}

/** Builds conversations out of words:
 *
 *      s u a    a message by system, user, assistant; a number behind is how many tokens its text has
 *      c2       an assistant's message with two calls
 *      r        the result of the next call that has none; R of no call at all; E an error as result
 *
 *  A `!` at the end pins it. Messages have four tokens more than their text, calls are named `find`. */
class talk_maker {
public:
    explicit talk_maker(std::string_view words = {}, weft::provenance from = by("n")) : from_{std::move(from)}
    {
        add(words);
    }

    /** @return   The updates. */
    std::vector<weft::conversation_change> add(std::string_view words)
    {
        std::vector<weft::conversation_change> changes;
        std::istringstream in{std::string{words}};
        for (std::string word; in >> word;) changes.push_back(add_one(word));
        return changes;
    }

    weft::conversation talk;

private:
    weft::conversation_change add_one(std::string word)
    {
        const bool is_pinned = word.ends_with('!');
        if (is_pinned) word.pop_back();
        const std::size_t number = word.size() > 1 ? std::stoul(word.substr(1)) : 1;
        return talk.add(message_of(word.front(), number), from_, {.is_pinned = is_pinned, .label = {}});
    }

    weft::message message_of(char what, std::size_t number)
    {
        switch (what) {
        case 's': return weft::message::system(text_of_tokens(number));
        case 'u': return weft::message::user(text_of_tokens(number));
        case 'a': return weft::message::assistant(text_of_tokens(number));
        case 'c': {
            weft::message calling = weft::message::assistant("");
            for (std::size_t i = 0; i < number; ++i) {
                open_.push_back("call-" + std::to_string(++calls_));
                calling.tool_calls.push_back({.id = open_.back(), .name = "find", .arguments = "{}"});
            }
            return calling;
        }
        case 'R': return weft::message::tool_result("nobody", text_of_tokens(number));
        default: break;
        }
        const std::string id = open_.empty() ? "nobody" : open_.front();
        if (!open_.empty()) open_.pop_front();
        return what == 'E' ? weft::message::tool_error(id, text_of_tokens(number))
                           : weft::message::tool_result(id, text_of_tokens(number));
    }

    weft::provenance from_;
    std::deque<std::string> open_;
    std::size_t calls_ = 0;
};

[[nodiscard]] inline weft::conversation talk_of(std::string_view words) { return talk_maker{words}.talk; }

/** The entries that a view shows, with blanks between them; `-` for what is not in the conversation. */
[[nodiscard]] inline std::string shown(const weft::conversation_view& view)
{
    std::string text;
    for (const std::uint32_t position : view.positions)
        text.append(text.empty() ? "" : " ").append(position == weft::no_entry ? "-" : std::to_string(position));
    return text;
}

[[nodiscard]] inline std::string shown(const weft::conversation& talk, std::int64_t budget = 1'000'000)
{
    weft::view_options options;
    options.budget = weft::tokens{budget};
    return shown(weft::view_of(talk, options));
}

/** The notes of a view: `kind@position`. */
[[nodiscard]] inline std::string notes_of(const weft::conversation_view& view)
{
    constexpr std::string_view names[] = {"orphan_call", "orphan_result", "second_result", "over_budget"};
    std::string text;
    for (const weft::view_note& note : view.notes) {
        text.append(text.empty() ? "" : " ").append(names[static_cast<std::size_t>(note.what)]);
        if (note.position != weft::no_entry) text.append("@").append(std::to_string(note.position));
    }
    return text;
}

/** What is wrong with the calls and results of a request: each call is followed by its one result. */
[[nodiscard]] inline std::string fault_of_pairs(const weft::list<weft::message>& messages)
{
    std::vector<std::string> open;
    for (const weft::message& said : messages) {
        if (said.role == weft::role::tool) {
            if (open.empty()) return "a result without call: " + said.tool_call_id;
            if (open.front() != said.tool_call_id) return "not the next result: " + said.tool_call_id;
            open.erase(open.begin());
            continue;
        }
        if (!open.empty()) return "a call without result: " + open.front();
        for (const weft::tool_call& call : said.tool_calls) open.push_back(call.id);
    }
    return open.empty() ? "" : "a call without result: " + open.front();
}

/** Random words for a `talk_maker`. */
[[nodiscard]] inline std::string random_words(std::mt19937& random, std::size_t count)
{
    std::string words;
    const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
    for (std::size_t i = 0; i < count; ++i) {
        const unsigned kind = below(20);
        const std::string size = std::to_string(1 + below(below(8) == 0 ? 400 : 40));
        if (kind == 0) words += "s" + size;
        else if (kind < 6) words += "u" + size;
        else if (kind < 11) words += "a" + size;
        else if (kind == 11) words += "R" + size;
        else if (kind < 14) words += "r" + size;
        else if (kind < 15) words += "E" + size;
        else {
            const unsigned calls = 1 + below(3);
            words += "c" + std::to_string(calls);
            for (unsigned result = 0; result < calls; ++result)
                if (below(8) != 0) words += " r" + std::to_string(1 + below(80));
        }
        if (below(30) == 0) words += "!";
        words += ' ';
    }
    return words;
}

}  // namespace weft_tests
