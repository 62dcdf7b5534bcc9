#include "expression_container.hpp"

#include "expression_compare.hpp"
#include "expression_integers.hpp"
#include "expression_text.hpp"

#include <algorithm>
#include <bit>
#include <memory>

namespace weft::expression_detail {

namespace {

constexpr std::size_t no_index = static_cast<std::size_t>(-1);

/** Where an index, which may count from the end, is in `size` items. */
std::size_t position(const expression_value& index, std::size_t size, const expression_value& container)
{
    if (!is_integer(index))
        refuse("TypeError", type_name(container) + " indices must be integers, not " + type_name(index));
    if (!is_small(index)) return no_index;
    const auto limit = static_cast<std::int64_t>(size);
    const std::int64_t at = index.as_integer() < 0 ? index.as_integer() + limit : index.as_integer();
    return at >= 0 && at < limit ? static_cast<std::size_t>(at) : no_index;
}

expression_value character_at(evaluation& in, const expression_value& text, const expression_value& index)
{
    std::string_view rest = text.as_text();
    std::size_t at = position(index, code_points(in, rest), text);
    if (at == no_index) refuse("IndexError", "string index out of range");
    for (; at != 0; --at) rest.remove_prefix(code_point_bytes(rest));
    return expression_value::text(rest.substr(0, code_point_bytes(rest)));
}

}  // namespace

expression_value item_at(const expression_value& container, std::size_t index) noexcept
{
    const bool is_dict = container.is(expression_kind::dict);
    if (container.where() == expression_value::place::json) {
        if (!is_dict) return expression_value::json(container.as_array()[index]);
        const auto key = container.as_object().begin()[static_cast<std::ptrdiff_t>(index)].key();
        return expression_value::text({key.data(), key.size()});
    }
    return container.as_items()[is_dict ? 2 * index : index];
}

expression_value member_at(const expression_value& dict, std::size_t index) noexcept
{
    if (dict.where() == expression_value::place::json)
        return expression_value::json(dict.as_object().begin()[static_cast<std::ptrdiff_t>(index)].value());
    return dict.as_items()[2 * index + 1];
}

bool find_member(evaluation& in, const expression_value& dict, const expression_value& key, expression_value& into)
{
    const bool is_name = key.is(expression_kind::text);
    if (!is_name) static_cast<void>(hash_of(in, key));
    if (dict.where() == expression_value::place::mapping)
        return is_name && dict.as_mapping().find(key.as_text(), into, in.arena);
    if (dict.where() == expression_value::place::json) {
        if (!is_name) return false;
        const boost::json::value* found = dict.as_object().if_contains(key.as_text());
        if (found) into = expression_value::json(*found);
        return found != nullptr;
    }
    in.charge(dict.size() / 4);
    for (std::size_t i = 0; i < dict.size(); ++i) {
        if (!are_equal(in, item_at(dict, i), key)) continue;
        into = member_at(dict, i);
        return true;
    }
    return false;
}

expression_value subscript(evaluation& in, const expression_value& container, const expression_value& key)
{
    switch (container.kind()) {
    case expression_kind::text: return character_at(in, container, key);
    case expression_kind::list:
    case expression_kind::tuple: {
        const std::size_t at = position(key, container.size(), container);
        if (at == no_index)
            refuse("IndexError", type_name(container) + " index out of range: " + to_text(in, key) + " of " +
                                     std::to_string(container.size()) + " items");
        return item_at(container, at);
    }
    case expression_kind::dict: {
        expression_value found;
        if (!find_member(in, container, key, found)) refuse("KeyError", represent(in, key));
        return found;
    }
    default: refuse("TypeError", "'" + type_name(container) + "' object is not subscriptable");
    }
}

iteration::iteration(evaluation& in, const expression_value& over)
    : in_{in}, over_{whole(in, over)}, size_{over_.size()}
{
    if (over_.kind() < expression_kind::text) refuse("TypeError", "'" + type_name(over_) + "' object is not iterable");
}

bool iteration::next(expression_value& into)
{
    if (at_ == size_) return false;
    in_.charge(1);
    if (over_.is(expression_kind::text)) {
        const std::string_view rest = over_.as_text().substr(at_);
        const std::size_t bytes = code_point_bytes(rest);
        into = expression_value::text(rest.substr(0, bytes));
        at_ += bytes;
    } else {
        into = item_at(over_, at_++);
    }
    return true;
}

// Python keeps the order in which keys came; the table finds them, and has room for twice as many.
distinct_items::distinct_items(evaluation& in, std::size_t size_max, bool is_dict)
    : in_{in}, is_dict_{is_dict}, mask_{0}
{
    in.arena.require(size_max);
    items_ = in.arena.allocate_values(size_max * (is_dict ? 2 : 1));
    const std::size_t places = std::bit_ceil(2 * size_max + 1);
    mask_ = places - 1;
    in.charge(places / 8);
    table_ = static_cast<std::uint32_t*>(in.arena.allocate(places * sizeof(std::uint32_t)));
    std::uninitialized_fill_n(table_, places, 0u);
}

void distinct_items::put(const expression_value& key, const expression_value& member)
{
    const std::size_t width = is_dict_ ? 2 : 1;
    for (std::size_t at = hash_of(in_, key) & mask_;; at = (at + 1) & mask_) {
        in_.charge(1);
        if (table_[at] == 0) {
            table_[at] = static_cast<std::uint32_t>(++size_);
            items_[(size_ - 1) * width] = key;
        } else if (!are_equal(in_, items_[(table_[at] - 1) * width], key)) {
            continue;
        }
        if (is_dict_) items_[(table_[at] - 1) * width + 1] = member;
        return;
    }
}

expression_value distinct_items::finish() const noexcept
{
    return expression_value::container(is_dict_ ? expression_kind::dict : expression_kind::set, items_, size_);
}

// `list(a_tuple)` shares the items: values do not change, so it is a copy as far as can be seen.
expression_value make_sequence(evaluation& in, const expression_value& from, expression_kind kind)
{
    const bool shares = from.kind() >= expression_kind::list && !from.is(expression_kind::dict);
    if (shares) return from.as(kind);
    iteration items{in, from};
    const std::size_t size = from.is(expression_kind::text) ? code_points(in, from.as_text()) : items.size();
    expression_value* const to = in.arena.allocate_values(size);
    for (std::size_t i = 0; i < size; ++i) static_cast<void>(items.next(to[i]));
    return expression_value::container(kind, to, size);
}

expression_value make_set(evaluation& in, const expression_value& from)
{
    if (from.is(expression_kind::set)) return from;
    iteration items{in, from};
    distinct_items set{in, items.size(), false};
    for (expression_value item; items.next(item);) set.put(item);
    return set.finish();
}

}  // namespace weft::expression_detail
