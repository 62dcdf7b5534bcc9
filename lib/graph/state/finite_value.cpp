#include <weft/graph/state/finite_value.hpp>

#include <weft/base/error.hpp>
#include <weft/base/text/json_path.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace weft {

namespace {

/** Where the first number stands that is not finite, and that number. */
struct endless_number {
    std::string path;
    double number;
};

std::optional<endless_number> endless_in(const boost::json::value& value, const json_path& at);

std::optional<endless_number> endless_in(const boost::json::array& list, const json_path& at)
{
    for (std::size_t i = 0; i < list.size(); ++i)
        if (auto found = endless_in(list[i], {at, i})) return found;
    return std::nullopt;
}

std::optional<endless_number> endless_in(const boost::json::object& object, const json_path& at)
{
    for (const boost::json::key_value_pair& member : object)
        if (auto found = endless_in(member.value(), {at, std::string_view{member.key()}})) return found;
    return std::nullopt;
}

std::optional<endless_number> endless_in(const boost::json::value& value, const json_path& at)
{
    if (const double* const number = value.if_double(); number && !std::isfinite(*number))
        return endless_number{at.text(), *number};
    if (const boost::json::array* const list = value.if_array()) return endless_in(*list, at);
    if (const boost::json::object* const object = value.if_object()) return endless_in(*object, at);
    return std::nullopt;
}

std::optional<endless_number> endless_in(const value_box& box)
{
    const value_type* const type = &box.type();
    const json_path whole;
    if (type == &value_type_of<boost::json::value>) return endless_in(unboxed<boost::json::value>(box), whole);
    if (type == &value_type_of<boost::json::array>) return endless_in(unboxed<boost::json::array>(box), whole);
    if (type == &value_type_of<boost::json::object>) return endless_in(unboxed<boost::json::object>(box), whole);
    const double number = unboxed<double>(box);
    if (std::isfinite(number)) return std::nullopt;
    return endless_number{whole.text(), number};
}

}  // namespace

void graph_detail::require_finite_within(const value_box& value, const state_layout::slot& key,
                                         std::string_view node)
{
    const std::optional<endless_number> found = endless_in(value);
    if (!found) return;
    std::string where = node.empty() ? std::string{} : "node '" + std::string{node} + "', ";
    where += "key '" + key.name + "'";
    if (found->path != "$") where += " at " + found->path;
    throw error{errc::state_conversion, std::move(where),
                std::to_string(found->number) + " is not a finite number, which JSON cannot say"};
}

value_ptr reduce_finite(value_ptr& current, value_ptr update, const state_layout::slot& key, std::string_view node)
{
    const key_type& type = *key.type;
    if (!may_overflow(type)) return type.reduce(std::move(current), std::move(update));
    // A copy of the pointer: the value is not changed in place.
    value_ptr joined = type.reduce(current, std::move(update));
    require_finite(joined, key, node);
    return joined;
}

}  // namespace weft
