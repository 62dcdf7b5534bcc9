#include <weft/agent/prompt_template.hpp>

#include "key_text.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

/** The name between the '{' at `at` and its '}'; empty if it can be none: JSON and the like. */
std::string_view name_after(std::string_view text, std::size_t at)
{
    const std::size_t end = text.find_first_of("{}\":,\n", at + 1);
    if (end == std::string_view::npos || text[end] != '}') return {};
    return text.substr(at + 1, end - at - 1);
}

/** The '}' of a '{' that begins no name, so that it is not told too; the '{' itself if there is none. */
std::size_t end_of_wrong(std::string_view text, std::size_t at)
{
    const std::size_t end = text.find_first_of("{}", at + 1);
    return end == std::string_view::npos || text[end] == '{' ? at : end;
}

}  // namespace

prompt_template::prompt_template(std::string_view text)
{
    std::string faults;
    const auto fault = [&](std::size_t at, const std::string& what) {
        faults.append(faults.empty() ? "" : "; ").append(position_in(text, at).text()).append(": ").append(what);
    };
    std::string before;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        const bool is_doubled = at + 1 < text.size() && text[at + 1] == c;
        if (c != '{' && c != '}') before += c;
        else if (is_doubled) before += text[at++];
        else if (c == '}') fault(at, "a '}' without its '{': write '}}' for a brace");
        else {
            const std::string_view name = name_after(text, at);
            if (name.empty()) {
                fault(at, "a '{' must begin the name of a key, as in {topic}: write '{{' for a brace");
                at = end_of_wrong(text, at);
                continue;
            }
            texts_.push_back(std::exchange(before, {}));
            places_.push_back({std::string{name}, position_in(text, at)});
            at += name.size() + 1;
        }
    }
    if (!faults.empty()) throw error{errc::invalid_configuration, "the template", std::move(faults)};
    if (!text.empty()) texts_.push_back(std::move(before));
}

prompt_template::filled prompt_template::fill(const node_context& node) const
{
    filled result;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const std::string& key = places_[i].key;
        result.text += texts_[i];
        const agent_detail::key_value found = agent_detail::read_key(node, key);
        result.text += found.text;
        const bool is_known = std::find(result.missing.begin(), result.missing.end(), key) != result.missing.end();
        if (!found.has_value && !is_known) result.missing.push_back(key);
    }
    if (!texts_.empty()) result.text += texts_.back();
    return result;
}

}  // namespace weft
