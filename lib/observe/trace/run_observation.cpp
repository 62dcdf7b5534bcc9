#include "run_observation.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/utf8.hpp>
#include <weft/engine/scheduler/run_status.hpp>
#include <weft/engine/trace/run_event_json.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace weft::observe_detail {

namespace {

constexpr double nanos_of_second = 1e9;
constexpr std::size_t flushed_at = 256;
constexpr std::size_t attributes_usual = 5;
constexpr std::size_t spans_usual = 16;
constexpr std::size_t notes_max = 128;

double seconds_of(std::int64_t nanos) noexcept { return static_cast<double>(nanos) / nanos_of_second; }

/** Takes the next of the words that stand between slashes. */
std::string_view next_word(std::string_view& rest) noexcept
{
    const std::size_t end = rest.find('/');
    const std::string_view word = rest.substr(0, end);
    rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
    return word;
}

std::uint32_t number_of(std::string_view digits) noexcept
{
    std::uint32_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

/** When an id was made, in nanoseconds since 1970: the first six bytes say the milliseconds. */
std::int64_t moment_of(run_id id) noexcept
{
    std::int64_t millis = 0;
    for (std::size_t i = 0; i < 6; ++i) millis = millis << 8 | id.value().bytes[i];
    return millis * 1'000'000;
}

/** A node with those that it is within. */
class node_label {
public:
    explicit node_label(const run_event& event) : view_{event.node}
    {
        if (event.address.empty()) return;
        text_.append(event.address).append("/").append(event.node);
        view_ = text_;
    }
    node_label(const node_label&) = delete;
    node_label& operator=(const node_label&) = delete;
    [[nodiscard]] std::string_view view() const noexcept { return view_; }

private:
    std::string text_;  // of a node within another one
    std::string_view view_;
};

/** By a hash of the trace: ids of runs that are made in one moment differ in their last digits only. */
bool is_drawn(const span_place& of, double ratio) noexcept
{
    if (ratio >= 1) return true;
    constexpr int used_bits = 53;  // that a double has
    const auto drawn = static_cast<double>(span_within(of.trace_high ^ of.trace_low, "ratio") >> (64 - used_bits));
    return drawn < ratio * std::ldexp(1.0, used_bits);
}

}  // namespace

run_observation::run_observation(std::shared_ptr<const observation_setup> setup, const observed_run& what)
    : setup_{std::move(setup)}, clock_{&what.loop->clock()}, graph_{what.graph}, thread_{what.thread},
      id_{what.identity.id.text()}, began_{clock_->now()},
      wall_{std::chrono::duration_cast<std::chrono::nanoseconds>(clock_->system_now().time_since_epoch()).count()},
      next_span_{what.loop->random().next()}
{
    setup_->metrics.runs_open.at({graph_}).add(1);
    if (what.is_first)
        setup_->metrics.run_queue_seconds.at({graph_}).observe(
            seconds_of(std::max<std::int64_t>(0, wall_ - moment_of(what.identity.id))));
    if (sends()) begin_trace(what);
    else if (what.caller) trace_ = *what.caller;  // which goes along with calls as it would without us
    log("run_started", wall_, run_);
}

void run_observation::begin_trace(const observed_run& what)
{
    const trace_sampling& sampling = setup_->traces.sampling;
    const trace_context* const caller = what.caller.get();
    const bool has_caller = caller && !caller->parent.empty();
    trace_ = trace_context::of_run(caller, id_, what.identity.part);
    run_.place = trace_.place();
    is_sampled_ = has_caller && sampling.follows_caller ? caller->is_sampled()
                                                        : is_drawn(run_.place, sampling.ratio);
    trace_.set_sampled(is_sampled_);
    run_.name.append("invoke_workflow ").append(graph_);
    run_.parent = has_caller ? caller->place().span : 0;
    run_.trace_state = trace_.state;
    run_.start = wall_;
    run_.links = what.earlier;
    run_.attributes.reserve(attributes_usual + 1);
    run_.say(span_key::operation, "invoke_workflow").say(span_key::workflow, graph_);
    run_.say(span_key::conversation, what.thread).say(span_key::run, id_);
    run_.set(span_key::part, std::int64_t{what.identity.part});
}

run_observation::~run_observation()
{
    // A run that its process has left behind.
    if (!has_ended_) setup_->metrics.runs_open.at({graph_}).add(-1);
}

std::uint64_t run_observation::parent_of(const run_event& event) const
{
    std::uint64_t parent = run_.place.span;
    std::string_view nodes = event.address;
    std::string_view visits = event.address_visits;
    std::string_view attempts = event.address_attempts;
    while (!nodes.empty()) {
        const std::string_view node = next_word(nodes);
        const std::uint32_t visit = number_of(next_word(visits));
        parent = span_within(parent, node, visit, number_of(next_word(attempts)));
    }
    return parent;
}

void run_observation::see(const run_event& event)
{
    using kind = run_event::kind;
    switch (event.what) {
    case kind::node_started: return begin_visit(event);
    case kind::node_succeeded:
    case kind::node_failed: return end_visit(event);
    case kind::node_retried:
        setup_->metrics.node_retries.at({graph_, node_label{event}.view()}).add();
        return note(event, "retry");
    case kind::question_asked: return note(event, "question");
    case kind::route_fallback: return note(event, "route_fallback");
    case kind::output:
        if (event.label == "guardrail") note(event, "guardrail");
        return;
    case kind::run_finished:
    case kind::run_paused:
        if (event.address.empty()) end_run(event);
        return;
    default: return;
    }
}

void run_observation::begin_visit(const run_event& event)
{
    span& about = open_.emplace_back();
    about.place = run_.place;
    about.parent = parent_of(event);
    about.start = wall_of(event.at);
    about.place.span = span_within(about.parent, event.node, event.visit, event.attempt);
    if (sends() || setup_->log) {
        constexpr std::string_view prefix = "weft.node ";
        about.name.reserve(prefix.size() + event.node.size());
        about.name.append(prefix).append(event.node);
        about.attributes.reserve(attributes_usual);
        about.say(span_key::node, node_label{event}.view()).set(span_key::visit, std::int64_t{event.visit});
        about.set(span_key::attempt, std::int64_t{event.attempt}).set(span_key::branch, std::int64_t{event.branch});
    }
}

void run_observation::end_visit(const run_event& event)
{
    // From the back: the attempt that began last of those with this number is the one that ends.
    const std::uint64_t own = span_within(parent_of(event), event.node, event.visit, event.attempt);
    const auto is_own = [own](const span& each) { return each.place.span == own; };
    const auto found = std::find_if(open_.rbegin(), open_.rend(), is_own);
    if (found == open_.rend()) return;
    span& done = *found;
    done.end = wall_of(event.at);
    const bool is_stopped = event.text == run_event::stopped;
    done.has_failed = event.what == run_event::kind::node_failed && !is_stopped;
    const node_label label{event};
    setup_->metrics.node_seconds.at({graph_, label.view()}).observe(seconds_of(done.end - done.start));
    if (done.has_failed) {
        setup_->metrics.node_failures.at({graph_, label.view()}).add();
        done.say(span_key::error_type, "node_failed").say(span_key::error_message, event.text);
        log("node_failed", done.end, done);
    }
    if (is_stopped) done.say(span_key::status, run_event::stopped);
    if (sends()) keep(std::move(done));
    open_.erase(std::next(found).base());
}

/** Nodes that the end of the run finds at work: they wait, and go on with the next part. */
void run_observation::end_open_visits(std::int64_t end, std::string_view how)
{
    for (span& each : std::exchange(open_, {})) {
        each.end = end;
        each.say(span_key::status, how);
        keep(std::move(each));
    }
}

void run_observation::note(const run_event& event, std::string_view name)
{
    if (!sends() || run_.notes.size() >= notes_max) return;
    span_note noted{name, wall_of(event.at)};
    noted.attributes.push_back({span_key::node, std::string{node_label{event}.view()}});
    run_.notes.push_back(std::move(noted));
}

void run_observation::end_run(const run_event& event)
{
    if (has_ended_) return;
    weft_metrics& metrics = setup_->metrics;
    const std::int64_t elapsed = wall_of(event.at) - wall_;
    const bool has_failed = event.text == name_of(run_status::failed);
    metrics.runs_open.at({graph_}).add(-1);
    metrics.runs.at({graph_, event.text}).add();
    metrics.run_seconds.at({graph_}).observe(seconds_of(elapsed));
    run_.start = wall_;
    run_.end = wall_of(event.at);
    run_.has_failed = has_failed;
    run_.say(span_key::status, event.text);
    log("run_ended", run_.end, run_);
    has_ended_ = !sends();
    if (has_ended_) return;
    const trace_sampling& sampling = setup_->traces.sampling;
    const std::int64_t slow = sampling.keeps_slower_than.count();
    is_sent_ = is_sampled_ || (has_failed && sampling.keeps_failed) || (slow > 0 && elapsed > slow);
    if (has_failed) run_.say(span_key::error_type, "node_failed");
    // While the run counts as open: what is kept then waits for the decision below.
    end_open_visits(run_.end, event.text);
    has_ended_ = true;
    ended_.push_back(std::move(run_));
    flush();
}

void run_observation::record(span&& done) noexcept
{
    try {
        const std::string_view operation = done.text(span_key::operation);
        if (operation == "chat") count_model(done);
        else if (operation == "execute_tool") count_tool(done);
        if (done.has_failed) log(operation == "chat" ? "model_failed" : "call_failed", done.end, done);
        if (sends()) keep(std::move(done));
    } catch (...) {
        ++lost_;  // there is no memory
    }
}

void run_observation::count_model(const span& done)
{
    weft_metrics& metrics = setup_->metrics;
    const std::string_view provider = done.text(span_key::provider);
    const std::string_view model = done.text(span_key::request_model);
    metrics.model_seconds.at({provider, model}).observe(seconds_of(done.end - done.start));
    if (done.has_failed) metrics.model_errors.at({provider, model, done.text(span_key::error_type)}).add();
    const auto count = [&](const char* kind, span_key key) {
        const auto number = static_cast<double>(done.number(key));
        if (number > 0) metrics.tokens.at({model, kind}).add(number);
    };
    count("input", span_key::input_tokens);
    count("output", span_key::output_tokens);
    count("cache_read", span_key::cache_read_tokens);
    count("cache_write", span_key::cache_write_tokens);
    count("reasoning", span_key::reasoning_tokens);
    const auto real = [&done](span_key key) {
        const span_value* const found = done.find(key);
        return found ? std::get_if<double>(found) : nullptr;
    };
    if (const double* const first = real(span_key::first_chunk_seconds))
        metrics.model_first_token_seconds.at({provider, model}).observe(*first);
    if (const double* const cost = real(span_key::cost_usd)) metrics.cost_usd.at({model}).add(*cost);
}

void run_observation::count_tool(const span& done)
{
    const std::string_view tool = done.text(span_key::tool);
    setup_->metrics.tool_seconds.at({tool}).observe(seconds_of(done.end - done.start));
    if (done.has_failed) setup_->metrics.tool_errors.at({tool, done.text(span_key::error_type)}).add();
}

void run_observation::name_agent(std::uint64_t visit, std::string_view agent) noexcept
{
    if (!sends()) return;
    for (span& each : open_) {
        if (each.place.span != visit) continue;
        each.name = "invoke_agent ";
        each.name += agent;
        each.say(span_key::operation, "invoke_agent").say(span_key::agent, agent);
    }
}

std::uint64_t run_observation::next_span() noexcept { return span_within(++next_span_, "call"); }

void run_observation::keep(span&& done)
{
    clean(done);
    // A call that its run did not wait for, such as one in the background.
    if (has_ended_ && !is_sent_) return;
    // The first ones stay: they say how the run began, and the span of the run comes in any case.
    if (ended_.size() >= setup_->traces.spans_per_run_max) {
        ++lost_;
        return;
    }
    if (ended_.capacity() == 0) ended_.reserve(spans_usual);
    ended_.push_back(std::move(done));
    if (has_ended_ || (is_sampled_ && ended_.size() >= flushed_at)) flush();
}

/** What was said is left out, or changed and cut as the user wants it. */
void run_observation::clean(span& done) const
{
    const trace_options& traces = setup_->traces;
    if (!traces.has_content)
        std::erase_if(done.attributes, [](const span_attribute& each) { return is_content(each.key); });
    else
        for (span_attribute& each : done.attributes) {
            std::string* const text = is_content(each.key) ? std::get_if<std::string>(&each.value) : nullptr;
            if (!text) continue;
            if (traces.redact) *text = traces.redact(each.key, std::move(*text));
            text->resize(truncated_utf8(*text, traces.content_bytes_max).size());
        }
    if (done.text(span_key::conversation).empty()) done.say(span_key::conversation, thread_);
}

void run_observation::log(std::string_view event, std::int64_t at, const span& about) const
{
    if (!setup_->log) return;
    using wall_moment = clock::system_time_point;
    const auto since_1970 = std::chrono::duration_cast<wall_moment::duration>(std::chrono::nanoseconds{at});
    const wall_moment moment{since_1970};
    boost::json::object line{{"at", to_utc_text(moment)}, {"event", event}, {"graph", graph_}, {"run_id", id_}};
    const auto say = [&line](const char* name, std::string_view text) {
        if (!text.empty()) line[name] = text;
    };
    say("thread_id", thread_);
    say("node", about.text(span_key::node));
    say("model", about.text(span_key::request_model));
    say("tool", about.text(span_key::tool));
    say("status", about.text(span_key::status));
    say("error", about.text(span_key::error_type));
    if (setup_->traces.has_content) say("text", about.text(span_key::error_message));
    if (about.end > 0) line["ms"] = static_cast<double>(about.end - about.start) / 1e6;
    if (!trace_.parent.empty()) {
        line["trace_id"] = std::string_view{trace_.parent}.substr(3, 32);
        if (sends()) line["span_id"] = std::string_view{trace_.within(about.place.span).parent}.substr(36, 16);
    }
    setup_->log(boost::json::serialize(line));
}

void run_observation::flush()
{
    weft_metrics& metrics = setup_->metrics;
    if (has_ended_ && !is_sent_) metrics.otlp_spans.at({"unsampled"}).add(static_cast<double>(ended_.size()));
    else lost_ += setup_->queue->add(std::move(ended_));
    ended_.clear();
    const auto lost = static_cast<double>(std::exchange(lost_, 0));
    if (lost > 0) metrics.otlp_spans.at({"dropped"}).add(lost);
}

}  // namespace weft::observe_detail
