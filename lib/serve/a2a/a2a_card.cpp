#include "a2a_card.hpp"

#include "serve/state/state_wire.hpp"

#include <boost/json/array.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;

array input_modes(bool takes_images)
{
    array modes{"text/plain", "application/json"};
    if (takes_images)
        for (const char* const type : {"image/png", "image/jpeg", "image/webp", "image/gif"}) modes.emplace_back(type);
    return modes;
}

std::string words_about(const weft::graph& graph)
{
    if (!graph.description().empty()) return std::string{graph.description()};
    return "The graph " + std::string{graph.name()};
}

object skill_of(const weft::graph& graph)
{
    return {{"id", graph.name()},
            {"name", graph.name()},
            {"description", words_about(graph)},
            {"tags", array{"graph"}},
            {"inputModes", input_modes(has_conversation(graph))},
            {"outputModes", array{"text/plain", "application/json"}}};
}

/** @par Source   A2A 1.0, `AgentCard`; 0.3, `AgentCard`, for the members behind `skills`. */
object card_at(std::string url, const a2a_place& at, bool has_http)
{
    array interfaces;
    interfaces.push_back(object{{"url", url}, {"protocolBinding", "JSONRPC"}, {"protocolVersion", "1.0"}});
    if (has_http)
        interfaces.push_back(object{{"url", url}, {"protocolBinding", "HTTP+JSON"}, {"protocolVersion", "1.0"}});
    interfaces.push_back(object{{"url", url}, {"protocolBinding", "JSONRPC"}, {"protocolVersion", "0.3"}});
    object card{{"supportedInterfaces", std::move(interfaces)}};
    card["capabilities"] = object{{"streaming", true}, {"pushNotifications", true}, {"extendedAgentCard", false}};
    card["defaultOutputModes"] = array{"text/plain", "application/json"};
    card["url"] = std::move(url);
    card["preferredTransport"] = "JSONRPC";
    card["protocolVersion"] = "0.3.0";
    if (!at.asks_for_key) return card;
    card["securitySchemes"] =
        object{{"bearer", object{{"httpAuthSecurityScheme", object{{"scheme", "bearer"}}}}},
               {"apiKey", object{{"apiKeySecurityScheme", object{{"location", "header"}, {"name", "x-api-key"}}}}}};
    const object no_scopes{{"list", array{}}};
    card["securityRequirements"] = array{object{{"schemes", object{{"bearer", no_scopes}}}},
                                         object{{"schemes", object{{"apiKey", no_scopes}}}}};
    return card;
}

}  // namespace

object a2a_card_of(const assistant& shown, const weft::graph& graph, const a2a_place& at)
{
    // The name of a graph is easier to read than the id of its assistant, and leads to the same.
    const bool is_own = shown.name == graph.name();
    object card = card_at(at.url + "/a2a/" + (is_own ? std::string{graph.name()} : shown.id), at, true);
    card["name"] = shown.name;
    card["description"] = shown.description.empty() ? words_about(graph) : shown.description;
    card["version"] = std::to_string(shown.version);
    card["defaultInputModes"] = input_modes(has_conversation(graph));
    card["skills"] = array{skill_of(graph)};
    return card;
}

object a2a_card_of(const served_set& all, const a2a_place& at)
{
    object card = card_at(at.url + "/a2a", at, false);
    array skills;
    bool takes_images = false;
    for (const hosted_graph& each : all.graphs) {
        skills.push_back(skill_of(each.graph));
        takes_images = takes_images || has_conversation(each.graph);
    }
    card["name"] = "weft";
    card["description"] = "Several agents: a message names the one that it is for in metadata.skill; each has a card "
                          "of its own at /a2a/{name}/.well-known/agent-card.json: " + all.names();
    card["version"] = "1";
    card["defaultInputModes"] = input_modes(takes_images);
    card["skills"] = std::move(skills);
    return card;
}

}  // namespace weft::serve_detail
