#include "responses_output.hpp"

#include <weft/base/json/json_peek.hpp>
#include <weft/base/text/ascii_text.hpp>

#include "model/wire/finished_calls.hpp"
#include "model/wire/streamed_text.hpp"
#include "responses_items.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

constexpr std::size_t items_max = 1024;
constexpr std::string_view blank_line = "\n\n";

responses_item::kind kind_of_item(std::string_view type) noexcept
{
    using kind = responses_item::kind;
    if (type == "message") return kind::message;
    if (type == "reasoning") return kind::reasoning;
    return is_function_call(type) || is_custom_call(type) ? kind::call : kind::other;
}

/** The `output_index` of an event, unless it is out of all proportion. */
std::optional<std::int64_t> index_in(const json::object& event) noexcept
{
    constexpr std::int64_t index_max = 1'000'000;
    const std::optional<std::int64_t> index = peek_count(event, "output_index");
    return index && *index <= index_max ? index : std::nullopt;
}

/** Items repeat the text and the arguments, with escapes, and add what is encrypted. */
byte_budget raw_budget(const reply_limits& limits) noexcept
{
    return {2 * (limits.text_bytes_max + limits.argument_bytes_max), "the items of the reply are"};
}

bool is_executable(const responses_item& i, bool was_cut)
{
    if (i.status == "incomplete") return false;
    const bool is_text = i.call.input == tool_input::text;
    const bool is_said_to_be_whole = i.status == "completed" || (i.is_whole && i.status != "in_progress");
    if (is_said_to_be_whole && !was_cut) return true;
    if (is_text) return i.status == "completed";
    return is_whole_object(i.words.text) || (i.status == "completed" && is_blank(i.words.text));
}

}  // namespace

const responses_output::handler responses_output::handlers[] = {
    {"response.output_text.delta", &responses_output::add_text},
    {"response.output_item.added", &responses_output::add_item},
    {"response.output_item.done", &responses_output::end_item},
    {"response.refusal.delta", &responses_output::add_refusal},
    {"response.reasoning_summary_text.delta", &responses_output::add_summary},
    {"response.reasoning_text.delta", &responses_output::add_thought},
    {"response.function_call_arguments.delta", &responses_output::add_arguments},
    {"response.function_call_arguments.done", &responses_output::end_arguments},
    {"response.custom_tool_call_input.delta", &responses_output::add_arguments},
    {"response.custom_tool_call_input.done", &responses_output::end_arguments},
};

responses_output::responses_output(const reply_limits& limits) noexcept
    : limits_{limits}, text_{limits.text_bytes_max, "the reply is"},
      arguments_{limits.argument_bytes_max, "the arguments of the tool calls are"}, raw_{raw_budget(limits)}
{
}

bool responses_output::take(std::string_view type, const event& e, chat_sink& sink)
{
    for (const handler& h : handlers) {
        if (h.type != type) continue;
        (this->*h.take)(e, sink);
        return true;
    }
    return false;
}

void responses_output::add_item(const event& e, chat_sink& sink)
{
    const json::object* raw = peek_object(e, "item");
    if (!raw) return;
    item& i = item_of(e, *raw);
    take_names(i, *raw);
    if (i.what != kind::call) return;
    deliver_arguments(i, peek_text(*raw, i.call.input == tool_input::text ? "input" : "arguments"), sink);
    announce(i, sink);
}

void responses_output::end_item(const event& e, chat_sink& sink)
{
    if (const json::object* raw = peek_object(e, "item")) settle_item(item_of(e, *raw), *raw, sink);
}

void responses_output::add_text(const event& e, chat_sink& sink)
{
    if (item* i = item_for(e, kind::message)) deliver(i->words, peek_text(e, "delta"), sink, &chat_sink::on_text);
}

void responses_output::add_refusal(const event& e, chat_sink& sink)
{
    if (item* i = item_for(e, kind::message))
        deliver(i->refusal, peek_text(e, "delta"), sink, &chat_sink::on_refusal);
}

void responses_output::add_summary(const event& e, chat_sink& sink) { add_reasoning(e, true, sink); }
void responses_output::add_thought(const event& e, chat_sink& sink) { add_reasoning(e, false, sink); }

void responses_output::add_reasoning(const event& e, bool is_summary, chat_sink& sink)
{
    const std::string_view piece = peek_text(e, "delta");
    item* i = piece.empty() ? nullptr : item_for(e, kind::reasoning);
    if (!i) return;
    const std::pair part{is_summary, peek_count(e, is_summary ? "summary_index" : "content_index").value_or(0)};
    if (i->paragraph && *i->paragraph != part && !i->words.text.empty())
        deliver(i->words, blank_line, sink, &chat_sink::on_reasoning);
    i->paragraph = part;
    deliver(i->words, piece, sink, &chat_sink::on_reasoning);
}

void responses_output::add_arguments(const event& e, chat_sink& sink)
{
    if (item* i = item_for(e, kind::call)) deliver_arguments(*i, peek_text(e, "delta"), sink);
}

