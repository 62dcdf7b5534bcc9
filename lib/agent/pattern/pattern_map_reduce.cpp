#include <weft/agent/pattern/pattern_map_reduce.hpp>

#include "agent/guard/guard_checks.hpp"
#include "pattern_nodes.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_reading.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/graph/graph_builder.hpp>


#include <algorithm>
#include <optional>
#include <utility>

namespace weft::patterns {

namespace {

/** The items that the task was divided into. */
constexpr state_key<std::vector<std::string>> items{"items"};
/** What a branch works at. */
constexpr state_key<std::string> item{"item"};
constexpr state_key<std::int64_t> item_place{"item_place"};

/** The items in what a participant says: a JSON array of texts, whatever stands around it, or lines. */
std::vector<std::string> items_in(std::string_view said)
{
    const std::size_t from = said.find('[');
    const std::size_t to = said.rfind(']');
    if (from == std::string_view::npos || to == std::string_view::npos || to < from) return lines_of(said);
    const std::optional<boost::json::value> read = try_parse_json(said.substr(from, to - from + 1));
    const boost::json::array* const all = read ? read->if_array() : nullptr;
    const auto is_text = [](const boost::json::value& one) { return one.is_string(); };
    if (!all || !std::all_of(all->begin(), all->end(), is_text)) return lines_of(said);
    std::vector<std::string> found;
    for (const boost::json::value& one : *all) found.emplace_back(one.as_string());
    return found;
}

void set_items(node_context& node, std::vector<std::string> found, std::size_t items_max)
{
    if (found.size() > items_max)
        throw error{errc::limit_reached, "node '" + std::string{node.node()} + "'",
                    "the task has " + std::to_string(found.size()) + " items, and " + std::to_string(items_max) +
                        " are allowed: raise items_max"};
    node.set(items, std::move(found));
}

void add_split(graph_builder& builder, const map_reduce_options& options)
{
    const std::size_t items_max = options.items_max;
    if (const participant* const who = std::get_if<participant>(&options.split)) {
        const auto brief = [](const node_context& outer) {
            return outer.get(given_task) +
                   "\n\nDivide this into items that can be worked at one by one. Answer with a JSON array of texts.";
        };
        const auto take = [items_max](const std::string& said, node_context& outer) {
            set_items(outer, items_in(said), items_max);
            return command::next();
        };
        builder.node("plan", agent_detail::work_of(*who, brief, take));
        return;
    }
    builder.node("plan", [split = std::get<splitter>(options.split), items_max](node_context& node) {
        set_items(node, split(node.get(given_task)), items_max);
    });
}

command spread(node_context& node)
{
    std::vector<send> branches;
    const std::vector<std::string>& all = node.get(items);
    for (std::size_t i = 0; i < all.size(); ++i)
        branches.emplace_back("step").input(item, all[i]).input(item_place, static_cast<std::int64_t>(i));
    return command::fan_out(std::move(branches));
}

subgraph mapping(const participant& mapper)
{
    const auto brief = [](const node_context& outer) { return outer.get(item); };
    const auto take = [name = mapper.name()](const std::string& said, node_context& outer) {
        contribution added{name, outer.get(item_place), 1, said};
        outer.set(contributions, std::move(added));
        return command::next();
    };
    return agent_detail::work_of(mapper, brief, take);
}

void add_reduce(graph_builder& builder, const map_reduce_options& options)
{
    const auto results = [](const node_context& node) {
        agent_detail::refuse_trip(node);
        return of_round(node.value_or(contributions, {}), 1);
    };
    if (const participant* const who = std::get_if<participant>(&options.reduce)) {
        const auto brief = [results](const node_context& outer) {
            return outer.get(given_task) + "\n\nIts parts are done. Make one answer of these:\n\n" +
                   one_after_the_other({}, results(outer));
        };
        const auto take = [](const std::string& said, node_context& outer) {
            outer.set(answer, said);
            return command::next();
        };
        builder.node("meet", agent_detail::work_of(*who, brief, take));
        return;
    }
    builder.node("meet", [reduce = std::get<joiner>(options.reduce), results](node_context& node) {
        node.set(answer, reduce(node.get(given_task), results(node)));
    });
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text)
{
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        if (!line.empty()) lines.emplace_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string one_after_the_other(std::string_view, const std::vector<contribution>& results)
{
    std::string text;
    for (const contribution& one : results) text.append(text.empty() ? "" : "\n\n").append(one.text);
    return text;
}

graph map_reduce(std::string name, participant mapper, map_reduce_options options)
{
    graph_builder builder{std::move(name)};
    builder.state(given_task, answer, contributions, items, item, item_place);
    add_split(builder, options);
    builder.node("spread", &spread, {.goes_to = {"step"}}).node("step", mapping(mapper));
    add_reduce(builder, options);
    builder.edge(start, "plan").edge("plan", "spread").edge("step", "meet");
    fan_out_options how;
    how.on_failure = options.needs_all ? branch_policy::fail_all : branch_policy::continue_others;
    how.concurrency_max = options.concurrency_max;
    how.branch_timeout = options.timeout;
    return builder.fan_out("spread", how).fan_in("spread", "meet").build();
}

}  // namespace weft::patterns
