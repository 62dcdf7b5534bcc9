#include <weft/base/json/json_text.hpp>

#include <weft/base/json/json_read.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

namespace {

/** Numbers in between are shortest without an exponent, or nearly so. */
constexpr double plain_min = 1e-6;
constexpr double plain_max = 1e15;

void append_real(std::string& text, double number)
{
    const double size = std::abs(number);
    if (number != 0 && !(plain_min <= size && size < plain_max)) {
        text += boost::json::serialize(boost::json::value(number));
        return;
    }
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed).ptr;
    const std::string_view plain{digits, static_cast<std::size_t>(end - digits)};
    text += plain;
    if (plain.find('.') == std::string_view::npos) text += ".0";
}

class json_writer {
public:
    explicit json_writer(json_spacing spacing, bool is_sorted = false)
        : is_spaced_{spacing == json_spacing::written}, is_sorted_{is_sorted}
    {
    }

    void append(const boost::json::value& from, std::size_t depth)
    {
        if (const double* const number = from.if_double()) return append_real(text_, *number);
        if (depth == json_depth_max || !from.is_structured()) {
            text_ += boost::json::serialize(from);
            return;
        }
        if (const boost::json::object* const members = from.if_object()) return append_members(*members, depth);
        bool is_first = true;
        text_ += '[';
        for (const boost::json::value& item : from.get_array()) {
            if (!std::exchange(is_first, false)) text_ += is_spaced_ ? ", " : ",";
            append(item, depth + 1);
        }
        text_ += ']';
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    void append_members(const boost::json::object& from, std::size_t depth)
    {
        text_ += '{';
        if (!is_sorted_) {
            for (const boost::json::key_value_pair& member : from) append_member(member, depth);
        } else {
            std::vector<const boost::json::key_value_pair*> members;
            members.reserve(from.size());
            for (const boost::json::key_value_pair& member : from) members.push_back(&member);
            std::sort(members.begin(), members.end(), [](auto* a, auto* b) { return a->key() < b->key(); });
            for (const boost::json::key_value_pair* member : members) append_member(*member, depth);
        }
        text_ += '}';
    }

    void append_member(const boost::json::key_value_pair& member, std::size_t depth)
    {
        if (text_.back() != '{') text_ += is_spaced_ ? ", " : ",";
        text_.append(boost::json::serialize(member.key())) += is_spaced_ ? ": " : ":";
        append(member.value(), depth + 1);
    }

    std::string text_;
    bool is_spaced_;
    bool is_sorted_;
};

}  // namespace

std::string to_json_text(const boost::json::value& from, json_spacing spacing)
{
    json_writer writer{spacing};
    writer.append(from, 0);
    return writer.take();
}

std::string to_canonical_json_text(const boost::json::value& from)
{
    json_writer writer{json_spacing::none, true};
    writer.append(from, 0);
    return writer.take();
}

}  // namespace weft
