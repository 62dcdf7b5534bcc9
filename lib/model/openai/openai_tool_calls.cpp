#include "openai_tool_calls.hpp"

#include <weft/base/json/json_peek.hpp>
#include <weft/base/text/ascii_text.hpp>

#include "model/wire/finished_calls.hpp"
#include "model/wire/streamed_text.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

constexpr std::int64_t index_max = 127;

std::optional<std::int64_t> read_index(const json::object& in) noexcept
{
    std::optional<std::int64_t> index = peek_count(in, "index");
    const std::string_view digits = peek_text(in, "index");
    if (!index && !digits.empty()) {
        std::int64_t value = 0;
        const char* end = digits.data() + digits.size();
        const auto [at, ec] = std::from_chars(digits.data(), end, value);
        if (ec == std::errc{} && at == end) index = value;
    }
    return index && *index >= 0 && *index <= index_max ? index : std::nullopt;
}

bool begins_object(const json::value* arguments) noexcept
{
    return arguments && (arguments->is_object() || trimmed(peek_text(arguments)).starts_with('{'));
}

/** Some servers begin with `{}` and then send the real object; others send nothing for no arguments. */
void mend(std::string& arguments)
{
    const std::string_view text = trimmed(arguments);
    if (text.empty()) {
        arguments = "{}";
    } else if (text.starts_with("{}") && trimmed(text.substr(2)).starts_with('{')) {
        arguments = std::string{trimmed(text.substr(2))};
    }
}

}  // namespace

bool openai_tool_calls::add(const json::array& pieces, chat_sink& sink)
{
    bool has_delivered = false;
    for (const json::value& entry : pieces)
        if (const json::object* fields = entry.if_object()) has_delivered |= take(read(*fields), sink);
    return has_delivered;
}

bool openai_tool_calls::add_function_call(const json::object& in, chat_sink& sink)
{
    piece p;
    p.index = 0;
    p.name = peek_text(in, "name");
    p.arguments = peek_member(in, "arguments");
    return take(p, sink);
}

openai_tool_calls::piece openai_tool_calls::read(const json::object& in)
{
    piece p;
    p.index = read_index(in);
    p.id = peek_text(in, "id");
    p.extra = peek_member(in, "extra_content");
    const json::object* custom = peek_object(in, "custom");
    const json::object* target = custom ? custom : peek_object(in, "function");
    p.is_text = custom != nullptr;
    if (!target) return p;
    p.name = peek_text(*target, "name");
    p.arguments = peek_member(*target, custom ? "input" : "arguments");
    return p;
}

bool openai_tool_calls::take(const piece& p, chat_sink& sink)
{
    slot& s = slot_for(p);
    if (s.call.id.empty()) s.call.id = p.id;
    if (p.is_text) s.call.input = tool_input::text;
    if (p.extra) s.call.extra = json::value(*p.extra, json::storage_ptr{});  // outlives the memory of the chunk
    merge_name(s, p.name);
    const std::string_view added = merge_arguments(s, p.arguments);
    return announce(s, added, sink);
}

openai_tool_calls::slot& openai_tool_calls::slot_for(const piece& p)
{
    if (p.index) {
        slot* found = find_index(*p.index);
        if (!found) return new_slot(p);
        // Some servers give all calls the same index: another id is another call.
        if (!found->call.id.empty() && !p.id.empty() && found->call.id != p.id) return new_slot(p);
        // Without ids, a name beside the beginning of another object is another call.
        const bool lacks_ids = found->call.id.empty() && p.id.empty();
        const bool is_next = lacks_ids && !p.name.empty() && begins_object(p.arguments);
        return is_next && is_whole_object(found->call.arguments) ? new_slot(p) : *found;
    }
    if (slot* found = p.id.empty() ? nullptr : find_id(p.id)) return *found;
    if (!p.id.empty() || !p.name.empty() || slots_.empty()) return new_slot(p);
    return slots_.back();
}

openai_tool_calls::slot* openai_tool_calls::find_index(std::int64_t index) noexcept
{
    const auto found =
        std::find_if(slots_.rbegin(), slots_.rend(), [index](const slot& s) { return s.index == index; });
    return found == slots_.rend() ? nullptr : &*found;
}

