#include <weft/engine/trace/run_log.hpp>

#include <weft/base/json.hpp>

#include <boost/describe/class.hpp>

#include <cmath>
#include <istream>
#include <streambuf>
#include <utility>

namespace weft {

namespace {

/** The members of an event that a log may have, and may leave out. */
struct event_line {
    std::optional<std::uint64_t> sequence;
    std::optional<double> ms;
    std::optional<std::string> address, address_visits, address_attempts, source, node, label, text;
    std::optional<std::uint32_t> branch, visit, attempt, edge;
    std::optional<std::uint64_t> number, id;
};
BOOST_DESCRIBE_STRUCT(event_line, (),
                      (sequence, id, ms, address, address_visits, address_attempts, source, node, label, text, branch,
                       visit, attempt, edge, number))

struct header_line {
    std::optional<std::uint32_t> format;
    std::optional<std::string> graph, at, run;
};
BOOST_DESCRIBE_STRUCT(header_line, (), (format, graph, at, run))

/** What a log can say of times: some 30 years. Its nanoseconds fit in 64 bits. */
constexpr double ms_max = 1e12;

enum class line_end { line_feed, end_of_text, too_long };

line_end read_line(std::streambuf& from, std::string& line, std::size_t bytes_max)
{
    using traits = std::streambuf::traits_type;
    line.clear();
    for (;;) {
        const auto next = from.sbumpc();
        if (traits::eq_int_type(next, traits::eof())) return line_end::end_of_text;
        if (next == '\n') return line_end::line_feed;
        // Read byte by byte: a file that is no log may be one line of any length.
        if (line.size() == bytes_max) return line_end::too_long;
        line.push_back(traits::to_char_type(next));
    }
}

[[noreturn]] void refuse_line(errc code, std::size_t line, std::string why)
{
    throw error{code, "line " + std::to_string(line), std::move(why)};
}

time_point moment_of(double ms)
{
    if (!(0 <= ms && ms <= ms_max))
        throw error{errc::unexpected_json, "$.ms", "expected milliseconds from 0 to 10^12"};
    return time_point{} + std::chrono::microseconds{std::llround(ms * 1000)};
}

bool is_empty_line(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

std::string_view run_log::keep(std::string_view name)
{
    if (name.empty()) return {};
    // Events refer to names of their graph, which a log outlives.
    const auto found = names_.find(name);
    return found != names_.end() ? *found : *names_.emplace(name).first;
}

void run_log::add(const run_event& event, time_point began)
{
    run_event& saved = events_.emplace_back(event);
    saved.node = keep(event.node);
    saved.source = keep(event.source);
    saved.at = time_point{} + (std::max(event.at, began) - began);
}

run_event run_log::event_in(run_event::kind what, const boost::json::object& line)
{
    event_line read = from_json<event_line>(line);
    run_event event;
    event.what = what;
    event.sequence = read.sequence.value_or(0);
    event.id = read.id.value_or(event.sequence);
    event.at = moment_of(read.ms.value_or(0));
    event.address = std::move(read.address).value_or("");
    event.address_visits = std::move(read.address_visits).value_or("");
    event.address_attempts = read.address_attempts ? *std::move(read.address_attempts)
                                                   : first_attempts(event.address_visits);
    event.node = keep(read.node.value_or(""));
    event.source = keep(read.source.value_or(""));
    event.branch = read.branch.value_or(0);
    event.visit = read.visit.value_or(0);
    event.attempt = read.attempt.value_or(0);
    event.number = read.number.value_or(0);
    event.edge = read.edge.value_or(no_edge);
    event.label = std::move(read.label).value_or("");
    event.text = std::move(read.text).value_or("");
    return event;
}

run_event run_log::read_event(const boost::json::object& line)
{
    const boost::json::value* const kind = line.if_contains("kind");
    const auto what = kind && kind->is_string() ? event_kind_of(kind->get_string()) : std::nullopt;
    if (!what) throw error{errc::unexpected_json, "$.kind", "it is the name of no event"};
    return event_in(*what, line);
}

void run_log::add_line(const boost::json::object& line)
{
    const boost::json::value* const kind = line.if_contains("kind");
    if (!kind || !kind->is_string())
        throw error{errc::unexpected_json, "$.kind", "it is missing or no text; each line of a log says its kind"};
    const std::string_view name = kind->get_string();
    if (const auto what = event_kind_of(name)) {
        events_.push_back(event_in(*what, line));
        return;
    }
    if (name == "result") {
        result_ = line;
        return;
    }
    if (name != "run") {
        // A newer version may write kinds of lines that this one does not know.
        ++skipped_;
        return;
    }
    if (header_ || !events_.empty())
        throw error{errc::unexpected_json, "$.kind", "a second run begins here; a log has one run"};
    header_line read = from_json<header_line>(line);
    if (read.format.value_or(run_log_format) > run_log_format)
        throw error{errc::unexpected_json, "$.format", "it is a newer one than this version of weft can read"};
    header_ = run_log_header{read.format.value_or(run_log_format), std::move(read.graph).value_or(""),
                             std::move(read.at).value_or(""), std::move(read.run).value_or("")};
}

run_log read_run_log(std::istream& from, const run_log_limits& limits)
{
    run_log log;
    std::streambuf* const source = from.rdbuf();
    std::string line;
    line_end end = source ? line_end::line_feed : line_end::end_of_text;
    for (std::size_t number = 1; end != line_end::end_of_text; ++number) {
        end = read_line(*source, line, limits.line_bytes_max);
        if (end == line_end::too_long)
            refuse_line(errc::limit_reached, number,
                   "it is longer than " + std::to_string(limits.line_bytes_max) + " bytes; is this a log of a run?");
        if (is_empty_line(line)) continue;
        if (log.events_.size() == limits.events_max)
            refuse_line(errc::limit_reached, number,
                   "there are more than " + std::to_string(limits.events_max) + " events");
        try {
            const boost::json::value read = parse_json(line);
            if (!read.is_object()) throw error{errc::unexpected_json, "", "expected an object"};
            log.add_line(read.get_object());
        } catch (const json_syntax_error& wrong) {
            // The process that wrote the log was killed while it wrote: what stands before is good.
            if (end == line_end::end_of_text && number > 1) {
                log.breaks_off_ = true;
                break;
            }
            refuse_line(errc::invalid_json, number,
                   "column " + std::to_string(wrong.position().column) + ": " + wrong.detail());
        } catch (const error& wrong) {
            refuse_line(wrong.code(), number, wrong.where() + (wrong.where().empty() ? "" : ": ") + wrong.detail());
        }
    }
    return log;
}

}  // namespace weft
