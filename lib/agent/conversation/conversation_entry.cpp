#include <weft/agent/conversation/conversation_entry.hpp>

#include <array>
#include <utility>

namespace weft {

namespace json = boost::json;

namespace {

/** An entry as it is written: members that say nothing are left out. */
struct written_entry {
    std::optional<entry_kind> kind{};
    weft::message message{};
    std::optional<std::string> lane{};
    std::optional<std::string> phase{};
    std::optional<std::string> node{};
    std::optional<std::uint32_t> visit{};
    std::optional<std::string> run{};
    std::optional<std::int64_t> at{};
    std::optional<message_author> author{};
    std::optional<bool> pinned{};
    std::optional<std::string> label{};
    std::optional<std::int64_t> id{};
    std::optional<std::vector<std::array<std::uint32_t, 2>>> covers{};
};
BOOST_DESCRIBE_STRUCT(written_entry, (),
                      (kind, message, lane, phase, node, visit, run, at, author, pinned, label, id, covers))

template <class T>
std::optional<T> unless_default(const T& value)
{
    return value == T{} ? std::nullopt : std::optional<T>{value};
}

}  // namespace

void tag_invoke(json::value_from_tag, json::value& out, const conversation_entry& in)
{
    written_entry to;
    to.kind = unless_default(in.kind);
    to.message = in.message;
    to.lane = unless_default(in.from.lane);
    to.phase = unless_default(in.from.phase);
    to.node = unless_default(in.from.node);
    to.visit = unless_default(in.from.visit);
    to.run = unless_default(in.from.run);
    if (in.from.at) to.at = in.from.at->time_since_epoch().count();
    to.author = unless_default(in.from.author);
    to.pinned = unless_default(in.is_pinned);
    to.label = unless_default(in.label);
    to.id = unless_default(in.id);
    if (!in.covers.empty()) {
        to.covers.emplace();
        for (const entry_range& range : in.covers) to.covers->push_back({range.first, range.last});
    }
    out = to_json(to);
}

conversation_entry tag_invoke(json::value_to_tag<conversation_entry>, const json::value& in)
{
    written_entry from = from_json<written_entry>(in);
    conversation_entry result;
    result.kind = from.kind.value_or(entry_kind::said);
    result.message = std::move(from.message);
    result.from.lane = std::move(from.lane).value_or("");
    result.from.phase = std::move(from.phase).value_or("");
    result.from.node = std::move(from.node).value_or("");
    result.from.visit = from.visit.value_or(0);
    result.from.run = std::move(from.run).value_or("");
    if (from.at) result.from.at.emplace(std::chrono::milliseconds{*from.at});
    result.from.author = from.author.value_or(message_author::unknown);
    result.is_pinned = from.pinned.value_or(false);
    result.label = std::move(from.label).value_or("");
    result.id = from.id.value_or(0);
    if (from.covers)
        for (const auto& [first, last] : *from.covers) result.covers.push_back({first, last});
    return result;
}

}  // namespace weft
