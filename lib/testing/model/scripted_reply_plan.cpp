#include "scripted_reply_plan.hpp"

#include "scripted_reply_events.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/status.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

namespace weft::testing {

namespace {

using std::chrono::nanoseconds;

constexpr std::size_t coalesced_bytes_max = 16 * 1024;
constexpr std::size_t slow_head_piece_bytes = 8;

// A body behind these would be read as the beginning of the next answer.
bool is_bodiless(int status) { return status == 204 || status == 304; }

wire_ending ending_of(const scripted_reply_content& parts, const reply_setting& setting)
{
    switch (parts.fault) {
    case scripted_fault::cut:
    case scripted_fault::cut_mid_chunk: return wire_ending::cut;
    case scripted_fault::reset: return wire_ending::reset;
    case scripted_fault::stall: return wire_ending::stall;
    default: break;
    }
    return parts.closes_connection || !setting.keeps_alive ? wire_ending::close : wire_ending::keep;
}

// The length stands before the bytes, so that a fault can cut between the two.
std::string chunk_of(std::string_view event)
{
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), event.size(), 16);
    std::string chunk;
    chunk.reserve(event.size() + 16);
    chunk.append(digits.data(), end.ptr).append("\r\n").append(event).append("\r\n");
    return chunk;
}

class head_writer {
public:
    explicit head_writer(const scripted_reply_content& parts) : parts_{parts}
    {
        const auto reason = boost::beast::http::obsolete_reason(
            boost::beast::http::int_to_status(static_cast<unsigned>(parts.status)));
        head_ = "HTTP/1.1 " + std::to_string(parts.status) + " ";
        head_.append(reason.data(), reason.size()).append("\r\n");
    }

    // A field of the script takes the place of ours.
    void add_ours(std::string_view name, std::string_view value)
    {
        const auto is_same = [&](const auto& field) {
            return boost::beast::iequals(field.first, {name.data(), name.size()});
        };
        if (std::none_of(parts_.headers.begin(), parts_.headers.end(), is_same)) add(name, value);
    }

    void add(std::string_view name, std::string_view value)
    {
        head_.append(name).append(": ").append(value).append("\r\n");
    }

    std::string finish()
    {
        for (const auto& [name, value] : parts_.headers) add(name, value);
        return head_ + "\r\n";
    }

private:
    const scripted_reply_content& parts_;
    std::string head_;
};

std::string head_of(const scripted_reply_content& parts, const reply_setting& setting,
                    const reply_body& body)
{
    head_writer head{parts};
    if (body.is_document) {
        head.add_ours("content-type", "application/json");
        if (!is_bodiless(parts.status))
            head.add("content-length", std::to_string(body.length));
    } else {
        head.add_ours("content-type", "text/event-stream; charset=utf-8");
        head.add_ours("cache-control", "no-cache");
        head.add("transfer-encoding", "chunked");
    }
    head.add_ours("x-request-id", setting.request_id);
    if (ending_of(parts, setting) == wire_ending::close) head.add("connection", "close");
    return head.finish();
}

class plan_writer {
public:
    void add(nanoseconds wait, std::string_view bytes, std::size_t pieces = 0)
    {
        plan_.bytes.append(bytes);
        plan_.steps.push_back({wait, plan_.bytes.size(), pieces});
    }

    void add_slowly(nanoseconds first, nanoseconds spread, std::string_view bytes)
    {
        const auto count = (bytes.size() + slow_head_piece_bytes - 1) / slow_head_piece_bytes;
        const nanoseconds between = spread / static_cast<int>(std::max<std::size_t>(count, 2) - 1);
        for (std::size_t i = 0; i < count; ++i)
            add(i == 0 ? first : between,
                bytes.substr(i * slow_head_piece_bytes, slow_head_piece_bytes));
    }

    // Joins what follows without a wait.
    void coalesce()
    {
        std::vector<wire_step> joined;
        std::size_t begin = 0;  // of the write that is being filled
        for (const wire_step& step : plan_.steps) {
            const bool fits = step.end - begin <= coalesced_bytes_max;
            if (!joined.empty() && step.wait == nanoseconds{} && fits) {
                joined.back().end = step.end;
                joined.back().pieces += step.pieces;
                continue;
            }
            begin = joined.empty() ? 0 : joined.back().end;
            joined.push_back(step);
        }
        plan_.steps = std::move(joined);
    }

    wire_plan finish(wire_ending ending)
    {
        plan_.ending = ending;
        return std::move(plan_);
    }

private:
    wire_plan plan_;
};

// Without a stream, there is no event that could say it.
scripted_reply_content error_response_of(const scripted_reply_content& parts)
{
    scripted_reply_content response = parts;
    response.kind = scripted_reply_kind::response;
    response.status = parts.fault_code;
    response.pieces.assign(1, parts.fault_bytes);
    response.fault = scripted_fault::none;
    return response;
}

void add_body(plan_writer& plan, const reply_body& body, bool is_chunked)
{
    for (const body_event& event : body.events) {
        std::string bytes = is_chunked ? chunk_of(event.bytes) : event.bytes;
        const bool is_half = body.is_torn && &event == &body.events.back();
        if (is_half) bytes.resize(bytes.size() / 2);
        plan.add(event.wait, bytes, event.is_piece && !is_half ? 1 : 0);
    }
    if (is_chunked && body.is_complete) plan.add({}, "0\r\n\r\n");
}

void add_head(plan_writer& plan, reply_body& body, const scripted_reply_content& parts,
              const reply_setting& setting)
{
    const std::string head = head_of(parts, setting, body);
    nanoseconds delay = setting.paced(parts.head_delay);
    // The head of a document comes when the document is ready.
    if (body.is_document && !body.events.empty())
        delay += std::exchange(body.events.front().wait, nanoseconds{});
    if (parts.head_spread > nanoseconds{})
        plan.add_slowly(delay, setting.paced(parts.head_spread), head);
    else
        plan.add(delay, head);
}

}  // namespace

wire_plan plan_reply(const scripted_reply_content& parts, const reply_setting& setting)
{
    const bool is_chat = parts.kind == scripted_reply_kind::chat;
    if (is_chat && parts.fault == scripted_fault::error && !setting.wants_stream)
        return plan_reply(error_response_of(parts), setting);
    reply_body body = body_of(parts, setting);
    if (is_bodiless(parts.status)) body.events.clear();
    const bool is_raw = parts.kind == scripted_reply_kind::raw;
    plan_writer plan;
    if (!is_raw) add_head(plan, body, parts, setting);
    add_body(plan, body, !is_raw && !body.is_document);
    if (parts.is_coalesced || body.is_document) plan.coalesce();
    return plan.finish(ending_of(parts, setting));
}

}  // namespace weft::testing
