#include "turn_calls.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace weft {

namespace json = boost::json;

namespace {

constexpr std::size_t calls_max = 45;

std::optional<json::value> read_if_json(std::string_view text)
{
    text = trimmed(text);
    if (text.empty() || (text.front() != '{' && text.front() != '[')) return std::nullopt;
    try {
        return parse_json(text);
    } catch (const error&) {
        return std::nullopt;
    }
}

const json::value* member(const json::object& of, std::initializer_list<std::string_view> names)
{
    for (const std::string_view name : names)
        if (const json::value* const found = of.if_contains(name)) return found;
    return nullptr;
}

std::optional<tool_call> read_call(const json::value& from, const tool_set& tools, bool needs_arguments)
{
    const json::object* what = from.if_object();
    if (!what) return std::nullopt;
    const json::value* const function = what->if_contains("function");
    if (function && function->is_object()) what = &function->get_object();
    const json::value* const name = member(*what, {"name", "tool", "tool_name", "function"});
    const json::value* const arguments = member(*what, {"arguments", "args", "parameters", "input"});
    if (!name || !name->is_string() || (!arguments && needs_arguments)) return std::nullopt;
    const json::string& text = name->get_string();
    const tool_entry* const known = tools.find(std::string_view{text.data(), text.size()});
    if (!known) return std::nullopt;
    tool_call call;
    call.name = known->spec.name;
    call.input = known->spec.input;
    const json::string* const written = arguments ? arguments->if_string() : nullptr;
    if (!arguments) call.arguments = "{}";
    else call.arguments = written ? std::string{written->data(), written->size()} : json::serialize(*arguments);
    return call;
}

/** Reads one call or a list of calls. @return False, and nothing is added, if it is anything else. */
bool read_calls(std::string_view text, const tool_set& tools, bool needs_arguments, std::vector<tool_call>& into)
{
    const std::optional<json::value> found = read_if_json(text);
    if (!found) return false;
    std::vector<tool_call> calls;
    const auto add = [&](const json::value& one) {
        std::optional<tool_call> call = read_call(one, tools, needs_arguments);
        if (call) calls.push_back(std::move(*call));
        return call.has_value();
    };
    const json::array* const list = found->if_array();
    if (list ? list->empty() || !std::all_of(list->begin(), list->end(), add) : !add(*found)) return false;
    if (into.size() + calls.size() > calls_max) return false;
    std::move(calls.begin(), calls.end(), std::back_inserter(into));
    return true;
}

/** Something that begins and ends with marks and may have calls inside. */
struct call_marks {
    std::string_view begin;
    std::string_view end;
    bool needs_arguments;
};

/** Takes the calls between marks out of the text. */
void take_marked(calls_in_text& found, const call_marks& marks, const tool_set& tools)
{
    std::size_t from = 0;
    for (;;) {
        const std::size_t begin = found.text.find(marks.begin, from);
        if (begin == std::string::npos) return;
        const std::size_t inside = begin + marks.begin.size();
        const std::size_t end = found.text.find(marks.end, inside);
        if (end == std::string::npos) return;
        const std::string_view text = std::string_view{found.text}.substr(inside, end - inside);
        from = begin;
        if (read_calls(text, tools, marks.needs_arguments, found.calls))
            found.text.erase(begin, end + marks.end.size() - begin);
        else from = end + marks.end.size();
    }
}

/** Mistral's way: a mark, and a list up to the end. */
void take_list_at_end(calls_in_text& found, const tool_set& tools)
{
    constexpr std::string_view mark = "[TOOL_CALLS]";
    const std::size_t begin = found.text.find(mark);
    if (begin == std::string::npos) return;
    if (read_calls(std::string_view{found.text}.substr(begin + mark.size()), tools, false, found.calls))
        found.text.resize(begin);
}

bool has_proper_ids(const std::vector<tool_call>& calls)
{
    if (calls.size() == 1) return !calls.front().id.empty();
    std::set<std::string_view> ids;
    return std::all_of(calls.begin(), calls.end(),
                       [&](const tool_call& call) { return !call.id.empty() && ids.insert(call.id).second; });
}

/** Of calls with one id the first stays; those without id get one. */
std::vector<tool_call> with_ids(std::vector<tool_call> calls, std::string_view prefix)
{
    std::set<std::string> ids;
    for (const tool_call& call : calls) ids.insert(call.id);
    std::set<std::string> seen;
    std::vector<tool_call> proper;
    std::size_t count = 0;
    for (tool_call& call : calls) {
        while (call.id.empty()) {
            std::string id = std::string{prefix} + std::to_string(++count);
            if (ids.insert(id).second) call.id = std::move(id);
        }
        if (seen.insert(call.id).second) proper.push_back(std::move(call));
    }
    return proper;
}

/** Puts another text in the place of all text parts. */
void replace_text(message& of, const std::string& text)
{
    std::erase_if(of.content, [](const content_part& part) { return std::holds_alternative<text_part>(part); });
    if (!trimmed(text).empty()) of.content.emplace_back(text_part{std::string{trimmed(text)}});
}

}  // namespace

calls_in_text find_calls_in_text(std::string_view text, const tool_set& tools)
{
    static constexpr std::array<call_marks, 5> all_marks{{{"<tool_call>", "</tool_call>", false},
                                                          {"<function_call>", "</function_call>", false},
                                                          {"```tool_call\n", "```", false},
                                                          {"```json\n", "```", true},
                                                          {"```\n", "```", true}}};
    calls_in_text found;
    found.text = text;
    if (tools.empty()) return found;
    if (read_calls(text, tools, true, found.calls)) {
        found.text.clear();
        return found;
    }
    for (const call_marks& marks : all_marks) take_marked(found, marks, tools);
    take_list_at_end(found, tools);
    return found;
}

std::optional<message> with_proper_calls(const message& said, const tool_set& tools, std::string_view id_prefix)
{
    if (!said.tool_calls.empty()) {
        if (has_proper_ids(said.tool_calls)) return std::nullopt;
        message proper = said;
        proper.tool_calls = with_ids(std::move(proper.tool_calls), id_prefix);
        proper.provider.reset();  // the provider's own form still has the calls as they were
        return proper;
    }
    calls_in_text found = find_calls_in_text(said.text(), tools);
    if (found.calls.empty()) return std::nullopt;
    message proper = said;
    proper.tool_calls = with_ids(std::move(found.calls), id_prefix);
    replace_text(proper, found.text);
    proper.provider.reset();
    return proper;
}

}  // namespace weft
