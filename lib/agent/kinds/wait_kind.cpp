#include "wait_kind.hpp"

#include "agent/node/kind_checks.hpp"
#include "agent/prompt/answer_schema.hpp"
#include "agent/remote/answer_writes.hpp"
#include "recalled_key.hpp"

#include <weft/agent/prompt/prompt_template.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/trace/run_event_json.hpp>
#include <weft/graph/node/event_question.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/model/time/rfc3339.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft {

namespace {

// A question may expire within 30 years; a later moment is waited for in several steps.
constexpr std::chrono::nanoseconds wait_step_max = std::chrono::hours{24 * 365};
constexpr std::chrono::nanoseconds wait_span_max = 10 * wait_step_max;
constexpr const char* go_on_now = "go on now";

struct wait_plan {
    wait_settings settings;
    prompt_template until;
    agent_detail::answer_target keys;
    boost::json::object schema;  ///< Of what comes with the event.
};

using wait_plan_pointer = std::shared_ptr<const wait_plan>;

/** It is answered when its time is over; a person who answers it ends the wait. */
question timer_question(const std::string& text, std::chrono::nanoseconds span)
{
    question asked = question::selection(text, {go_on_now});
    asked.name = "wait";
    asked.is_required = false;
    asked.otherwise.emplace(nullptr);
    asked.expires_in = span;
    asked.keeps_run_awake = true;
    return asked;
}

task<void> wait_for_span(std::chrono::nanoseconds span, node_context& node)
{
    question asked = timer_question("Waits for " + spec_duration{span}.text() + ".", span);
    static_cast<void>(co_await node.interrupt(std::move(asked)));
}

// After a restart the steps that are over are answered, and what is left of the last one is waited for.
task<void> wait_until(clock::system_time_point moment, node_context& node)
{
    for (;;) {
        const clock::system_time_point now = node.loop().clock().system_now();
        if (now >= moment) co_return;
        const std::chrono::nanoseconds left = moment - now;
        question asked = timer_question("Waits until " + to_utc_text(moment) + ".", std::min(left, wait_step_max));
        const boost::json::value answer = co_await node.interrupt(std::move(asked));
        if (!answer.is_null()) co_return;
    }
}

task<void> wait_for_event(wait_plan_pointer plan, node_context& node)
{
    question asked = question_for_event(*plan->settings.event);
    asked.schema = plan->schema;
    if (plan->settings.timeout) {
        asked.expires_in = plan->settings.timeout->span();
        asked.keeps_run_awake = true;
    }
    if (plan->settings.otherwise) asked.otherwise = plan->settings.otherwise;
    const boost::json::value payload = co_await node.interrupt(std::move(asked));
    agent_detail::write_answer(node, plan->keys, payload, "the event '" + *plan->settings.event + "'");
}

task<void> wait_for_nothing() { co_return; }

class wait_node {
public:
    explicit wait_node(wait_plan plan) : plan_{std::make_shared<const wait_plan>(std::move(plan))} {}

