#include "expression_calls.hpp"
#include "expression_container.hpp"
#include "expression_integers.hpp"
#include "expression_text.hpp"

#include <limits>

namespace weft::expression_detail {

namespace {

enum method : std::uint32_t { get, keys, values, items, lower, upper, strip, split };

/** The views that `keys()`, `values()` and `items()` return. */
expression_value members_of(evaluation& in, const expression_value& of, expression_kind kind)
{
    const expression_value dict = whole(in, of);
    expression_value* const to = in.arena.allocate_values(dict.size());
    for (std::size_t i = 0; i < dict.size(); ++i) {
        if (kind == expression_kind::items) {
            expression_value* const pair = in.arena.allocate_values(2);
            pair[0] = item_at(dict, i);
            pair[1] = member_at(dict, i);
            to[i] = expression_value::container(expression_kind::tuple, pair, 2);
        } else {
            to[i] = kind == expression_kind::keys ? item_at(dict, i) : member_at(dict, i);
        }
    }
    in.charge(dict.size());
    return expression_value::container(kind, to, dict.size());
}

/** Collects the parts of a text; their number is not known before. */
class part_list {
public:
    explicit part_list(evaluation& in) : in_{in} {}

    void put(std::string_view part)
    {
        in_.charge(1);
        if (size_ == capacity_) grow();
        parts_[size_++] = expression_value::text(part);
    }
    [[nodiscard]] expression_value finish() const noexcept
    {
        return expression_value::container(expression_kind::list, parts_, size_);
    }

private:
    void grow()
    {
        capacity_ = capacity_ == 0 ? 8 : 2 * capacity_;
        expression_value* const larger = in_.arena.allocate_values(capacity_);
        for (std::size_t i = 0; i < size_; ++i) larger[i] = parts_[i];
        parts_ = larger;
    }

    evaluation& in_;
    expression_value* parts_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

bool begins_with_space(std::string_view text, std::size_t& bytes)
{
    const char32_t code = first_code_point(text, bytes);
    return is_space(code) && (bytes > 1 || code < 0x80);
}

expression_value split_at_space(evaluation& in, std::string_view text, std::size_t parts_max)
{
    part_list parts{in};
    std::size_t bytes = 0;
    for (std::size_t count = 0;; ++count) {
        in.charge(text.size() / 64);
        while (!text.empty() && begins_with_space(text, bytes)) text.remove_prefix(bytes);
        if (text.empty()) return parts.finish();
        if (count == parts_max) {
            parts.put(text);  // what is left keeps the white space at its end
            return parts.finish();
        }
        std::size_t end = 0;
        while (end < text.size() && !begins_with_space(text.substr(end), bytes)) end += bytes;
        parts.put(text.substr(0, end));
        text.remove_prefix(end);
    }
}

expression_value split_at_text(evaluation& in, std::string_view text, std::string_view separator, std::size_t parts_max)
{
    if (separator.empty()) refuse("ValueError", "empty separator");
    part_list parts{in};
    std::size_t begin = 0;
    for (std::size_t count = 0; count < parts_max; ++count) {
        const std::size_t end = find_text(in, text, separator, begin);
        if (end == std::string_view::npos) break;
        parts.put(text.substr(begin, end - begin));
        begin = end + separator.size();
    }
    parts.put(text.substr(begin));
    return parts.finish();
}

expression_value split_text(evaluation& in, std::string_view text, const arguments& with)
{
    const expression_value* separator = with.find(0, "sep");
    const expression_value* most = with.find(1, "maxsplit");
    std::size_t parts_max = std::numeric_limits<std::size_t>::max();
    if (most) {
        if (!is_integer(*most))
            refuse("TypeError", "'" + type_name(*most) + "' object cannot be interpreted as an integer");
        if (is_small(*most) && most->as_integer() >= 0) parts_max = static_cast<std::size_t>(most->as_integer());
    }
    if (!separator || separator->is_none()) return split_at_space(in, text, parts_max);
    if (!separator->is(expression_kind::text))
        refuse("TypeError", "must be str or None, not " + type_name(*separator));
    return split_at_text(in, text, separator->as_text(), parts_max);
}

expression_value strip_text(evaluation& in, std::string_view text, const arguments& with)
{
    if (with.positional.empty() || with.positional[0].is_none())
        return expression_value::text(stripped(in, text, std::nullopt));
    if (!with.positional[0].is(expression_kind::text)) refuse("TypeError", "strip arg must be None or str");
    return expression_value::text(stripped(in, text, with.positional[0].as_text()));
}

expression_value cased(evaluation& in, const expression_value& text, std::string (*change)(std::string_view))
{
    in.arena.require(text.size());
    in.charge(text.size());
    return in.arena.copy(change(text.as_text()));
}

}  // namespace

std::span<const callable> methods() noexcept
{
    static constexpr callable all[] = {
        {"get", 1, 2, ""},   {"keys", 0, 0, ""},  {"values", 0, 0, ""}, {"items", 0, 0, ""},
        {"lower", 0, 0, ""}, {"upper", 0, 0, ""}, {"strip", 0, 1, ""},  {"split", 0, 2, "sep maxsplit "},
    };
    return all;
}

expression_value call_method(evaluation& in, std::uint32_t number, const expression_value& on, const arguments& with)
{
    const bool fits = on.is(number < lower ? expression_kind::dict : expression_kind::text);
    if (!fits)
        refuse("AttributeError",
               "'" + type_name(on) + "' object has no attribute '" + std::string{methods()[number].name} + "'");
    switch (number) {
    case get: {
        expression_value found;
        if (find_member(in, on, with.positional[0], found)) return found;
        return with.positional.size() > 1 ? with.positional[1] : expression_value{};
    }
    case keys: return members_of(in, on, expression_kind::keys);
    case values: return members_of(in, on, expression_kind::values);
    case items: return members_of(in, on, expression_kind::items);
    case lower: return cased(in, on, lower_case);
    case upper: return cased(in, on, upper_case);
    case strip: return strip_text(in, on.as_text(), with);
    default: return split_text(in, on.as_text(), with);
    }
}

}  // namespace weft::expression_detail
