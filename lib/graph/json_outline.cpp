#include "json_outline.hpp"

#include <weft/base/ascii_text.hpp>
#include <weft/base/json.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace weft {

namespace {

/** The text of a string literal, which is given with its quotes. */
std::string unquoted(std::string_view literal)
{
    if (literal.find('\\') == std::string_view::npos) return std::string{literal.substr(1, literal.size() - 2)};
    const boost::json::value value = parse_json(literal);
    return {value.get_string().data(), value.get_string().size()};
}

/** The offset behind the string literal that begins at `at`. */
std::size_t end_of_string(std::string_view text, std::size_t at) noexcept
{
    for (++at; text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    return at + 1;
}

}  // namespace

json_outline::json_outline(std::string_view text) : text_{text}
{
    entries_.push_back({});
    take_value(0, json_path{});
    text_ = {};
}

void json_outline::skip_space() { at_ = text_.find_first_not_of(ascii_blanks, at_); }

std::string_view json_outline::take_string()
{
    const std::size_t begin = std::exchange(at_, end_of_string(text_, at_));
    return text_.substr(begin, at_ - begin);
}

std::uint32_t json_outline::add(std::uint32_t parent)
{
    const auto index = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({});
    entries_[parent].parts.push_back(index);
    return index;
}

void json_outline::take_value(std::uint32_t into, const json_path& path)
{
    skip_space();
    entries_[into].value = at_;
    switch (text_[at_]) {
    case '{': return take_object(into, path);
    case '[': return take_array(into, path);
    case '"': (void)take_string(); return;
    default: at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    }
}

void json_outline::take_object(std::uint32_t into, const json_path& path)
{
    std::unordered_set<std::string> seen;
    ++at_;
    for (skip_space(); text_[at_] != '}'; skip_space()) {
        if (text_[at_] == ',') {
            ++at_;
            continue;
        }
        const std::uint32_t member = add(into);
        entries_[member].name_offset = at_;
        const std::string name = unquoted(take_string());
        entries_[member].name = name;
        const json_path member_path{path, name};
        if (!seen.insert(name).second)
            repeated_.push_back({entries_[member].name_offset, member_path.text(), name});
        skip_space();
        ++at_;  // the colon
        take_value(member, member_path);
    }
    ++at_;
}

void json_outline::take_array(std::uint32_t into, const json_path& path)
{
    ++at_;
    for (skip_space(); text_[at_] != ']'; skip_space()) {
        if (text_[at_] == ',') {
            ++at_;
            continue;
        }
        const std::size_t index = entries_[into].parts.size();
        const std::uint32_t item = add(into);
        entries_[item].name_offset = at_;
        take_value(item, json_path{path, index});
    }
    ++at_;
}

std::pair<const json_outline::entry*, bool> json_outline::find(const json_path& path) const
{
    const entry* at = &entries_.front();
    for (const json_path::step& step : path.steps()) {
        const auto& parts = at->parts;
        if (step.index != json_path::step::no_index) {
            if (step.index >= parts.size()) return {at, false};
            at = &entries_[parts[step.index]];
            continue;
        }
        // The last of members with one name is the one that counts.
        const auto found = std::find_if(parts.rbegin(), parts.rend(),
                                        [&](std::uint32_t part) { return entries_[part].name == step.name; });
        if (found == parts.rend()) return {at, false};
        at = &entries_[*found];
    }
    return {at, true};
}

std::size_t json_outline::value_at(const json_path& path) const { return find(path).first->value; }

std::size_t json_outline::name_at(const json_path& path) const
{
    const auto [found, is_there] = find(path);
    return is_there && path.depth() > 0 ? found->name_offset : found->value;
}

std::string_view without_byte_order_mark(std::string_view text) noexcept
{
    constexpr std::string_view mark = "\xef\xbb\xbf";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

std::size_t count_members(std::string_view text) noexcept
{
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '"') at = end_of_string(text, at) - 1;
        else if (text[at] == ':') ++count;
    }
    return count;
}

}  // namespace weft
