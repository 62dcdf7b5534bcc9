#include <weft/agent/memory_tools.hpp>

#include <weft/agent/memory/memory_search.hpp>

#include "agent/text/key_text.hpp"
#include "memory_of.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/engine/trace/run_event_json.hpp>

#include <boost/describe/class.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

using options_pointer = std::shared_ptr<const memory_tools_options>;

struct remember_arguments {
    std::string text;
    std::optional<std::string> name = {};
};
BOOST_DESCRIBE_STRUCT(remember_arguments, (), (text, name))

struct recall_arguments {
    std::optional<std::string> query = {};
    std::optional<std::string> prefix = {};
    std::optional<std::uint32_t> at_most = {};
};
BOOST_DESCRIBE_STRUCT(recall_arguments, (), (query, prefix, at_most))

struct forget_arguments {
    std::string name;
};
BOOST_DESCRIBE_STRUCT(forget_arguments, (), (name))

std::shared_ptr<const item_space> space_for(const memory_tools_options& options, const tool_context& call)
{
    if (options.space) return options.space;
    if (!call.node)
        throw error{errc::invalid_configuration, "tool '" + call.tool + "'",
                    "it was called outside of a graph: give the tools of memory a `space`"};
    return agent_detail::memory_of(*call.node);
}

task<tool_result> remember(options_pointer options, std::shared_ptr<const item_space> space, remember_arguments asked)
{
    if (asked.text.empty()) co_return tool_result::error("the text is empty: say what to remember");
    std::string name = asked.name.value_or("");
    if (name.empty()) name = memory_name_of(asked.text);
    task<void> putting = space->put(name, boost::json::string{asked.text}, options->keep_for);
    co_await std::move(putting);
    co_return tool_result::text("remembered as '" + name + "'");
}

/** As many items as have room, for a model to read. */
std::string listing_of(const item_space& space, const std::vector<stored_item>& items, std::size_t bytes_max)
{
    boost::json::array shown;
    std::size_t bytes = 0;
    for (const stored_item& item : items) {
        boost::json::object one;
        one["name"] = name_in(space, item.key);
        one["value"] = item.value;
        one["changed"] = to_utc_text(item.changed);
        bytes += to_json_text(one).size();
        if (bytes > bytes_max) break;
        shown.push_back(std::move(one));
    }
    std::string text = to_json_text(shown);
    if (const std::size_t left = items.size() - shown.size(); left > 0)
        text += "\n" + std::to_string(left) + " more, which are too long to be shown: ask for fewer, or by a prefix";
    return text;
}

task<tool_result> recall(options_pointer options, std::shared_ptr<const item_space> space, recall_arguments asked)
{
    memory_query query;
    query.words = asked.query.value_or("");
    query.prefix = asked.prefix.value_or("");
    query.items_max = std::min<std::size_t>(asked.at_most.value_or(options->recalled_max), options->recalled_max);
    query.scanned_max = options->scanned_max;
    const std::vector<stored_item> found = co_await search_memory(*space, std::move(query));
    if (found.empty()) co_return tool_result::text("nothing is remembered that fits");
    co_return tool_result::text(listing_of(*space, found, options->recalled_bytes_max));
}

task<tool_result> forget(std::shared_ptr<const item_space> space, forget_arguments asked)
{
    const bool was_there = co_await space->erase(asked.name);
    if (was_there) co_return tool_result::text("forgotten");
    co_return tool_result::error("nothing is remembered as '" + asked.name + "': recall gives the names");
}

}  // namespace

void add_memory_tools(tool_set& tools, memory_tools_options options)
{
    const auto shared = std::make_shared<const memory_tools_options>(std::move(options));
    tools.add("recall",
              "Looks up what was remembered in earlier conversations. Gives names and values, the best match first.",
              [shared](recall_arguments asked, tool_context& call) {
                  return recall(shared, space_for(*shared, call), std::move(asked));
              })
        .describe("query", "words to look for; left out: the newest")
        .describe("prefix", "only items whose names begin so")
        .describe("at_most", "how many")
        .read_only();
    if (!shared->may_write) return;
    tools.add("remember",
              "Keeps a fact for later conversations, such as what the user prefers. Not for secrets.",
              [shared](remember_arguments asked, tool_context& call) {
                  return remember(shared, space_for(*shared, call), std::move(asked));
              })
        .describe("text", "what to remember, in a sentence that is clear by itself")
        .describe("name", "to find and replace it by, such as favourite_city; left out: one is made")
        .idempotent();
    tools.add("forget", "Removes what was remembered under a name.",
              [shared](forget_arguments asked, tool_context& call) {
                  return forget(space_for(*shared, call), std::move(asked));
              })
        .describe("name", "as recall gives it")
        .destructive();
}

}  // namespace weft
