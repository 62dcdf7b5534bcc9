#include "uri_template.hpp"

#include <weft/base/error.hpp>

#include <utility>

namespace weft::mcp_detail {

uri_template::uri_template(std::string_view text)
{
    const std::string whole{text};
    const auto refuse = [&whole](const char* why) {
        throw error{errc::invalid_configuration, "resource template '" + whole + "'", why};
    };
    std::string* before = &begin_;
    while (!text.empty()) {
        const std::size_t open = text.find_first_of("{}");
        before->append(text.substr(0, open));
        if (open == text.npos) break;
        const std::size_t close = text.find('}', open);
        if (text[open] == '}' || close == text.npos) refuse("its braces do not fit");
        std::string name{text.substr(open + 1, close - open - 1)};
        if (name.empty() || name.find('{') != name.npos) refuse("a variable has no name");
        if (!variables_.empty() && before->empty()) refuse("two variables have nothing between them");
        for (const variable& other : variables_)
            if (other.name == name) refuse("two variables have the same name");
        variables_.push_back({std::move(name), {}});
        before = &variables_.back().behind;
        text.remove_prefix(close + 1);
    }
    if (variables_.empty()) refuse("it has no variable; such an address is a resource");
}

std::optional<boost::json::object> uri_template::match(std::string_view uri) const
{
    if (!uri.starts_with(begin_)) return std::nullopt;
    uri.remove_prefix(begin_.size());
    boost::json::object parts;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        const variable& each = variables_[i];
        const bool is_last = i + 1 == variables_.size();
        if (is_last && !uri.ends_with(each.behind)) return std::nullopt;
        // The last one takes all that is left, since nothing follows that could be looked for.
        const std::size_t end = is_last ? uri.size() - each.behind.size() : uri.find(each.behind, 1);
        if (end == uri.npos || end == 0 || end > uri.size()) return std::nullopt;
        const std::string_view value = uri.substr(0, end);
        if (value.find('/') != value.npos) return std::nullopt;
        parts[each.name] = value;
        uri.remove_prefix(end + each.behind.size());
    }
    return parts;
}

}  // namespace weft::mcp_detail
