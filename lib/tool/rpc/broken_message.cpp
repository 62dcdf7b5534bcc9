#include "broken_message.hpp"

#include <weft/base/json/json_reading.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <algorithm>
#include <string>

namespace weft::mcp_detail {

namespace {

constexpr std::size_t id_bytes_max = 256;

/** Goes over a text that may be JSON, without a stack: only the members of the outermost object count. */
class outer_members {
public:
    explicit outer_members(std::string_view text) noexcept : text_{text} {}

    /** Goes to the next member. @return False at the end. */
    bool next();

    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    /** The text from the member's value on. */
    [[nodiscard]] std::string_view rest() const noexcept { return text_.substr(std::min(at_, text_.size())); }

private:
    [[nodiscard]] std::string_view take_string();

    std::string_view text_;
    std::string_view name_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
};

/** What stands between the quotes; goes behind it. */
std::string_view outer_members::take_string()
{
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    const std::size_t end = std::min(at_, text_.size());
    at_ = end + 1;
    return text_.substr(begin, end - begin);
}

bool outer_members::next()
{
    while (at_ < text_.size()) {
        const char c = text_[at_];
        if (c == '"') {
            const std::string_view string = take_string();
            const std::size_t colon = text_.find_first_not_of(ascii_blanks, std::min(at_, text_.size()));
            if (depth_ != 1 || colon == std::string_view::npos || text_[colon] != ':') continue;
            at_ = colon + 1;
            name_ = string;
            return true;
        }
        if (c == '{' || c == '[') ++depth_;
        if ((c == '}' || c == ']') && depth_ > 0) --depth_;
        ++at_;
    }
    return false;
}

/** The id with which a text begins. */
std::optional<json_rpc_id> id_at(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(ascii_blanks), text.size()));
    std::size_t end = text.starts_with('"') ? text.find('"', 1) : text.find_first_of(",}\n\r\t ");
    if (end == std::string_view::npos) end = text.size();
    if (text.starts_with('"')) end = std::min(end + 1, text.size());
    if (end > id_bytes_max) return std::nullopt;
    const std::optional<boost::json::value> read = try_parse_json(text.substr(0, end));
    return read ? json_rpc_id_of(*read) : std::nullopt;
}

}  // namespace

std::optional<json_rpc_id> answered_id(std::string_view broken)
{
    std::optional<json_rpc_id> id;
    outer_members members{broken};
    while (members.next()) {
        if (members.name() == "method") return std::nullopt;
        if (members.name() == "id") id = id_at(members.rest());
    }
    return id;
}

error unreadable_answer(const std::string& label, const error& why)
{
    const std::string place = why.where().empty() ? "" : why.where() + ": ";
    return error{errc::invalid_mcp_message, label, "the answer cannot be read: " + place + why.detail()};
}

}  // namespace weft::mcp_detail