void responses_output::end_arguments(const event& e, chat_sink& sink)
{
    item* i = item_for(e, kind::call);
    if (!i) return;
    if (i->call.name.empty()) i->call.name = peek_text(e, "name");
    const std::string_view input = peek_text(e, "input");
    settle_arguments(*i, input.empty() ? peek_text(e, "arguments") : input, sink);
    i->is_whole = true;
    if (i->status == "in_progress") i->status.clear();
}

/** The item that an event adds to; null if it is of another kind. */
responses_item* responses_output::item_for(const event& e, kind what)
{
    item* found = find(e, peek_text(e, "item_id"));
    if (!found) found = &new_item(index_in(e), what);
    return found->what == what ? found : nullptr;
}

/** The item that an event is about as a whole. */
responses_item& responses_output::item_of(const event& e, const json::object& raw)
{
    const kind what = kind_of_item(peek_text(raw, "type"));
    item* found = find(e, peek_text(raw, "id"));
    return found && found->what == what ? *found : new_item(index_in(e), what);
}

/** By its index; where a server gives none, by its id, or else the last one. */
responses_item* responses_output::find(const event& e, std::string_view id) noexcept
{
    const std::optional<std::int64_t> index = index_in(e);
    const auto is_meant = [&](const item& i) { return index ? i.index == *index : !id.empty() && i.id == id; };
    const auto found = std::find_if(items_.rbegin(), items_.rend(), is_meant);
    if (found != items_.rend()) return &*found;
    return index || !id.empty() || items_.empty() ? nullptr : &items_.back();
}

responses_item& responses_output::new_item(std::optional<std::int64_t> index, kind what)
{
    const auto is_call = [](const item& i) { return i.what == kind::call; };
    const auto calls = static_cast<std::size_t>(std::count_if(items_.begin(), items_.end(), is_call));
    if (items_.size() >= items_max || (what == kind::call && calls >= limits_.tool_calls_max))
        throw reply_refused{errc::response_too_large,
                            "more than " + std::to_string(what == kind::call ? limits_.tool_calls_max : items_max) +
                                (what == kind::call ? " tool calls in one reply" : " items in one reply")};
    if (!index) index = items_.empty() ? 0 : items_.back().index + 1;
    const auto after = std::upper_bound(items_.begin(), items_.end(), *index,
                                        [](std::int64_t at, const item& i) { return at < i.index; });
    item& made = *items_.emplace(after);
    made.index = *index;
    made.what = what;
    return made;
}

void responses_output::take_names(item& i, const json::object& raw)
{
    if (const std::string_view id = peek_text(raw, "id"); !id.empty()) i.id = id;
    i.status = peek_text(raw, "status");
    if (i.what != kind::call) return;
    if (is_custom_call(peek_text(raw, "type"))) i.call.input = tool_input::text;
    if (const std::string_view id = peek_text(raw, "call_id"); !id.empty()) i.call.id = id;
    if (const std::string_view name = peek_text(raw, "name"); !name.empty()) i.call.name = name;
}

void responses_output::settle_item(item& i, const json::object& raw, chat_sink& sink)
{
    take_names(i, raw);
    if (i.what == kind::message) {
        settle_text(i.words, text_of_parts(raw, "output_text"), sink, &chat_sink::on_text);
        settle_text(i.refusal, text_of_parts(raw, "refusal"), sink, &chat_sink::on_refusal);
    } else if (i.what == kind::reasoning) {
        settle_text(i.words, text_of_reasoning(raw), sink, &chat_sink::on_reasoning);
    } else if (i.what == kind::call) {
        settle_arguments(i, peek_text(raw, i.call.input == tool_input::text ? "input" : "arguments"), sink);
    }
    i.is_whole = true;
    raw_.take(json::serialize(raw).size());
    i.raw = json::value(raw, json::storage_ptr{});  // outlives the memory of the event
    remove_halves(i.raw);
}

void responses_output::settle_text(streamed_text& text, std::string_view whole, chat_sink& sink, sink_function tell)
{
    const std::string clean = without_halves(whole);
    if (clean.empty()) return;
    text.seams = {};  // what waits there is in the whole text too
    if (std::string_view{clean}.starts_with(text.text)) {
        deliver(text, std::string_view{clean}.substr(text.text.size()), sink, tell);
        return;
    }
    if (tell != &chat_sink::on_reasoning)
        warnings_.emplace_back("the text of the final reply is not the one that was streamed");
    text_.take(clean.size());
    text.text = clean;
}

void responses_output::settle_arguments(item& i, std::string_view whole, chat_sink& sink)
{
    const std::string clean = without_halves(whole);
    if (!clean.empty()) i.words.seams = {};
    if (std::string_view{clean}.starts_with(i.words.text)) {
        deliver_arguments(i, std::string_view{clean}.substr(i.words.text.size()), sink);
    } else if (!clean.empty()) {
        warnings_.push_back("the arguments of the call of " + i.call.name + " are not the ones that were streamed");
        arguments_.take(clean.size());
        i.words.text = clean;
    }
    announce(i, sink);
}

