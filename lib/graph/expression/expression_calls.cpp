#include "expression_calls.hpp"

#include "expression_compare.hpp"
#include "expression_container.hpp"
#include "expression_integers.hpp"
#include "expression_operators.hpp"
#include "expression_reals.hpp"
#include "expression_signatures.hpp"
#include "expression_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace weft::expression_detail {

namespace {

expression_value length(evaluation& in, const arguments& with)
{
    const expression_value value = whole(in, with.positional[0]);
    if (value.kind() < expression_kind::text)
        refuse("TypeError", "object of type '" + type_name(value) + "' has no len()");
    const std::size_t size = value.is(expression_kind::text) ? code_points(in, value.as_text()) : value.size();
    return expression_value::natural(size);
}

[[noreturn]] void refuse_literal(evaluation& in, const expression_value& text, unsigned base)
{
    refuse("ValueError", "invalid literal for int() with base " + std::to_string(base) + ": " + represent(in, text));
}

/** The digits of a text behind sign and prefix; sets the base that a prefix names. */
std::string_view digits_of(std::string_view text, unsigned& base)
{
    // `0x` and the like count only if the base is 0 or the one that they name: int('0x1f', 16) is 31.
    unsigned named = 0;
    if (text.size() > 1 && text[0] == '0') {
        const char letter = static_cast<char>(text[1] | 0x20);
        named = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    }
    const bool has_prefix = named != 0 && (base == 0 || base == named);
    if (has_prefix) {
        base = named;
        text.remove_prefix(text.size() > 2 && text[2] == '_' ? 3 : 2);
    } else if (base == 0) {
        const bool is_zero = text.find_first_not_of("0_") == text.npos;
        base = text.starts_with('0') && !is_zero ? 1 : 10;  // no digit has base 1: leading zeros are refused
    }
    return text;
}

expression_value parse_integer(evaluation& in, const expression_value& from, unsigned base)
{
    const unsigned wanted = base;
    in.charge(from.size() / 4);
    std::string_view text = stripped_number(in, from.as_text());
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    const std::string_view digits = digits_of(text, base);
    const bool is_spaced = digits.starts_with('_') || digits.ends_with('_') || digits.find("__") != digits.npos;
    if (digits.empty() || is_spaced) refuse_literal(in, from, wanted);
    const auto value = parse_digits(in, digits, base);
    if (!value) refuse_literal(in, from, wanted);
    return is_negative ? negate(in, *value) : *value;
}

// The messages are those of Python 3.11, so that people find them in their search engine.
expression_value to_integer(evaluation& in, const arguments& with)
{
    const expression_value* base = with.find(1, "base");
    if (with.positional.empty()) {
        if (base) refuse("TypeError", "int() missing string argument");
        return expression_value::integer(0);
    }
    const expression_value& value = with.positional[0];
    if (base) {
        if (!value.is(expression_kind::text)) refuse("TypeError", "int() can't convert non-string with explicit base");
        if (!is_integer(*base))
            refuse("TypeError", "'" + type_name(*base) + "' object cannot be interpreted as an integer");
        const std::int64_t number = is_small(*base) ? base->as_integer() : -1;
        if (number < 0 || number == 1 || number > 36) refuse("ValueError", "int() base must be >= 2 and <= 36, or 0");
        return parse_integer(in, value, static_cast<unsigned>(number));
    }
    if (value.is(expression_kind::text)) return parse_integer(in, value, 10);
    if (value.is(expression_kind::real)) return integer_part(in, value.as_real());
    if (!is_integer(value))
        refuse("TypeError", "int() argument must be a string or a real number, not '" + type_name(value) + "'");
    return is_small(value) ? expression_value::integer(value.as_integer()) : value;
}

expression_value to_float(evaluation& in, const arguments& with)
{
    if (with.positional.empty()) return expression_value::real(0);
    const expression_value& value = with.positional[0];
    if (value.is(expression_kind::real)) return value;
    if (value.is(expression_kind::text)) return expression_value::real(parse_real(in, value.as_text()));
    if (is_integer(value)) return expression_value::real(to_real(value));
    refuse("TypeError", "float() argument must be a string or a real number, not '" + type_name(value) + "'");
}

expression_value to_string(evaluation& in, const arguments& with)
{
    const expression_value* value = with.find(0, "object");
    if (!value) return expression_value::text({});
    return value->is(expression_kind::text) ? *value : in.arena.copy(to_text(in, *value));
}

expression_value to_bool(evaluation& in, const arguments& with)
{
    return expression_value::boolean(!with.positional.empty() && is_true(in, with.positional[0]));
}

expression_value to_sequence(evaluation& in, const arguments& with, expression_kind kind)
{
    if (with.positional.empty()) return expression_value::container(kind, nullptr, 0);
    return make_sequence(in, with.positional[0], kind);
}

expression_value to_set(evaluation& in, const arguments& with)
{
    if (with.positional.empty()) return expression_value::container(expression_kind::set, nullptr, 0);
    return make_set(in, with.positional[0]);
}

void put_pairs(evaluation& in, distinct_items& dict, const expression_value& from)
{
    if (from.is(expression_kind::dict)) {
        for (std::size_t i = 0; i < from.size(); ++i) dict.put(item_at(from, i), member_at(from, i));
        return;
    }
    iteration items{in, from};
    for (expression_value item; items.next(item);) {
        iteration parts{in, item};
        expression_value key;
        expression_value member;
        expression_value more;
        if (!parts.next(key) || !parts.next(member) || parts.next(more))
            refuse("ValueError", "dict() takes pairs, and an item is not one of two values");
        dict.put(key, member);
    }
}

expression_value to_dict(evaluation& in, const arguments& with)
{
    const expression_value none = expression_value::container(expression_kind::dict, nullptr, 0);
    const expression_value from = with.positional.empty() ? none : whole(in, with.positional[0]);
    if (with.named.empty() && from.is(expression_kind::dict)) return from;
    distinct_items dict{in, iteration{in, from}.size() + with.named.size(), true};
    put_pairs(in, dict, from);
    for (std::size_t i = 0; i < with.named.size(); ++i) dict.put(expression_value::text(with.names[i]), with.named[i]);
    return dict.finish();
}

expression_value extreme(evaluation& in, const arguments& with, comparison better, std::string_view name)
{
    if (const expression_value* key = with.find(callable::any, "key"); key && !key->is_none())
        refuse("TypeError", std::string{name} + "() takes no key function here");
    const expression_value* otherwise = with.find(callable::any, "default");
    // With one argument its items are compared, with several the arguments themselves.
    const bool is_one = with.positional.size() == 1;
    if (!is_one && otherwise)
        refuse("TypeError", "cannot specify a default for " + std::string{name} + "() with several arguments");
    iteration items{in, is_one ? with.positional[0]
                               : expression_value::container(expression_kind::tuple, with.positional.data(),
                                                             with.positional.size())};
    expression_value best;
    if (!items.next(best)) {
        if (otherwise) return *otherwise;
        refuse("ValueError", std::string{name} + "() arg is an empty sequence");
    }
    for (expression_value item; items.next(item);)
        if (compare(in, better, item, best)) best = item;
    return best;
}

expression_value sum(evaluation& in, const arguments& with)
{
    const expression_value* begin = with.find(1, "start");
    expression_value total = begin ? *begin : expression_value::integer(0);
    if (total.is(expression_kind::text)) refuse("TypeError", "sum() can't sum strings");
    // Through `apply`, so that lists and tuples are summed up as in Python.
    iteration items{in, with.positional[0]};
    for (expression_value item; items.next(item);) total = apply(in, binary_operator::add, total, item);
    return total;
}

expression_value absolute(evaluation& in, const arguments& with)
{
    const expression_value& value = with.positional[0];
    if (value.is(expression_kind::real)) return expression_value::real(std::fabs(value.as_real()));
    if (!is_integer(value)) refuse("TypeError", "bad operand type for abs(): '" + type_name(value) + "'");
    const bool is_negative = compare_integers(value, expression_value::integer(0)) < 0;
    return apply(in, is_negative ? unary_operator::minus : unary_operator::plus, value);
}

expression_value round(evaluation& in, const arguments& with)
{
    const expression_value* number = with.find(0, "number");
    const expression_value* digits = with.find(1, "ndigits");
    if (!number) refuse("TypeError", "round() missing required argument 'number'");
    return digits ? rounded(in, *number, *digits) : rounded(in, *number);
}

/** Whether all items are true, or not all are false. */
expression_value all_or_any(evaluation& in, const arguments& with, bool ends_at)
{
    iteration items{in, with.positional[0]};
    for (expression_value item; items.next(item);)
        if (is_true(in, item) == ends_at) return expression_value::boolean(ends_at);
    return expression_value::boolean(!ends_at);
}

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

/** Adds a part of a text to a list whose length is not known before; fails as soon as the arena could not hold it. */
void put_piece(evaluation& in, std::vector<expression_value>& parts, std::string_view part)
{
    in.charge(1);
    in.arena.require((parts.size() + 1) * sizeof(expression_value));
    parts.push_back(expression_value::text(part));
}

expression_value list_of_pieces(evaluation& in, const std::vector<expression_value>& parts)
{
    expression_value* const to = in.arena.allocate_values(parts.size());
    std::copy(parts.begin(), parts.end(), to);
    return expression_value::container(expression_kind::list, to, parts.size());
}

bool begins_with_space(std::string_view text, std::size_t& bytes)
{
    const char32_t code = first_code_point(text, bytes);
    return is_space(code) && (bytes > 1 || code < 0x80);
}

expression_value split_at_space(evaluation& in, std::string_view text, std::size_t parts_max)
{
    std::vector<expression_value> parts;
    std::size_t bytes = 0;
    for (std::size_t count = 0;; ++count) {
        in.charge(text.size() / 64);
        while (!text.empty() && begins_with_space(text, bytes)) text.remove_prefix(bytes);
        if (text.empty()) return list_of_pieces(in, parts);
        // The rest is one part, as it stands.
        if (count == parts_max) {
            put_piece(in, parts, text);  // what is left keeps the white space at its end
            return list_of_pieces(in, parts);
        }
        std::size_t end = 0;
        while (end < text.size() && !begins_with_space(text.substr(end), bytes)) end += bytes;
        put_piece(in, parts, text.substr(0, end));
        text.remove_prefix(end);
    }
}

expression_value split_at_text(evaluation& in, std::string_view text, std::string_view separator, std::size_t parts_max)
{
    if (separator.empty()) refuse("ValueError", "empty separator");
    std::vector<expression_value> parts;
    std::size_t begin = 0;
    for (std::size_t count = 0; count < parts_max; ++count) {
        const std::size_t end = find_text(in, text, separator, begin);
        if (end == std::string_view::npos) break;
        put_piece(in, parts, text.substr(begin, end - begin));
        begin = end + separator.size();
    }
    put_piece(in, parts, text.substr(begin));
    return list_of_pieces(in, parts);
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
    // Refused before the heap is asked for a copy.
    in.arena.require(text.size());
    in.charge(text.size());
    return in.arena.copy(change(text.as_text()));
}

}  // namespace

const expression_value* arguments::find(std::size_t position, std::string_view name) const noexcept
{
    if (position < positional.size()) return &positional[position];
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? nullptr : &named[static_cast<std::size_t>(found - names.begin())];
}

expression_value call_function(evaluation& in, std::uint32_t function, const arguments& with)
{
    switch (function) {
    case 0: return length(in, with);
    case 1: return to_integer(in, with);
    case 2: return to_float(in, with);
    case 3: return to_string(in, with);
    case 4: return to_bool(in, with);
    case 5: return to_sequence(in, with, expression_kind::list);
    case 6: return to_dict(in, with);
    case 7: return to_sequence(in, with, expression_kind::tuple);
    case 8: return to_set(in, with);
    case 9: return extreme(in, with, comparison::less, "min");
    case 10: return extreme(in, with, comparison::greater, "max");
    case 11: return sum(in, with);
    case 12: return absolute(in, with);
    case 13: return round(in, with);
    case 14: return all_or_any(in, with, false);
    default: return all_or_any(in, with, true);
    }
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
