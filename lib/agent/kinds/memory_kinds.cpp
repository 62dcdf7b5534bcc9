#include "memory_kinds.hpp"

#include <weft/agent/memory/memory_search.hpp>

#include "agent/memory/memory_of.hpp"
#include "agent/node/kind_checks.hpp"
#include "agent/text/key_text.hpp"

#include <weft/agent/prompt/prompt_template.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace weft {

namespace {

using space_pointer = std::shared_ptr<const item_space>;

/** What a template says, of which every key must have a value: half a name would be that of something else. */
std::string filled(const prompt_template& text, const node_context& node, std::string_view what)
{
    prompt_template::filled said = text.fill(node);
    if (said.missing.empty()) return std::move(said.text);
    throw error{errc::missing_state_value, agent_detail::place_of(node, said.missing.front()),
                "the " + std::string{what} + " of the memory names it: write it in an earlier node"};
}

// The kind remember.

struct remember_plan {
    remember_settings settings;
    prompt_template name;
    prompt_template text;
};

/** What is kept; nothing if its key has no value. */
std::optional<boost::json::value> value_of(const remember_plan& self, const node_context& node)
{
    const std::string& key = self.settings.key;
    if (key.empty()) return boost::json::value(boost::json::string{filled(self.text, node, "text")});
    const value_ptr& value = node.value_at(node.layout().find(key));
    if (!value) return std::nullopt;
    return value->type().to_json(*value);
}

task<void> put_value(space_pointer space, std::string name, boost::json::value value,
                     std::optional<std::chrono::milliseconds> keep_for)
{
    co_await space->put(std::move(name), std::move(value), keep_for);
}

task<void> nothing_to_do() { co_return; }

class remember_node {
public:
    explicit remember_node(remember_settings settings)
        : plan_{std::make_shared<const remember_plan>(
              remember_plan{settings, prompt_template{settings.name}, prompt_template{settings.text}})}
    {
    }

    task<void> operator()(node_context& node) const
    {
        std::optional<boost::json::value> value = value_of(*plan_, node);
        if (!value) return nothing_to_do();
        std::string name = filled(plan_->name, node, "name");
        if (name.empty()) name = memory_name_of(agent_detail::readable_text(*value));
        std::optional<std::chrono::milliseconds> keep_for;
        if (plan_->settings.keep_for)
            keep_for = std::chrono::duration_cast<std::chrono::milliseconds>(plan_->settings.keep_for->span());
        return put_value(agent_detail::memory_of(node), std::move(name), std::move(*value), keep_for);
    }
    bool describe(node_spec& into, const state_layout&) const
    {
        into.kind = "remember";
        into.settings = spec_detail::write_structure(plan_->settings);
        return true;
    }
    [[nodiscard]] std::vector<std::string> written_keys(const state_layout&) const { return {}; }

private:
    std::shared_ptr<const remember_plan> plan_;
};

std::shared_ptr<const node_body> make_remember(node_request& request)
{
    std::optional<remember_settings> settings = request.settings<remember_settings>();
    if (!settings) return nullptr;
    if (settings->text.empty() == settings->key.empty())
        request.mistake("",
                        "what is remembered is a text or the value of a key: give \"text\" or \"key\", and not both");
    const bool has_name = agent_detail::check_template(request, "name", settings->name).has_value();
    const bool has_text = agent_detail::check_template(request, "text", settings->text).has_value();
    if (!settings->key.empty()) {
        request.require_readable("key", settings->key);
        const std::uint32_t slot = request.layout().find(settings->key);
        if (slot != state_layout::none && !request.layout()[slot].type->value->to_json)
            request.mistake("key", "a transient key cannot be kept: name another one");
    }
    return has_name && has_text ? make_node_body(remember_node{std::move(*settings)}) : nullptr;
}

// The kind recall.

struct recall_plan {
    recall_settings settings;
    prompt_template name;
    prompt_template query;
    prompt_template prefix;
    std::string key;
};

void write_json(node_context& node, const std::string& key, const boost::json::value& value)
{
    const std::uint32_t slot = node.layout().find(key);
    try {
        node.write({slot, false, false, node.layout()[slot].type->update->from_json(value)});
    } catch (const error& e) {
        throw error{errc::state_conversion, agent_detail::place_of(node, key), "what was remembered: " + e.detail()};
    }
}

task<void> recall_one(std::shared_ptr<const recall_plan> self, space_pointer space, std::string name,
                      node_context& node)
{
    const std::optional<stored_item> found = co_await space->get(std::move(name));
    if (found) write_json(node, self->key, found->value);
}

task<void> recall_some(std::shared_ptr<const recall_plan> self, space_pointer space, memory_query query,
                       node_context& node)
{
    const std::vector<stored_item> found = co_await search_memory(*space, std::move(query));
    const value_type& type = *node.layout()[node.layout().find(self->key)].type->update;
    if (&type == &value_type_of<std::string>) {
        std::string lines;
        for (const stored_item& item : found)
            lines += name_in(*space, item.key) + ": " + agent_detail::readable_text(item.value) + "\n";
        write_json(node, self->key, boost::json::string{lines});
        co_return;
    }
    boost::json::array items;
    for (const stored_item& item : found) {
        boost::json::object one;
        one["name"] = name_in(*space, item.key);
        one["value"] = item.value;
        items.push_back(std::move(one));
    }
    write_json(node, self->key, items);
}

class recall_node {
public:
    recall_node(recall_settings settings, std::string key)
        : plan_{std::make_shared<const recall_plan>(
              recall_plan{settings, prompt_template{settings.name}, prompt_template{settings.query},
                           prompt_template{settings.prefix}, std::move(key)})}
    {
    }