openai_tool_calls::slot* openai_tool_calls::find_id(std::string_view id) noexcept
{
    const auto found = std::find_if(slots_.begin(), slots_.end(), [id](const slot& s) { return s.call.id == id; });
    return found == slots_.end() ? nullptr : &*found;
}

openai_tool_calls::slot& openai_tool_calls::new_slot(const piece& p)
{
    if (slots_.size() >= limits_.tool_calls_max)
        throw reply_refused{errc::response_too_large,
                            "more than " + std::to_string(limits_.tool_calls_max) + " tool calls in one reply"};
    slot& s = slots_.emplace_back();
    s.index = p.index;
    return s;
}

/** Many servers repeat the name with every piece; a few send it in pieces, which only the profile can tell. */
void openai_tool_calls::merge_name(slot& s, std::string_view name) const
{
    if (name.empty()) return;
    if (profile_.joins_names && !s.is_announced)
        s.call.name += name;
    else if (s.call.name.empty() || s.call.arguments.empty())
        s.call.name = name;
}

/** @return What was added, a view into the slot. */
std::string_view openai_tool_calls::merge_arguments(slot& s, const json::value* arguments)
{
    if (!arguments) return {};
    if (!arguments->is_object()) return append_arguments(s, s.seams.join(peek_text(arguments)));
    argument_bytes_ -= s.call.arguments.size();
    s.call.arguments.clear();
    s.seams = {};
    return append_arguments(s, without_halves(json::serialize(*arguments)));
}

std::string_view openai_tool_calls::append_arguments(slot& s, std::string_view text)
{
    argument_bytes_ += text.size();
    if (argument_bytes_ > limits_.argument_bytes_max)
        throw reply_refused{errc::response_too_large, "the arguments of the tool calls are longer than " +
                                                          std::to_string(limits_.argument_bytes_max) + " bytes"};
    s.call.arguments.append(text);
    return std::string_view{s.call.arguments}.substr(s.call.arguments.size() - text.size());
}

bool openai_tool_calls::end_arguments(chat_sink& sink)
{
    bool has_delivered = false;
    for (slot& s : slots_) {
        const std::string_view added = append_arguments(s, s.seams.end());
        if (!added.empty()) has_delivered |= announce(s, added, sink);
    }
    return has_delivered;
}

/** A call is announced when its name is known; arguments that came before it follow at once. */
bool openai_tool_calls::announce(slot& s, std::string_view added, chat_sink& sink) const
{
    if (s.call.name.empty()) return false;
    if (profile_.joins_names && !s.is_announced && s.call.arguments.empty()) return false;
    const auto place = static_cast<std::size_t>(&s - slots_.data());
    const bool is_new = !s.is_announced;
    if (is_new) {
        s.is_announced = true;
        sink.on_tool_call(place, s.call.id, s.call.name);
        added = s.call.arguments;
    }
    if (!added.empty()) sink.on_tool_arguments(place, added);
    return is_new || !added.empty();
}

std::vector<tool_call> openai_tool_calls::finish(bool was_cut, std::uint64_t id_seed,
                                                 std::vector<std::string>& warnings)
{
    std::vector<tool_call> calls;
    for (slot& s : slots_) {
        tool_call& call = s.call;
        if (call.name.empty() && is_blank(call.arguments)) {
            warnings.emplace_back("a tool call without name and arguments was dropped");
            continue;
        }
        if (call.name.empty()) throw reply_refused{errc::invalid_model_reply, "a tool call has no name"};
        const bool is_text = call.input == tool_input::text;
        if (was_cut && (is_text || !is_whole_object(trimmed(call.arguments)))) {
            warnings.push_back("a call of " + call.name + " was dropped: the reply was cut in its arguments");
            continue;
        }
        if (!is_text) mend(call.arguments);
        calls.push_back(std::move(call));
    }
    give_own_ids(calls, id_seed, warnings, profile_.tool_ids);
    slots_.clear();
    return calls;
}

}  // namespace weft::model_detail
