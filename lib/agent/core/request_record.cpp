#include "request_record.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/agent/text/secret_scrubber.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/base/text/base64.hpp>
#include <weft/base/utf8.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/model/chat/request_parameters.hpp>
#include <weft/net/text/digest.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace weft::agent_detail {

namespace {

namespace json = boost::json;

constexpr std::size_t message_bytes_max = 64u << 10;
constexpr std::size_t request_bytes_max = 1u << 20;
constexpr std::size_t secret_slack = 256;  // a secret across the place where a text is cut is seen as one
constexpr std::size_t fingerprint_size = 16;
constexpr std::array<std::string_view, 4> choice_names{"automatic", "none", "required", "named"};

/** What a node knows of its last request. */
struct sent_request {
    std::uint64_t number = 0;
    list<message> messages{};
    list<tool_spec> tools{};
};

/** Makes values fit for a log: without secrets, and with a bound for all their texts together. */
class record_cleaner {
public:
    /** @return   The bytes that had no room. */
    std::size_t clean(json::value& of, std::size_t bytes_max)
    {
        left_ = std::min(bytes_max, of_all_);
        cut_ = 0;
        const std::size_t before = left_;
        walk(of);
        of_all_ -= before - left_;
        return cut_;
    }
    [[nodiscard]] std::string clean(std::string_view text) const { return scrubber_.clean(text); }

private:
    void walk(json::value& of)
    {
        if (json::string* const text = of.if_string()) return fit(*text);
        if (json::array* const items = of.if_array())
            for (json::value& item : *items) walk(item);
        if (json::object* const members = of.if_object())
            for (auto& member : *members) {
                if (member.value().is_string() && scrubber_.hides(member.key())) member.value() = "***";
                else walk(member.value());
            }
    }
    void fit(json::string& text)
    {
        const std::string_view whole{text.data(), text.size()};
        const std::string_view looked_at = truncated_utf8(whole, left_ + secret_slack);
        const std::string said = scrubber_.clean(looked_at);
        // At the end of what was looked at a secret may have its beginning, and be seen as none.
        const std::size_t unsure = looked_at.size() < whole.size() ? std::min(secret_slack, said.size()) : 0;
        const std::string_view kept = truncated_utf8(said, std::min(left_, said.size() - unsure));
        cut_ += whole.size() - looked_at.size() + said.size() - kept.size();
        left_ -= kept.size();
        text = json::string_view{kept.data(), kept.size()};
    }

    secret_scrubber scrubber_;
    std::size_t of_all_ = request_bytes_max;
    std::size_t left_ = 0;
    std::size_t cut_ = 0;
};

json::value recorded_message(const message& said, record_cleaner& cleaner)
{
    json::value made = json::value_from(said);
    const std::size_t cut = cleaner.clean(made, message_bytes_max);
    if (cut > 0) made.get_object()["cut"] = cut;
    return made;
}

json::value recorded_tool(const tool_spec& of)
{
    const std::string digest = to_hex(net_detail::sha256(to_canonical_json_text(of.parameters)));
    return {{"name", of.name}, {"fingerprint", digest.substr(0, fingerprint_size)}};
}

/** The items, without those that stand at the same places before. */
template <class T, class Write>
json::array changed_items(const list<T>& now, const list<T>& before, const Write& write)
{
    json::array items;
    const std::size_t shared = now.extends(before) ? before.size() : 0;
    std::size_t at = 0;
    std::size_t same = 0;
    const auto end_same = [&] {
        if (same > 0) items.push_back(json::object{{"same", std::exchange(same, 0)}});
    };
    auto old = before.begin();
    for (const T& item : now) {
        const bool is_same = at < before.size() && (at < shared || item == *old);
        if (at < before.size()) ++old;
        ++at;
        if (is_same) {
            ++same;
            continue;
        }
        end_same();
        items.push_back(write(item));
    }
    end_same();
    return items;
}

json::value recorded_parameters(const chat_request& request, record_cleaner& cleaner)
{
    json::value made = request_parameters(request);
    if (json::value* const choice = made.get_object().if_contains("tool_choice"))
        *choice = choice_names[static_cast<std::size_t>(request.tool_choice.how)];
    cleaner.clean(made, message_bytes_max);
    return made;
}

void emit_record(node_context& node, agent_event_name name, const json::object& what)
{
    node.emit(name, json::serialize(what));
}

}  // namespace

std::uint64_t record_request(node_context& node, const chat_request& request, std::string_view asked)
{
    call_record* const record = node.host().record_of_calls(node);
    if (!record) return 0;
    const sent_request first;
    const auto known = std::static_pointer_cast<const sent_request>(record->last);
    const sent_request& before = known ? *known : first;
    auto sent = std::make_shared<sent_request>();
    sent->number = ++*record->newest;
    sent->messages = request.messages;
    sent->tools = request.tools;

    record_cleaner cleaner;
    json::object made{{"number", sent->number}, {"asked", asked}};
    if (known) made["of"] = known->number;
    made["parameters"] = recorded_parameters(request, cleaner);
    if (!request.tools.empty()) made["tools"] = changed_items(request.tools, before.tools, recorded_tool);
    made["messages"] = changed_items(request.messages, before.messages, [&cleaner](const message& said) {
        return recorded_message(said, cleaner);
    });
    record->last = sent;
    emit_record(node, agent_event::model_request, made);
    return sent->number;
}

void record_reply(node_context& node, std::uint64_t number, const chat_reply& reply)
{
    record_cleaner cleaner;
    json::object made{{"of", number}, {"message", recorded_message(reply.message, cleaner)}};
    made["stop"] = json::value_from(reply.stop);
    if (!reply.id.empty()) made["id"] = reply.id;
    if (!reply.model.empty()) made["model"] = reply.model;
    made["usage"] = json::value_from(reply.usage);
    emit_record(node, agent_event::model_reply, made);
}

void record_failure(node_context& node, std::uint64_t number, const std::exception_ptr& why, const message* came)
{
    record_cleaner cleaner;
    json::object made{{"of", number}, {"error", name_of(code_of(why))}, {"why", cleaner.clean(text_of(why))}};
    if (came && !came->content.empty()) made["message"] = recorded_message(*came, cleaner);
    emit_record(node, agent_event::model_reply, made);
}

}  // namespace weft::agent_detail