/** Moves the streamed item out that a final one stands for, or makes a new one. */
responses_item responses_output::take_match(std::vector<item>& streamed, kind what, std::string_view call_id)
{
    const auto same_call = [&](const item& i) { return what == kind::call && i.what == what && i.call.id == call_id; };
    const auto same_kind = [&](const item& i) { return i.what == what; };
    auto found = call_id.empty() ? streamed.end() : std::find_if(streamed.begin(), streamed.end(), same_call);
    if (found == streamed.end()) found = std::find_if(streamed.begin(), streamed.end(), same_kind);
    if (found == streamed.end()) return {};
    item taken = std::move(*found);
    streamed.erase(found);
    return taken;
}

void responses_output::settle(const json::array& output, chat_sink& sink)
{
    std::vector<item> streamed = std::exchange(items_, {});
    raw_ = raw_budget(limits_);  // what was kept of the items is replaced
    for (const json::value& entry : output) {
        const json::object* raw = entry.if_object();
        if (!raw) continue;
        const kind what = kind_of_item(peek_text(*raw, "type"));
        item& i = new_item(std::nullopt, what);
        const std::int64_t index = i.index;
        i = take_match(streamed, what, peek_text(*raw, "call_id"));
        i.index = index;
        i.what = what;
        settle_item(i, *raw, sink);
    }
    for (item& left : streamed) {
        if (left.what == kind::message && !left.words.text.empty())
            warnings_.emplace_back("a text that was streamed is not in the final reply");
        if (left.what == kind::call)
            warnings_.push_back("a call of " + left.call.name + " that was streamed is not in the final reply");
    }
}

void responses_output::end_texts(chat_sink& sink)
{
    for (item& i : items_) {
        const sink_function tell = i.what == kind::reasoning ? &chat_sink::on_reasoning : &chat_sink::on_text;
        const std::string rest{i.words.seams.end()};
        if (i.what == kind::call)
            deliver_arguments(i, rest, sink);
        else
            deliver(i.words, rest, sink, tell);
        deliver(i.refusal, std::string{i.refusal.seams.end()}, sink, &chat_sink::on_refusal);
    }
}

void responses_output::deliver(streamed_text& to, std::string_view piece, chat_sink& sink, sink_function tell)
{
    const std::string_view joined = to.seams.join(piece);
    if (joined.empty()) return;
    text_.take(joined.size());
    to.text.append(joined);
    has_delivered_ = true;
    (sink.*tell)(joined);
}

void responses_output::deliver_arguments(item& i, std::string_view piece, chat_sink& sink)
{
    const std::string_view joined = i.words.seams.join(piece);
    if (joined.empty()) return;
    arguments_.take(joined.size());
    i.words.text.append(joined);
    if (!i.is_announced) return announce(i, sink);
    sink.on_tool_arguments(i.slot, joined);
}

/** A call is announced when its name is known; arguments that came before it follow at once. */
void responses_output::announce(item& i, chat_sink& sink)
{
    if (i.is_announced || i.call.name.empty()) return;
    i.is_announced = true;
    i.slot = calls_announced_++;
    has_delivered_ = true;
    sink.on_tool_call(i.slot, i.call.id, i.call.name);
    if (!i.words.text.empty()) sink.on_tool_arguments(i.slot, i.words.text);
}

json::array responses_output::move_raw()
{
    json::array raw;
    bool says_more = false;
    for (item& i : items_) {
        if (i.raw.is_null()) return {};
        says_more |= !is_plain(i.raw.get_object());
        raw.push_back(std::move(i.raw));
    }
    return says_more ? raw : json::array{};
}

std::vector<tool_call> responses_output::move_calls(bool was_cut, std::vector<std::string>& warnings)
{
    std::vector<tool_call> calls;
    for (item& i : items_) {
        if (i.what != kind::call) continue;
        if (i.call.name.empty() && is_blank(i.words.text)) {
            warnings.emplace_back("a tool call without name and arguments was dropped");
            continue;
        }
        if (i.call.name.empty()) throw reply_refused{errc::invalid_model_reply, "a tool call has no name"};
        if (!is_executable(i, was_cut)) {
            warnings.push_back("a call of " + i.call.name + " was dropped: it is incomplete");
            continue;
        }
        const bool is_nothing = i.call.input == tool_input::json && is_blank(i.words.text);
        i.call.arguments = is_nothing ? "{}" : std::move(i.words.text);
        calls.push_back(std::move(i.call));
    }
    return calls;
}

void responses_output::move_content(message& out)
{
    for (item& i : items_) {
        if (i.what == kind::reasoning && !i.words.text.empty())
            out.content.emplace_back(reasoning_part{std::move(i.words.text), {}});
        if (i.what != kind::message) continue;
        if (!i.words.text.empty()) out.content.emplace_back(text_part{std::move(i.words.text)});
        if (!i.refusal.text.empty()) out.content.emplace_back(refusal_part{std::move(i.refusal.text)});
    }
}

}  // namespace weft::model_detail