    task<void> operator()(node_context& node) const
    {
        std::string name = filled(plan_->name, node, "name");
        memory_query query;
        query.words = filled(plan_->query, node, "query");
        query.prefix = filled(plan_->prefix, node, "prefix");
        query.items_max = plan_->settings.items_max;
        query.scanned_max = plan_->settings.scanned_max;
        space_pointer space = agent_detail::memory_of(node);
        if (!plan_->settings.name.empty()) return recall_one(plan_, std::move(space), std::move(name), node);
        return recall_some(plan_, std::move(space), std::move(query), node);
    }
    bool describe(node_spec& into, const state_layout&) const
    {
        into.kind = "recall";
        into.settings = spec_detail::write_structure(plan_->settings);
        into.writes = {plan_->key};
        return true;
    }
    [[nodiscard]] std::vector<std::string> written_keys(const state_layout&) const { return {plan_->key}; }

private:
    std::shared_ptr<const recall_plan> plan_;
};

/** The one key that gets what is recalled; empty after a mistake. */
std::string key_for_recalled(node_request& request, const recall_settings& settings)
{
    if (!request.spec().writes || request.spec().writes->size() != 1) {
        request.mistake("", "what is recalled goes to one key: name it, and no other, in \"writes\"");
        return {};
    }
    const std::vector<std::string> keys = agent_detail::written_keys(request);
    if (keys.empty()) return {};  // told where the key is named
    const value_type& type = agent_detail::update_type(request, keys.front());
    const bool takes_list = &type == &value_type_of<boost::json::array> || &type == &value_type_of<boost::json::value>;
    if (!type.from_json)
        request.mistake("", "a transient key takes nothing that was kept: name another one in \"writes\"");
    else if (settings.name.empty() && !takes_list && &type != &value_type_of<std::string>)
        request.mistake("", "several items go to a key of the type string, list or any, and '" + keys.front() +
                                "' is none: name another one in \"writes\", or one item with \"name\"");
    return keys.front();
}

std::shared_ptr<const node_body> make_recall(node_request& request)
{
    std::optional<recall_settings> settings = request.settings<recall_settings>();
    if (!settings) return nullptr;
    if (!settings->name.empty() && !(settings->query.empty() && settings->prefix.empty()))
        request.mistake("name", "names one item, and query and prefix search for several: keep one of them");
    if (settings->items_max == 0) request.mistake("items_max", "is 0: it is at least 1");
    bool are_templates = true;
    for (const auto& [member, text] : {std::pair{"name", &settings->name}, std::pair{"query", &settings->query},
                                       std::pair{"prefix", &settings->prefix}})
        are_templates &= agent_detail::check_template(request, member, *text).has_value();
    std::string key = key_for_recalled(request, *settings);
    if (!are_templates || key.empty()) return nullptr;
    return make_node_body(recall_node{std::move(*settings), std::move(key)});
}

// The kind forget.

task<void> erase_item(space_pointer space, std::string name)
{
    static_cast<void>(co_await space->erase(std::move(name)));
}

class forget_node {
public:
    explicit forget_node(forget_settings settings)
        : settings_{std::move(settings)}, name_{std::make_shared<const prompt_template>(settings_.name)}
    {
    }

    task<void> operator()(node_context& node) const
    {
        std::string name = filled(*name_, node, "name");
        return erase_item(agent_detail::memory_of(node), std::move(name));
    }
    bool describe(node_spec& into, const state_layout&) const
    {
        into.kind = "forget";
        into.settings = spec_detail::write_structure(settings_);
        return true;
    }
    [[nodiscard]] std::vector<std::string> written_keys(const state_layout&) const { return {}; }

private:
    forget_settings settings_;
    std::shared_ptr<const prompt_template> name_;
};

std::shared_ptr<const node_body> make_forget(node_request& request)
{
    std::optional<forget_settings> settings = request.settings<forget_settings>();
    if (!settings) return nullptr;
    if (settings->name.empty()) request.mistake("name", "is empty: say which item is forgotten");
    const bool is_template = agent_detail::check_template(request, "name", settings->name).has_value();
    return is_template ? make_node_body(forget_node{std::move(*settings)}) : nullptr;
}

}  // namespace

node_registry& add_memory_kinds(node_registry& registry)
{
    return registry.add_kind("remember", {&make_remember})
        .add_kind("recall", {&make_recall})
        .add_kind("forget", {&make_forget});
}

}  // namespace weft
