#include "state_patch.hpp"

#include "serve/state/state_wire.hpp"

#include <weft/base/error.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t patch_depth_max = 16;

std::string child_of(std::string_view path, std::string_view name)
{
    std::string result{path};
    result.push_back('/');
    for (const char c : name) {
        if (c == '~') result.append("~0");
        else if (c == '/') result.append("~1");
        else result.push_back(c);
    }
    return result;
}

void add_operation(array& to, const char* op, std::string path, const value* what)
{
    object operation{{"op", op}, {"path", std::move(path)}};
    if (what) operation["value"] = *what;
    to.push_back(std::move(operation));
}

/** Makes patches; what costs more than the value itself is the value. */
class patch_maker {
public:
    void compare(array& to, const value& before, const value& after, const std::string& path, std::size_t depth)
    {
        if (before == after) return;
        const bool is_nested = (before.is_object() && after.is_object()) || (before.is_array() && after.is_array());
        if (!is_nested || depth == patch_depth_max) return add_operation(to, "replace", path, &after);
        array inner;
        if (after.is_object()) compare_members(inner, before.get_object(), after.get_object(), path, depth + 1);
        else compare_items(inner, before.get_array(), after.get_array(), path, depth + 1);
        // One operation inside is never longer than the value around it.
        const std::size_t whole_bytes = inner.size() > 1 ? boost::json::serialize(after).size() + path.size() : 0;
        if (inner.size() > 1 && boost::json::serialize(inner).size() > whole_bytes)
            return add_operation(to, "replace", path, &after);
        for (value& one : inner) to.push_back(std::move(one));
    }

private:
    void compare_members(array& to, const object& before, const object& after, const std::string& path,
                         std::size_t depth)
    {
        for (const auto& [name, had] : before)
            if (!after.contains(name)) add_operation(to, "remove", child_of(path, name), nullptr);
        for (const auto& [name, has] : after) {
            const value* const had = before.if_contains(name);
            if (had) compare(to, *had, has, child_of(path, name), depth);
            else add_operation(to, "add", child_of(path, name), &has);
        }
    }

    void compare_items(array& to, const array& before, const array& after, const std::string& path, std::size_t depth)
    {
        const std::size_t both = std::min(before.size(), after.size());
        for (std::size_t i = 0; i < both; ++i)
            compare(to, before[i], after[i], child_of(path, std::to_string(i)), depth);
        // From the end: each one that goes away leaves the places of the others as they are.
        for (std::size_t i = before.size(); i > both; --i)
            add_operation(to, "remove", child_of(path, std::to_string(i - 1)), nullptr);
        for (std::size_t i = both; i < after.size(); ++i) add_operation(to, "add", path + "/-", &after[i]);
    }
};

/** The items by which a list grew. @return  False if it did not grow, but changed. */
bool add_new_items(array& to, const state_layout::slot& key, const value_box& before, const value_box& after,
                   const std::string& path)
{
    const list_access* const list = key.type->value->list;
    if (!list || !list->extends(after, before)) return false;
    for (std::size_t i = list->size(before); i < list->size(after); ++i) {
        const value item = item_for_client(*key.type, key.name, after, i);
        add_operation(to, "add", path + "/-", &item);
    }
    return true;
}

void compare_key(array& to, const state_layout::slot& key, const value_ptr& before, const value_ptr& after)
{
    const std::string path = child_of({}, key.name);
    if (!after) return add_operation(to, "remove", path, nullptr);
    if (before && add_new_items(to, key, *before, *after, path)) return;
    const value now = value_for_client(*key.type, key.name, *after);
    if (!before) return add_operation(to, "add", path, &now);
    patch_maker{}.compare(to, value_for_client(*key.type, key.name, *before), now, path, 0);
}

}  // namespace

void add_json_patch(array& to, const value& before, const value& after, std::string_view path)
{
    patch_maker{}.compare(to, before, after, std::string{path}, 0);
}

array state_patch(const state& before, const state& after, const std::vector<std::uint32_t>& without)
{
    array patch;
    const state_layout& keys = after.layout();
    for (std::uint32_t slot = 0; slot < keys.size(); ++slot) {
        const bool is_left_out = std::find(without.begin(), without.end(), slot) != without.end();
        if (is_left_out || keys[slot].type->is_transient || before.at(slot) == after.at(slot)) continue;
        try {
            compare_key(patch, keys[slot], before.at(slot), after.at(slot));
        } catch (const std::exception& e) {
            throw error{errc::state_conversion, "key '" + keys[slot].name + "'", e.what()};
        }
    }
    return patch;
}

}  // namespace weft::serve_detail
