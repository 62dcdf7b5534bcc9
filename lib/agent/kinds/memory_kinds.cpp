#include "memory_kinds.hpp"

#include <weft/agent/memory/memory_search.hpp>

#include "agent/memory/memory_of.hpp"
#include "agent/node/kind_checks.hpp"
#include "agent/text/key_text.hpp"
#include "recalled_key.hpp"

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

using agent_detail::filled;
using agent_detail::write_json;

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
    std::string key = settings->name.empty() ? agent_detail::key_for_items(request, "recalled")
                                             : agent_detail::only_written_key(request, "recalled");
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
