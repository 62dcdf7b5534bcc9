#include <weft/engine/checkpoint/graph_fingerprint.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace weft {

namespace {

using boost::json::object;

const object* find_named(const object& shape, std::string_view list, std::string_view name)
{
    const boost::json::value* const all = shape.if_contains(list);
    if (!all || !all->is_array()) return nullptr;
    for (const boost::json::value& one : all->get_array()) {
        const object* const found = one.if_object();
        const boost::json::value* const its_name = found ? found->if_contains("name") : nullptr;
        if (its_name && its_name->is_string() && std::string_view{its_name->get_string()} == name) return found;
    }
    return nullptr;
}

template <class Function>
void for_each_named(const object& shape, std::string_view list, Function function)
{
    const boost::json::value* const all = shape.if_contains(list);
    if (!all || !all->is_array()) return;
    for (const boost::json::value& one : all->get_array()) {
        const object* const found = one.if_object();
        const boost::json::value* const name = found ? found->if_contains("name") : nullptr;
        if (name && name->is_string()) function(std::string{name->get_string()}, *found);
    }
}

/** A member as people read it; `nothing` if there is none. */
std::string words_of(const object& of, std::string_view member, std::string_view otherwise)
{
    const boost::json::value* const found = of.if_contains(member);
    if (!found) return std::string{otherwise};
    return found->is_string() ? std::string{found->get_string()} : boost::json::serialize(*found);
}

class shape_comparison {
public:
    shape_comparison(std::string prefix, std::vector<graph_change>& into) : prefix_{std::move(prefix)}, into_{into} {}

    void compare(const object& from, const object& to)
    {
        for_each_named(from, "nodes", [&](const std::string& name, const object& before) {
            if (const object* const now = find_named(to, "nodes", name))
                compare_nodes(name, before, *now);
            else
                add(graph_change::kind::node_removed, name, "it is gone");
        });
        for_each_named(to, "nodes", [&](const std::string& name, const object&) {
            if (!find_named(from, "nodes", name)) add(graph_change::kind::node_added, name, "it is new");
        });
        for_each_named(from, "keys", [&](const std::string& name, const object& before) {
            if (const object* const now = find_named(to, "keys", name))
                compare_keys(name, before, *now);
            else
                add(graph_change::kind::key_removed, name, "it is gone");
        });
        for_each_named(to, "keys", [&](const std::string& name, const object&) {
            if (!find_named(from, "keys", name)) add(graph_change::kind::key_added, name, "it is new");
        });
        for (const std::string_view member : {"conflict", "routing"})
            if (words_of(from, member, "") != words_of(to, member, ""))
                add(graph_change::kind::edges_changed, "", changed(from, to, member, "as usual"));
    }

private:
    static std::string changed(const object& from, const object& to, std::string_view member, std::string_view usual)
    {
        return std::string{member} + " was " + words_of(from, member, usual) + " and is " + words_of(to, member, usual);
    }

    void add(graph_change::kind what, const std::string& name, std::string detail)
    {
        into_.push_back({what, prefix_ + name, std::move(detail), false});
    }

    void compare_nodes(const std::string& name, const object& from, const object& to)
    {
        if (words_of(from, "edges", "") != words_of(to, "edges", ""))
            add(graph_change::kind::edges_changed, name, changed(from, to, "edges", "none"));
        for (const std::string_view member : {"join", "fan_out"})
            if (words_of(from, member, "") != words_of(to, member, ""))
                add(graph_change::kind::fan_out_changed, name,
                    changed(from, to, member, member == "join" ? "nowhere" : "fail_all"));
        const boost::json::value* const before = from.if_contains("graph");
        const boost::json::value* const now = to.if_contains("graph");
        if (before && now && before->is_object() && now->is_object())
            shape_comparison{prefix_ + name + "/", into_}.compare(before->get_object(), now->get_object());
        else if ((before != nullptr) != (now != nullptr))
            add(graph_change::kind::graph_changed, name,
                before ? "it was a graph and is none any more" : "it was no graph and is one now");
        for (const std::string_view member : {"inputs", "outputs"})
            if (words_of(from, member, "") != words_of(to, member, ""))
                add(graph_change::kind::graph_changed, name, changed(from, to, member, "shared"));
    }

    void compare_keys(const std::string& name, const object& from, const object& to)
    {
        if (words_of(from, "type", "transient") != words_of(to, "type", "transient"))
            add(graph_change::kind::type_changed, name, changed(from, to, "type", "transient"));
        if (words_of(from, "update", "") != words_of(to, "update", ""))
            add(graph_change::kind::type_changed, name, changed(from, to, "update", "as its type"));
        for (const std::string_view member : {"reducer", "conflict"})
            if (words_of(from, member, "") != words_of(to, member, ""))
                add(graph_change::kind::reducer_changed, name, changed(from, to, member, "as usual"));
    }

    std::string prefix_;
    std::vector<graph_change>& into_;
};

}  // namespace

std::string_view name_of(graph_change::kind kind) noexcept
{
    switch (kind) {
    case graph_change::kind::node_added: return "node_added";
    case graph_change::kind::node_removed: return "node_removed";
    case graph_change::kind::edges_changed: return "edges_changed";
    case graph_change::kind::fan_out_changed: return "fan_out_changed";
    case graph_change::kind::graph_changed: return "graph_changed";
    case graph_change::kind::key_added: return "key_added";
    case graph_change::kind::key_removed: return "key_removed";
    case graph_change::kind::type_changed: return "type_changed";
    case graph_change::kind::reducer_changed: return "reducer_changed";
    case graph_change::kind::value_refused: return "value_refused";
    }
    return "unknown";
}

std::vector<graph_change> compare_graphs(const boost::json::object& shape, const graph& to)
{
    std::vector<graph_change> result;
    shape_comparison{"", result}.compare(shape, graph_shape(to));
    return result;
}

std::vector<graph_change> compare_graphs(const graph& from, const graph& to)
{
    return compare_graphs(graph_shape(from), to);
}

}  // namespace weft
