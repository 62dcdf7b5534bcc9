#include "json_outline.hpp"

#include <weft/base/json.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace weft {

namespace {

using node = document_outline::node;

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

/** Walks through a text that is known to be JSON. */
class json_walk {
public:
    json_walk(std::string_view text, document_outline& into, document_mistakes& repeated)
        : text_{text}, into_{into}, repeated_{repeated}
    {
    }

    void take_value(node to, const json_path& path)
    {
        // No bounds are checked: the parser has accepted the text.
        skip_space();
        into_.place(to, at_);
        switch (text_[at_]) {
        case '{': return take_object(to, path);
        case '[': return take_array(to, path);
        case '"': (void)take_string(); return;
        default: at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
        }
    }

private:
    void skip_space() { at_ = text_.find_first_not_of(ascii_blanks, at_); }

    [[nodiscard]] std::string_view take_string()
    {
        const std::size_t begin = std::exchange(at_, end_of_string(text_, at_));
        return text_.substr(begin, at_ - begin);
    }

    void take_object(node into, const json_path& path)
    {
        std::unordered_set<std::string> seen;
        ++at_;
        for (skip_space(); text_[at_] != '}'; skip_space()) {
            if (text_[at_] == ',') {
                ++at_;
                continue;
            }
            const std::size_t name_offset = at_;
            const std::string name = unquoted(take_string());
            const node member = into_.add_member(into, name_offset, name);
            const json_path member_path{path, name};
            if (!seen.insert(name).second)
                repeated_.add(name_offset, member_path, "there is a member '" + name + "' already: keep one");
            skip_space();
            ++at_;  // the colon
            take_value(member, member_path);
        }
        ++at_;
    }

    void take_array(node into, const json_path& path)
    {
        ++at_;
        std::size_t count = 0;
        for (skip_space(); text_[at_] != ']'; skip_space()) {
            if (text_[at_] == ',') {
                ++at_;
                continue;
            }
            const node item = into_.add_item(into, at_);
            take_value(item, json_path{path, count++});
        }
        ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    document_outline& into_;
    document_mistakes& repeated_;
};

}  // namespace

document_outline outline_of_json(std::string_view text, document_mistakes& repeated)
{
    document_outline made;
    json_walk{text, made, repeated}.take_value(document_outline::whole, json_path{});
    return made;
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
