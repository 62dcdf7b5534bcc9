#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weft {

/** What a span is to others; numbers are those of OpenTelemetry. */
enum class span_kind : std::uint8_t { internal = 1, server = 2, client = 3 };

/** What an attribute of a span says. The name by which it is sent depends on the dialect; see `span_names.hpp`. */
enum class span_key : std::uint8_t {
    operation,           ///< `chat`, `execute_tool`, …
    provider,
    conversation,        ///< The thread.
    workflow,            ///< The graph.
    agent,
    request_model,
    response_model,
    response_id,
    finish_reason,       ///< Sent as a list of one.
    temperature,
    top_p,
    output_max,
    seed,
    input_tokens,
    output_tokens,
    cache_read_tokens,
    cache_write_tokens,
    reasoning_tokens,
    first_chunk_seconds,
    tool,
    tool_type,
    tool_call,           ///< The id of a model's call.
    error_type,
    server_address,
    server_port,
    http_method,
    http_status,
    url,                 ///< Without query, fragment and user.
    node,
    visit,
    attempt,
    branch,
    run,
    part,                ///< Of the run; see `run_identity`.
    status,              ///< Of the run.
    cost_usd,
    attempts,            ///< Calls of endpoints that a call took.
    // What people and models have said: only where it is asked for.
    input_messages,
    output_messages,
    tool_arguments,
    tool_result,
    error_message,
    count_               ///< How many there are.
};

/** Whether an attribute has what people, models or tools have said. */
[[nodiscard]] constexpr bool is_content(span_key key) noexcept
{
    return key >= span_key::input_messages && key < span_key::count_;
}

using span_value = std::variant<std::int64_t, double, std::string>;

struct span_attribute {
    span_key key;
    span_value value;
};

/** Something that happened at one moment of a span. */
struct span_note {
    std::string_view name;   ///< A literal.
    std::int64_t at = 0;     ///< In nanoseconds since 1970.
    std::vector<span_attribute> attributes = {};
};

/** Which trace, and which span of it. */
struct span_place {
    std::uint64_t trace_high = 0;
    std::uint64_t trace_low = 0;
    std::uint64_t span = 0;

    [[nodiscard]] bool is_none() const noexcept { return (trace_high | trace_low) == 0; }
    friend bool operator==(const span_place&, const span_place&) = default;
};

/** A piece of work in a trace, when it is over. Moments are in nanoseconds since 1970. */
struct span {
    std::string name = {};
    span_place place = {};
    std::uint64_t parent = 0;  ///< A span of the same trace; 0: none.
    span_kind kind = span_kind::internal;
    bool has_failed = false;
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::vector<span_attribute> attributes = {};
    std::vector<span_note> notes = {};
    std::vector<span_place> links = {};
    std::string trace_state = {};

    span& set(span_key key, span_value value) { return attributes.push_back({key, std::move(value)}), *this; }
    /** The same for a text, unless it is empty. */
    span& say(span_key key, std::string_view text)
    {
        return text.empty() ? *this : set(key, std::string{text});
    }
    /** The same for a count, unless it is zero. */
    span& count(span_key key, std::int64_t number) { return number == 0 ? *this : set(key, number); }
    /** Null if there is none. */
    [[nodiscard]] const span_value* find(span_key key) const noexcept;
    [[nodiscard]] std::string_view text(span_key key) const noexcept;
    [[nodiscard]] std::int64_t number(span_key key) const noexcept;
};

/** The number of a span within another one, the same whenever it is asked for: of a visit of a node, or of a call. */
[[nodiscard]] std::uint64_t span_within(std::uint64_t parent, std::string_view name, std::uint32_t visit = 0,
                                        std::uint32_t attempt = 0) noexcept;

/** Takes the spans of one run. A trace that has one (`trace_context::recorder`) is recorded.
 *
 *  @par Thread safety   None: it belongs to the loop of the run. */
class span_recorder {
public:
    virtual ~span_recorder() = default;

    /** In nanoseconds since 1970; never goes back within a run. */
    [[nodiscard]] virtual std::int64_t now() const noexcept = 0;
    /** Whether spans are to have what people and models have said; see `is_content`. */
    [[nodiscard]] virtual bool wants_content() const noexcept = 0;
    /** Takes a span that is over. */
    virtual void record(span&& done) noexcept = 0;
    /** The visit of a node, whose span this is, is the work of an agent. */
    virtual void name_agent(std::uint64_t visit, std::string_view agent) noexcept = 0;
    /** A number for a further span. */
    [[nodiscard]] virtual std::uint64_t next_span() noexcept = 0;

protected:
    span_recorder() = default;
    span_recorder(const span_recorder&) = default;
    span_recorder& operator=(const span_recorder&) = default;
};

}  // namespace weft
