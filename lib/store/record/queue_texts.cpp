#include "queue_texts.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>

#include <utility>

namespace weft::store_detail {

namespace {

/** Most rows have nothing there: the parser is spared. */
template <class T>
T queue_value_in(std::string_view text)
{
    if (text.size() <= 2) return {};
    try {
        return from_json<T>(parse_json(text));
    } catch (const error& e) {
        throw error{errc::store_corrupt, "a row of the queue", e.what()};
    }
}

}  // namespace

std::string text_of_keys(const std::map<std::string, std::string>& keys) { return to_json_text(to_json(keys)); }

std::map<std::string, std::string> keys_in(std::string_view text)
{
    return queue_value_in<std::map<std::string, std::string>>(text);
}

std::string text_of_abilities(const std::vector<graph_ability>& graphs)
{
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const graph_ability& each : graphs) pairs.emplace_back(each.graph, each.revision);
    return to_json_text(to_json(pairs));
}

std::vector<graph_ability> abilities_in(std::string_view text)
{
    std::vector<graph_ability> graphs;
    for (auto& [graph, revision] : queue_value_in<std::vector<std::pair<std::string, std::string>>>(text))
        graphs.push_back({std::move(graph), std::move(revision)});
    return graphs;
}

std::string text_of_buckets(const std::vector<std::string>& buckets) { return to_json_text(to_json(buckets)); }

std::vector<std::string> buckets_in(std::string_view text) { return queue_value_in<std::vector<std::string>>(text); }

}  // namespace weft::store_detail