    [[nodiscard]] task<void> operator()(node_context& node) const
    {
        const wait_settings& settings = plan_->settings;
        if (settings.span)
            return settings.span->span().count() > 0 ? wait_for_span(settings.span->span(), node) : wait_for_nothing();
        if (settings.event) return wait_for_event(plan_, node);
        const std::string text = agent_detail::filled(plan_->until, node, "moment");
        const auto moment = parse_rfc3339(text);
        if (!moment)
            throw error{errc::invalid_configuration, "node '" + std::string{node.node()} + "'",
                        "it is to wait until '" + text + "', which is no moment such as 2026-12-24T18:00:00+01:00"};
        return wait_until(*moment, node);
    }
    bool describe(node_spec& into, const state_layout&) const
    {
        into.kind = "wait";
        into.settings = spec_detail::write_structure(plan_->settings);
        return true;
    }
    [[nodiscard]] std::vector<std::string> written_keys(const state_layout&) const { return plan_->keys.writes; }

private:
    wait_plan_pointer plan_;
};

// Reading files.

/** What `write_answer` takes for these keys. */
boost::json::object schema_of_payload(const node_request& request, const agent_detail::answer_target& keys)
{
    if (!keys.into.empty()) return agent_detail::answer_schema_of(agent_detail::update_type(request, keys.into));
    if (!request.spec().writes) return {};
    boost::json::object whole;
    boost::json::object members;
    for (const std::string& key : keys.writes) {
        const value_type& type = agent_detail::update_type(request, key);
        if (type.from_json) members[key] = agent_detail::placed_in(whole, key, agent_detail::answer_schema_of(type));
    }
    boost::json::array forms{boost::json::object{{"type", "null"}}};
    if (keys.writes.size() == 1) {
        const boost::json::object no_object{{"not", boost::json::object{{"type", "object"}}}};
        const boost::json::value fits = members.empty() ? boost::json::value(true) : members.begin()->value();
        const boost::json::array both{no_object, fits};
        forms.push_back(boost::json::object{{"allOf", both}});
    }
    forms.push_back(boost::json::object{
        {"type", "object"}, {"properties", std::move(members)}, {"additionalProperties", false}});
    whole["anyOf"] = std::move(forms);
    return whole;
}

void check_waits_once(node_request& request, const wait_settings& settings)
{
    const int count = (settings.span ? 1 : 0) + (settings.until ? 1 : 0) + (settings.event ? 1 : 0);
    if (count != 1)
        request.mistake("", "a node waits for a span, until a moment or for an event: give one of \"span\", \"until\" "
                            "and \"event\"");
    if (settings.span && settings.span->span() > wait_span_max) request.mistake("span", "is at most ten years");
    if (settings.until && settings.until->empty())
        request.mistake("until", "is empty: write a moment, or leave it out");
    if (settings.event) return;
    const char* const why = "is for an event: leave it out";
    if (settings.timeout) request.mistake("timeout", why);
    if (settings.otherwise) request.mistake("otherwise", why);
    if (!settings.into.empty()) request.mistake("into", why);
}

void check_event(node_request& request, const wait_settings& settings)
{
    if (!settings.event) return;
    if (!is_event_name(*settings.event))
        request.mistake("event", "the name of an event is 1 to 64 letters, digits, _, - and .");
    if (settings.timeout && (settings.timeout->span().count() <= 0 || settings.timeout->span() > wait_span_max))
        request.mistake("timeout", "is longer than nothing, and at most ten years");
    if (settings.otherwise && !settings.timeout)
        request.mistake("otherwise", "is what comes when the time is over: give a \"timeout\", or leave it out");
}

std::shared_ptr<const node_body> make_wait(node_request& request)
{
    std::optional<wait_settings> settings = request.settings<wait_settings>();
    if (!settings) return nullptr;
    const std::size_t before = request.mistakes().count();
    check_waits_once(request, *settings);
    check_event(request, *settings);
    const std::string moment = settings->until.value_or(std::string{});
    const std::optional<prompt_template> until = agent_detail::check_template(request, "until", moment);
    if (until && !until->is_empty() && until->places().empty() && !parse_rfc3339(moment))
        request.mistake("until", "is no moment: write date, time and distance to UTC, as in "
                                 "2026-12-24T18:00:00+01:00 or 2026-12-24T17:00:00Z");
    wait_plan plan;
    plan.keys = agent_detail::answer_target_of(request, settings->into);
    if (request.mistakes().count() != before || !until) return nullptr;
    if (settings->event) plan.schema = schema_of_payload(request, plan.keys);
    if (settings->otherwise) {
        question asked = question_for_event(*settings->event);
        asked.schema = plan.schema;
        asked.otherwise = settings->otherwise;
        if (const std::string fault = asked.fault(); !fault.empty()) request.mistake("otherwise", fault);
    }
    plan.until = *until;
    plan.settings = std::move(*settings);
    return make_node_body(wait_node{std::move(plan)});
}

}  // namespace

node_kind wait_kind() { return {make_wait}; }

}  // namespace weft
