#include "scripted_reply_events.hpp"

#include <weft/base/random.hpp>
#include <weft/base/utf8.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace weft::testing {

namespace {

using std::chrono::nanoseconds;

constexpr std::size_t argument_piece_bytes = 8;

// The waits before the pieces of a reply, one after the other.
class waits {
public:
    waits(const scripted_reply_content& parts, const reply_setting& setting)
        : parts_{parts}, setting_{setting}, random_{setting.seed}
    {
    }

    nanoseconds next()
    {
        if (!std::exchange(has_begun_, true)) return setting_.paced(parts_.first_token);
        const double variation = 1 + parts_.jitter * (2 * random_.uniform() - 1);
        return setting_.paced(parts_.between_tokens, variation);
    }

private:
    const scripted_reply_content& parts_;
    const reply_setting& setting_;
    random_source random_;
    bool has_begun_ = false;
};

std::vector<std::string> tool_call_pieces(std::size_t index, const scripted_tool_call& call)
{
    std::vector<std::string> parts{tool_call_head(index, call)};
    std::string_view left = call.arguments;
    while (!left.empty()) {
        std::string_view piece = truncated_utf8(left, argument_piece_bytes);
        if (piece.empty()) piece = left;  // not UTF-8: a script may want that
        parts.push_back(tool_call_arguments(index, piece));
        left.remove_prefix(piece.size());
    }
    return parts;
}

std::vector<std::string> in_turns(const std::vector<std::vector<std::string>>& lines)
{
    std::vector<std::string> all;
    std::size_t longest = 0;
    for (const auto& line : lines) longest = std::max(longest, line.size());
    for (std::size_t i = 0; i < longest; ++i)
        for (const auto& line : lines)
            if (i < line.size()) all.push_back(line[i]);
    return all;
}

std::vector<std::string> all_tool_call_pieces(const scripted_reply_content& parts)
{
    std::vector<std::vector<std::string>> calls;
    for (const scripted_tool_call& call : parts.tool_calls)
        calls.push_back(tool_call_pieces(calls.size(), call));
    if (parts.tool_calls_alternate) return in_turns(calls);
    std::vector<std::string> all;
    for (auto& call : calls) std::move(call.begin(), call.end(), std::back_inserter(all));
    return all;
}

weft::usage usage_of(const scripted_reply_content& parts, const reply_setting& setting,
                     std::size_t pieces)
{
    if (parts.usage) return *parts.usage;
    weft::usage counted;
    counted.input = tokens{static_cast<std::int64_t>(setting.prompt_bytes / 4 + 1)};
    counted.output = tokens{static_cast<std::int64_t>(pieces)};
    return counted;
}

std::vector<body_event> streamed_chat(const scripted_reply_content& parts,
                                      const reply_setting& setting)
{
    const chat_chunks chunks{setting.naming, setting.wants_usage};
    const std::vector<std::string> calls = all_tool_call_pieces(parts);
    const std::size_t pieces = parts.pieces.size() + calls.size();
    waits wait{parts, setting};
    std::vector<body_event> events;
    events.reserve(pieces + 4);
    events.push_back({chunks.opening(!parts.pieces.empty()), wait.next(), false});
    const auto wait_of_piece = [&] { return events.size() == 1 ? nanoseconds{} : wait.next(); };
    for (const std::string& piece : parts.pieces)
        events.push_back({chunks.text(piece), wait_of_piece()});
    for (const std::string& part : calls)
        events.push_back({chunks.tool_call(part), wait_of_piece()});
    const std::string usual = parts.tool_calls.empty() ? "stop" : "tool_calls";
    events.push_back({chunks.finish(parts.finish_reason.value_or(usual)), {}, false});
    if (setting.wants_usage)
        events.push_back({chunks.usage(usage_of(parts, setting, pieces)), {}, false});
    events.push_back({"data: [DONE]\n\n", {}, false});
    return events;
}

// All pieces in one document, after the time that they would have taken one by one.
std::vector<body_event> whole_chat(const scripted_reply_content& parts, const reply_setting& setting)
{
    const std::size_t pieces = parts.pieces.size() + all_tool_call_pieces(parts).size();
    waits wait{parts, setting};
    nanoseconds sum{};
    for (std::size_t i = 0; i < std::max<std::size_t>(pieces, 1); ++i) sum += wait.next();
    return {{chat_document(setting.naming, parts, usage_of(parts, setting, pieces)), sum}};
}

bool is_document(const scripted_reply_content& parts, const reply_setting& setting)
{
    return parts.kind == scripted_reply_kind::response ||
           (parts.kind == scripted_reply_kind::chat && !setting.wants_stream);
}

std::vector<body_event> whole_body(const scripted_reply_content& parts, const reply_setting& setting)
{
    if (parts.kind == scripted_reply_kind::chat)
        return setting.wants_stream ? streamed_chat(parts, setting) : whole_chat(parts, setting);
    waits wait{parts, setting};
    std::vector<body_event> events;
    for (const std::string& piece : parts.pieces) events.push_back({piece, wait.next()});
    return events;
}

std::size_t length_of(const std::vector<body_event>& events)
{
    std::size_t length = 0;
    for (const body_event& event : events) length += event.bytes.size();
    return length;
}

// A document is one piece, so that a fault in its middle needs two.
void halve(std::vector<body_event>& events)
{
    if (events.empty()) return;
    std::string& whole = events.front().bytes;
    std::string second = whole.substr(whole.size() / 2);
    whole.resize(whole.size() / 2);
    events.push_back({std::move(second), {}, false});
}

// The events that come before the fault: none for no piece, else up to and with the last such piece.
std::size_t events_before(const std::vector<body_event>& events, std::size_t pieces)
{
    std::size_t end = 0;
    for (std::size_t i = 0; i < events.size() && pieces > 0; ++i) {
        if (!events[i].is_piece) continue;
        end = i + 1;
        --pieces;
    }
    return end;
}

// Whether the client gets all that the head promises, with this fault.
bool completes_body(scripted_fault fault)
{
    return fault == scripted_fault::end || fault == scripted_fault::error ||
           fault == scripted_fault::bytes;
}

void strike(reply_body& body, const scripted_reply_content& parts)
{
    if (body.is_document && parts.fault == scripted_fault::end) return;
    if (body.is_document) halve(body.events);
    std::size_t end = events_before(body.events, body.is_document ? 1 : parts.fault_after);
    const auto wait = end < body.events.size() ? body.events[end].wait : nanoseconds{};
    body.is_torn = end < body.events.size() && (parts.fault == scripted_fault::cut_mid_chunk ||
                                                parts.fault == scripted_fault::reset);
    if (body.is_torn) ++end;
    body.events.resize(end);
    body.is_complete = completes_body(parts.fault);
    if (parts.fault == scripted_fault::bytes)
        body.events.push_back({parts.fault_bytes, wait, false});
    if (parts.fault == scripted_fault::error) {
        body.events.push_back({"data: " + parts.fault_bytes + "\n\n", wait, false});
        body.events.push_back({"data: [DONE]\n\n", {}, false});
    }
    if (body.is_complete) body.length = length_of(body.events);
}

}  // namespace

reply_body body_of(const scripted_reply_content& parts, const reply_setting& setting)
{
    reply_body body;
    body.events = whole_body(parts, setting);
    body.is_document = is_document(parts, setting);
    body.length = length_of(body.events);
    if (parts.fault != scripted_fault::none) strike(body, parts);
    return body;
}

}  // namespace weft::testing
