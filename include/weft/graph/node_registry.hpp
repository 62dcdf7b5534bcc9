#pragma once

#include <weft/graph/node/graph_conversation.hpp>
#include <weft/graph/node/node.hpp>
#include <weft/graph/node/node_cache.hpp>
#include <weft/graph/spec/spec_key_types.hpp>
#include <weft/graph/spec/spec_reading.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace weft {

class node_registry;
class state_layout;

/** A node of a file that is about to become a node of a graph: what its kind sees, and how it says no.
 *
 *  @par Lifetimes   Valid during the call of `node_kind::make`.
 */
class node_request {
public:
    struct surroundings {
        const node_registry& registry;
        const state_layout& layout;
        spec_mistakes& mistakes;
        std::vector<std::string>& warnings;
        std::span<const key_spec> keys = {};  ///< As the file declares them, with or without mistakes.
        bool has_all_names = true;            ///< False if names of keys may be missing after mistakes.
        std::span<const node_spec> nodes = {};  ///< Of the graph, this one too.
        bool has_conversation = false;          ///< One that threads through all nodes.
    };
    /** @param at   The node in its file. */
    node_request(const node_spec& spec, const json_path& at, node_options& options, surroundings around) noexcept
        : spec_{spec}, at_{at}, settings_at_{at, "settings"}, options_{options}, around_{around}
    {
    }

    [[nodiscard]] const node_spec& spec() const noexcept { return spec_; }
    /** What the file says of the node beside its settings; a kind may add to it. */
    [[nodiscard]] node_options& options() noexcept { return options_; }
    /** The keys of the graph. */
    [[nodiscard]] const state_layout& layout() const noexcept { return around_.layout; }
    [[nodiscard]] const node_registry& registry() const noexcept { return around_.registry; }
    /** Whether one conversation threads through the nodes of the graph; those that are isolated have no part in it. */
    [[nodiscard]] bool has_conversation() const noexcept { return around_.has_conversation; }
    /** What the file says of a key, for people and models; empty if it says nothing. */
    [[nodiscard]] std::string_view description_of(std::string_view key) const noexcept;

    /** The settings as a described struct; members with defaults may be missing, those in
     *  `Settings::required_members` may not. Nothing, and mistakes, if they do not fit. */
    template <class Settings>
    [[nodiscard]] std::optional<Settings> settings()
    {
        const std::size_t before = around_.mistakes.count();
        Settings result{};
        spec_detail::read_structure(result, spec_.settings, settings_at_, around_.mistakes);
        if (around_.mistakes.count() != before) return std::nullopt;
        return result;
    }

    /** The nodes of the graph, this one too, as the file says them, with or without mistakes. */
    [[nodiscard]] std::span<const node_spec> nodes() const noexcept { return around_.nodes; }
    /** The settings of another node, nothing if they do not fit: which is said when its turn comes. */
    template <class Settings>
    [[nodiscard]] std::optional<Settings> settings_of(const node_spec& other) const
    {
        counted_mistakes unsaid;
        Settings result{};
        spec_detail::read_structure(result, other.settings, settings_at_, unsaid);
        if (unsaid.count() != 0) return std::nullopt;
        return result;
    }

    /** Says that the member of the settings, or with an empty name the node, is wrong. */
    void mistake(std::string_view member, std::string text);
    /** Says what may surprise; the graph is made nevertheless. */
    void warn(std::string text);

    /** Whether the node's `reads` and `writes` let it read a key. */
    [[nodiscard]] bool may_read(std::string_view key) const;
    /** Whether its `writes` let it write a key. */
    [[nodiscard]] bool may_write(std::string_view key) const;
    /** Says it if the graph has no such key or the node may not read it. A key that is declared with a mistake is not
     *  reported again.
     *  @param member   Of the settings.
     *  @param before   Begins the text: where in the member the key is named. */
    void require_readable(std::string_view member, std::string_view key, const std::string& before = {});
    /** The same for what stands deeper in the settings. */
    void require_readable(const json_path& at, std::string_view key, const std::string& before = {});

    // For the kinds that are always there.
    [[nodiscard]] const json_path& at() const noexcept { return at_; }
    [[nodiscard]] const json_path& settings_at() const noexcept { return settings_at_; }
    [[nodiscard]] spec_mistakes& mistakes() noexcept { return around_.mistakes; }

private:
    [[nodiscard]] bool is_declared(std::string_view key);

    using key_names = std::optional<std::unordered_set<std::string_view>>;

