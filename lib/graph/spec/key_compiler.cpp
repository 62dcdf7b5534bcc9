#include "key_compiler.hpp"

#include <weft/graph/graph_spec_writer.hpp>

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

namespace weft::spec_detail {

namespace {

std::string_view name_of(spec_reducer reducer)
{
    constexpr std::array<std::string_view, 6> names{"replace", "append", "add", "merge", "min", "max"};
    return names[static_cast<std::size_t>(reducer)];
}

std::string reducers_of(const spec_key_types& types)
{
    std::string text;
    for (std::size_t i = 0; i < types.size(); ++i)
        if (types[i]) text.append(text.empty() ? "" : ", ").append(name_of(static_cast<spec_reducer>(i)));
    return text;
}

void set_initial(compilation& in, const key_spec& key, const any_state_key& declared, const json_path& at)
{
    try {
        in.builder.initial(declared, declared.type->value->from_json(*key.initial));
    } catch (const error& e) {
        in.mistake(json_path{at, "initial"}, "is no value of the type '" + key.type + "': " + e.detail());
    }
}

void add_key(compilation& in, const key_spec& key, const json_path& at)
{
    if (key.name.empty() && in.has_all_names) in.mistake(at, "the key has no name: give it one");
    if (key.name.empty()) return;
    const spec_key_types* const types = in.around.registry.type(key.type);
    if (key.type == unnamed_type)
        return in.mistake(json_path{at, "type"}, "is a type of a C++ program that has no name: register it by "
                                                 "one (`add_type` of the registry of nodes) and write that");
    if (!types)
        return in.mistake(json_path{at, "type"}, "there is no type '" + key.type + "'" +
                                                     known_names(in.around.mistakes, key.type,
                                                                 in.around.registry.type_names()));
    const key_type* const type = (*types)[static_cast<std::size_t>(key.reducer)];
    if (!type)
        return in.mistake(json_path{at, "reducer"}, "'" + std::string{name_of(key.reducer)} +
                                                        "' has no meaning for the type '" + key.type +
                                                        "'; possible: " + reducers_of(*types));
    const any_state_key declared{key.name, hash_of_name(key.name), type};
    in.layout.add(declared);
    in.builder.state(declared);
    if (key.conflict) in.builder.conflict(declared, *key.conflict);
    if (key.initial) set_initial(in, key, declared, at);
}

/** The key of the conversation of all nodes, where the file or its defaults have one. */
void add_conversation(compilation& in)
{
    const json_path at{in.at, "conversation"};
    const std::optional<graph_conversation>& offered = in.around.registry.conversation();
    const bool is_asked_for = in.spec.conversation == spec_conversation::continuous;
    if (!is_asked_for) {
        const auto talks = [&](const node_spec& node) {
            const node_kind* const kind = in.around.registry.kind(node.kind);
            return kind && kind->converses;
        };
        // A graph where no node talks gets no key: checkpoints would carry an empty conversation.
        const bool is_default = !in.spec.conversation && in.spec.defaults == spec_defaults::hive && offered &&
                                std::any_of(in.spec.nodes.begin(), in.spec.nodes.end(), talks);
        if (!is_default) return;
    } else if (!offered) {
        return in.mistake(at, "needs the kinds of agents, which this program has not registered");
    }
    const std::string name{offered->key.name};
    if (in.layout.find(name) != state_layout::none) {
        const std::string text = "the key '" + name + "' of the state is the place of the conversation of all nodes: "
                                                      "give the key another name";
        if (is_asked_for) return in.mistake(at, text);
        return in.around.warnings.push_back(text + ", or write \"conversation\": \"isolated\"; until then each node "
                                                    "talks for itself");
    }
    in.layout.add(offered->key);
    in.builder.conversation(*offered);
    in.key_names.emplace_back(offered->key.name);
    in.has_conversation = true;
}

}  // namespace

void add_keys(compilation& in)
{
    const json_path state{in.at, "state"};
    for (const key_spec& key : in.spec.state) in.key_names.emplace_back(key.name);
    in.declared_keys.insert(in.key_names.begin(), in.key_names.end());
    // By name, not by what became a key: the second of two is a mistake even if the first has one.
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < in.spec.state.size(); ++i) {
        const key_spec& key = in.spec.state[i];
        const json_path at{state, i};
        if (key.name.empty() || seen.insert(key.name).second) add_key(in, key, at);
        else in.mistake(json_path{at, "name"}, "there is a key '" + key.name + "' already: names are unique");
    }
    add_conversation(in);
}

void add_memory(compilation& in)
{
    if (!in.spec.memory) return;
    const memory_spec& from = *in.spec.memory;
    graph_memory memory{from.scope, from.items_max, from.value_bytes_max, {}};
    if (from.keep_for)
        memory.keep_for = std::chrono::duration_cast<std::chrono::milliseconds>(from.keep_for->span());
    const json_path at{in.at, "memory"};
    const json_path scope{at, "scope"};
    if (in.has_all_names)
        for (const graph_memory_mistake& wrong : mistakes_of(memory, in.layout))
            in.mistake(json_path{scope, wrong.name}, wrong.text);
    in.builder.memory(std::move(memory));
}

}  // namespace weft::spec_detail
