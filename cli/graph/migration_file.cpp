#include "migration_file.hpp"

#include "graph_file.hpp"
#include "run_input.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/engine/checkpoint/graph_fingerprint.hpp>
#include <weft/graph/spec/spec_mistake.hpp>

#include <vector>

namespace weft_cli {

namespace {

std::vector<std::string_view> names_in(const boost::json::object& shape, std::string_view list)
{
    std::vector<std::string_view> names;
    const boost::json::value* const all = shape.if_contains(list);
    if (!all || !all->is_array()) return names;
    for (const boost::json::value& one : all->get_array())
        if (const boost::json::object* const part = one.if_object())
            if (const boost::json::value* const name = part->if_contains("name"); name && name->is_string())
                names.emplace_back(name->get_string());
    return names;
}

bool has_name(const std::vector<std::string_view>& names, std::string_view name)
{
    for (const std::string_view each : names)
        if (each == name) return true;
    return false;
}

/** One of the two lists of a file, with the names that both graphs have. */
struct renaming {
    std::string place;   ///< Of the file, and what is renamed: "m.json: nodes".
    std::vector<std::string_view> before;
    std::vector<std::string_view> now;

    void check(std::string_view from, const boost::json::value& to) const
    {
        if (!has_name(before, from))
            throw usage_error{place + ": the older graph has no '" + std::string{from} + "'" +
                              weft::known_names(from, before)};
        if (to.is_null()) return;
        if (!to.is_string()) throw usage_error{place + "." + std::string{from} + ": write the new name as a text"};
        const std::string_view name = to.get_string();
        if (!has_name(now, name))
            throw usage_error{place + ": the newer graph has no '" + std::string{name} + "'" +
                              weft::known_names(name, now)};
    }
};

boost::json::object read_object(const std::string& file)
{
    const file_text read = read_file(file);
    if (!read.text) throw usage_error{"--migration " + file + ": " + read.trouble};
    boost::json::value json;
    try {
        json = weft::parse_json(*read.text);
    } catch (const weft::error& e) {
        throw usage_error{"--migration " + file + ": " + e.what()};
    }
    if (!json.is_object())
        throw usage_error{"--migration " + file + ": expected an object, e.g. {\"nodes\": {\"old\": \"new\"}}"};
    for (const boost::json::key_value_pair& member : json.get_object()) {
        static constexpr std::string_view known[] = {"nodes", "keys"};
        if (member.key() != "nodes" && member.key() != "keys")
            throw usage_error{"--migration " + file + ": there is no member '" + std::string{member.key()} + "'" +
                              weft::known_names(member.key(), known)};
        if (!member.value().is_object())
            throw usage_error{"--migration " + file + ": " + std::string{member.key()} +
                              ": expected an object of new names by old name"};
    }
    return std::move(json.get_object());
}

}  // namespace

weft::graph_migration read_migration(const std::string& file, const boost::json::object& shape, const weft::graph& to)
{
    const boost::json::object read = read_object(file);
    const boost::json::object now = weft::graph_shape(to);
    weft::graph_migration by{weft::fingerprint_of_shape(shape), weft::graph_fingerprint(to)};
    if (const boost::json::value* const nodes = read.if_contains("nodes")) {
        const renaming rules{"--migration " + file + ": nodes", names_in(shape, "nodes"), names_in(now, "nodes")};
        for (const boost::json::key_value_pair& node : nodes->get_object()) {
            rules.check(node.key(), node.value());
            if (node.value().is_null())
                throw usage_error{rules.place + "." + std::string{node.key()} + ": a node cannot be forgotten, since "
                                  "runs may stand there; name the node that takes its place"};
            by.rename_node(std::string{node.key()}, std::string{node.value().get_string()});
        }
    }
    if (const boost::json::value* const keys = read.if_contains("keys")) {
        const renaming rules{"--migration " + file + ": keys", names_in(shape, "keys"), names_in(now, "keys")};
        for (const boost::json::key_value_pair& key : keys->get_object()) {
            rules.check(key.key(), key.value());
            if (key.value().is_null()) by.drop_key(std::string{key.key()});
            else by.rename_key(std::string{key.key()}, std::string{key.value().get_string()});
        }
    }
    return by;
}

}  // namespace weft_cli
