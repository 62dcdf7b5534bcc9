#include <weft/graph/node/graph_memory.hpp>

#include <weft/base/error.hpp>
#include <weft/base/text/joined_text.hpp>
#include <weft/graph/node_context.hpp>

#include <string_view>

namespace weft {

namespace {

/** The key that stands between braces; empty for a plain name. */
std::string_view key_in(std::string_view name) noexcept
{
    const bool is_place = name.size() > 2 && name.front() == '{' && name.back() == '}';
    return is_place ? name.substr(1, name.size() - 2) : std::string_view{};
}

std::string known_keys(const state_layout& keys)
{
    std::string text = joined_text(keys.names());
    return text.empty() ? "none" : text;
}

/** The value of a key as a name. The state before the node counts: what a node writes does not lead it elsewhere. */
std::string name_from(const node_context& node, std::string_view key)
{
    const std::string where = "node '" + std::string{node.node()} + "', memory, key '" + std::string{key} + "'";
    const std::uint32_t slot = node.layout().find(key);
    const value_ptr value = slot == state_layout::none ? value_ptr{} : node.branch().read(slot);
    if (!value)
        throw error{errc::missing_state_value, where,
                    "it names whose memory this is: give it with the run's input, or write it in an earlier node"};
    const boost::json::value json = value->type().to_json(*value);
    if (json.is_int64()) return std::to_string(json.get_int64());
    if (json.is_uint64()) return std::to_string(json.get_uint64());
    if (json.is_string() && !json.get_string().empty()) return std::string{std::string_view{json.get_string()}};
    throw error{errc::state_conversion, where,
                "it names whose memory this is, and must be a text that is not empty, or an integer"};
}

}  // namespace

std::vector<graph_memory_mistake> mistakes_of(const graph_memory& what, const state_layout& keys)
{
    std::vector<graph_memory_mistake> found;
    for (std::size_t i = 0; i < what.scope.size(); ++i) {
        const std::string& name = what.scope[i];
        if (name.empty()) found.push_back({i, "is empty: leave it out, or name it"});
        if (name.find_first_of("{}") == name.npos) continue;
        const std::string_view key = key_in(name);
        if (key.empty() || key.find_first_of("{}") != key.npos) {
            found.push_back({i, "'" + name + "' has braces within: write a name, or {key} alone"});
            continue;
        }
        if (key == graph_memory::thread_name) continue;
        const std::uint32_t slot = keys.find(key);
        if (slot == state_layout::none)
            found.push_back({i, "there is no key '" + std::string{key} + "'; known: " + known_keys(keys)});
        else if (!keys[slot].type->value->to_json)
            found.push_back({i, "the key '" + std::string{key} + "' has values that are never JSON"});
    }
    return found;
}

std::vector<std::string> scope_of(const graph_memory& what, const node_context& node)
{
    std::vector<std::string> names;
    for (const std::string& name : what.scope) {
        const std::string_view key = key_in(name);
        if (key.empty()) {
            names.push_back(name);
        } else if (key != graph_memory::thread_name) {
            names.push_back(name_from(node, key));
        } else if (node.thread().empty()) {
            throw error{errc::invalid_configuration, "node '" + std::string{node.node()} + "', memory",
                        "the run has no thread, which names whose memory this is: give run_request a thread"};
        } else {
            names.emplace_back(node.thread());
        }
    }
    return names;
}

}  // namespace weft