    const node_spec& spec_;
    const json_path& at_;
    json_path settings_at_;
    node_options& options_;
    surroundings around_;
    // Made when they are asked for.
    mutable key_names readable_;
    mutable key_names writable_;
    key_names declared_;
};

/** What makes nodes of one kind out of files. */
struct node_kind {
    /** Gives the node's work, or null after a mistake. Called once for each node, before any run. */
    std::function<std::shared_ptr<const node_body>(node_request&)> make;
    /** It tries again by itself, as nodes that talk with a model do: the graph runs it once for each visit. */
    bool retries_itself = false;
    /** It talks with a model, and so carries on the conversation of a graph that has one. */
    bool converses = false;
};

/** What files can name: functions, kinds of nodes, types of keys. Kinds of every registry are `function`, `set`,
 *  `router`, `send`, `subgraph` and `join`, types are string, integer, number, boolean, list, object and any.
 *
 *      weft::node_registry registry;
 *      registry.add_function("search", search).add_kind("llm", llm_kind(model)).add_type<address>("address");
 *
 *  @par Thread safety   As a value; what is const may be called from any OS thread.
 */
class node_registry {
public:
    node_registry();

    /** Adds or replaces a function. It serves all graphs that name it. */
    template <class Function>
        requires node_function<std::decay_t<Function>>
    node_registry& add_function(std::string name, Function&& work)
    {
        functions_.insert_or_assign(std::move(name), make_node_body(std::forward<Function>(work)));
        return *this;
    }
    /** The same for work that is made already, such as that of `streaming`. */
    node_registry& add_function(std::string name, std::shared_ptr<const node_body> work)
    {
        functions_.insert_or_assign(std::move(name), std::move(work));
        return *this;
    }
    /** Adds or replaces a kind. The kinds that are always there cannot be replaced. */
    node_registry& add_kind(std::string name, node_kind kind);
    /** Adds or replaces a type of keys. */
    template <class T>
        requires storable<T>
    node_registry& add_type(std::string name)
    {
        types_.insert_or_assign(std::move(name), key_types_of<T>());
        return *this;
    }

    /** How files get the conversation that threads through all nodes of a graph; without it none can have one. */
    node_registry& conversation(const graph_conversation& how);
    [[nodiscard]] const std::optional<graph_conversation>& conversation() const noexcept { return conversation_; }

    /** Where results of the nodes of files that have a `cache` are kept; nothing, as at first: each graph keeps its own
     *  in memory. */
    node_registry& node_cache(std::optional<weft::node_cache> where);
    [[nodiscard]] const std::optional<weft::node_cache>& node_cache() const noexcept { return node_cache_; }

    /** What to ask for functions that are not registered: for programs that look at files whose functions belong to
     *  another one. Files that a file names ask it too. For a name that it does not have either it answers with null,
     *  and the name is a mistake of the file. It must bear to be called from any OS thread. `name_of` does not know
     *  what it gives.
     *  @param source   Null: none, as at first. */
    node_registry& functions_otherwise(std::function<std::shared_ptr<const node_body>(std::string_view name)> source);

    /** Null if there is none of that name. What is registered is the same object each time, for `graph_builder::node`.
     */
    [[nodiscard]] std::shared_ptr<const node_body> function(std::string_view name) const;
    [[nodiscard]] const node_kind* kind(std::string_view name) const;
    [[nodiscard]] const spec_key_types* type(std::string_view name) const;
    /** The work of nodes of the kind `join`: nothing. */
    [[nodiscard]] const std::shared_ptr<const node_body>& nothing() const noexcept { return nothing_; }

    [[nodiscard]] std::vector<std::string_view> function_names() const;
    [[nodiscard]] std::vector<std::string_view> kind_names() const;
    [[nodiscard]] std::vector<std::string_view> type_names() const;

    /** The name of a function by its body; empty if it is none of these. */
    [[nodiscard]] std::string_view name_of(const node_body& body) const noexcept;
    /** The name of a type and the reducer of a key; nothing if it is none of these. */
    [[nodiscard]] std::optional<std::pair<std::string_view, spec_reducer>> name_of(const key_type& type) const noexcept;

private:
    template <class T>
    using by_name = std::map<std::string, T, std::less<>>;

    by_name<std::shared_ptr<const node_body>> functions_;
    std::function<std::shared_ptr<const node_body>(std::string_view name)> functions_otherwise_;
    by_name<node_kind> kinds_;
    by_name<spec_key_types> types_;
    std::optional<graph_conversation> conversation_;
    std::optional<weft::node_cache> node_cache_;
    std::shared_ptr<const node_body> nothing_;
};

}  // namespace weft
