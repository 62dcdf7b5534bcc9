#include "retrieve_kind.hpp"

#include "agent/memory/passage_text.hpp"
#include "agent/node/kind_checks.hpp"
#include "agent/text/key_text.hpp"
#include "recalled_key.hpp"

#include <weft/agent/prompt/prompt_template.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/graph/node_context.hpp>

#include <utility>

namespace weft {

namespace {

struct retrieve_plan {
    retrieve_settings settings;
    prompt_template query;
    std::vector<prompt_template> space;
    std::string key;
    std::shared_ptr<const semantic_items> documents;
};

using plan_pointer = std::shared_ptr<const retrieve_plan>;

void write_matches(const retrieve_plan& self, const item_space& where, const std::vector<item_match>& found,
                   node_context& node)
{
    const std::uint32_t slot = node.layout().find(self.key);
    if (node.layout()[slot].type->update == &value_type_of<std::string>) {
        boost::json::string text;
        for (const item_match& match : found) {
            if (!text.empty()) text += "\n";
            text += agent_detail::text_of_match(where, match);
        }
        return agent_detail::write_json(node, self.key, text);
    }
    boost::json::array items;
    for (const item_match& match : found) items.push_back(agent_detail::object_of_match(where, match));
    agent_detail::write_json(node, self.key, items);
}

task<void> retrieve(plan_pointer self, semantic_items where, semantic_query query, node_context& node)
{
    std::vector<item_match> found;
    if (!query.text.empty()) found = co_await where.search(std::move(query));
    write_matches(*self, where.space(), found, node);
}

class retrieve_node {
public:
    explicit retrieve_node(retrieve_plan plan) : plan_{std::make_shared<const retrieve_plan>(std::move(plan))} {}

    task<void> operator()(node_context& node) const
    {
        const retrieve_settings& settings = plan_->settings;
        if (!plan_->documents)
            throw error{errc::invalid_configuration, "node '" + std::string{node.node()} + "'",
                        "there is no model of embeddings to search with: set WEFT_EMBEDDING_MODEL and "
                        "WEFT_EMBEDDING_URL, or OPENAI_API_KEY; or give the program `documents`"};
        semantic_query query{agent_detail::filled(plan_->query, node, "query")};
        query.contains = to_json_text(settings.contains);
        query.score_min = static_cast<float>(settings.score_min);
        query.count_max = settings.items_max;
        std::vector<std::string> names;
        for (const prompt_template& name : plan_->space) names.push_back(agent_detail::filled(name, node, "space"));
        return retrieve(plan_, plan_->documents->below(std::move(names)), std::move(query), node);
    }
    bool describe(node_spec& into, const state_layout&) const
    {
        into.kind = "retrieve";
        into.settings = spec_detail::write_structure(plan_->settings);
        into.writes = {plan_->key};
        return true;
    }
    [[nodiscard]] std::vector<std::string> written_keys(const state_layout&) const { return {plan_->key}; }

private:
    plan_pointer plan_;
};

void check_bounds(node_request& request, const retrieve_settings& settings)
{
    if (settings.query.empty()) request.mistake("query", "is empty: say what is looked for, such as \"{question}\"");
    if (settings.items_max == 0 || settings.items_max > vector_query::found_max)
        request.mistake("items_max", "is from 1 to " + std::to_string(vector_query::found_max));
    if (!(settings.score_min >= -1 && settings.score_min <= 1))
        request.mistake("score_min", "is a cosine: from -1, which leaves nothing out, to 1");
}

std::shared_ptr<const node_body> make_retrieve(node_request& request,
                                               const std::shared_ptr<const semantic_items>& documents)
{
    std::optional<retrieve_settings> settings = request.settings<retrieve_settings>();
    if (!settings) return nullptr;
    check_bounds(request, *settings);
    bool are_templates = agent_detail::check_template(request, "query", settings->query).has_value();
    for (std::size_t i = 0; i != settings->space.size(); ++i) {
        const json_path list{request.settings_at(), "space"};
        const json_path at{list, i};
        if (settings->space[i].empty()) request.mistake("space", "a name is empty: leave it out");
        are_templates &= agent_detail::check_template(request, at, settings->space[i]).has_value();
    }
    std::string key = agent_detail::key_for_items(request, "retrieved");
    if (!are_templates || key.empty()) return nullptr;
    std::vector<prompt_template> space;
    for (const std::string& name : settings->space) space.emplace_back(name);
    prompt_template query{settings->query};
    return make_node_body(
        retrieve_node{{std::move(*settings), std::move(query), std::move(space), std::move(key), documents}});
}

}  // namespace

node_kind retrieve_kind(std::shared_ptr<const semantic_items> documents)
{
    return {[documents = std::move(documents)](node_request& request) { return make_retrieve(request, documents); }};
}

}  // namespace weft
