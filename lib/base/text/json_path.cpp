#include <weft/base/text/json_path.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <iterator>
#include <vector>

namespace weft {

namespace {

constexpr bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool needs_no_quotes(std::string_view name)
{
    return !name.empty() && is_letter(name.front()) &&
           std::all_of(name.begin(), name.end(),
                       [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace

void json_path::append_step(std::string& text) const
{
    if (index_ != no_index) {
        text.append("[").append(std::to_string(index_)).append("]");
    } else if (needs_no_quotes(name_)) {
        text.append(".").append(name_);
    } else {
        text.append("[")
            .append(boost::json::serialize(boost::json::string_view{name_.data(), name_.size()}))
            .append("]");
    }
}

std::string json_path::text() const
{
    std::vector<const json_path*> steps;
    for (const json_path* step = this; step->parent_ != nullptr; step = step->parent_)
        steps.push_back(step);
    std::string text = "$";
    std::for_each(steps.rbegin(), steps.rend(),
                  [&](const json_path* step) { step->append_step(text); });
    return text;
}

std::vector<json_path::step> json_path::steps() const
{
    std::vector<step> all;
    for (const json_path* at = this; at->parent_ != nullptr; at = at->parent_) all.push_back({at->name_, at->index_});
    std::reverse(all.begin(), all.end());
    return all;
}

}  // namespace weft
