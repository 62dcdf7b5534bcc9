#include "turn_nodes.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/text/ascii_text.hpp>

#include "agent/node/turn_calls.hpp"

#include <boost/describe/enum_to_string.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

#include <algorithm>
#include <utility>

namespace weft {

std::string turn_reply::text() const
{
    if (!message) return {};
    std::string text = message->text();
    return is_blank(text) ? message->refusal() : text;
}

}  // namespace weft

namespace weft::agent_detail {

namespace json = boost::json;

void end_turns(turn_record& record, agent_outcome outcome, turn_trouble trouble, std::string why)
{
    record.outcome = outcome;
    record.trouble = trouble;
    record.why = std::move(why);
}

void count_elapsed(turn_record& record, node_context& node)
{
    const time_point now = node.loop().now();
    if (const time_point* const last = node.find(turn_keys::counted_until)) record.elapsed_ns += (now - *last).count();
    node.set(turn_keys::counted_until, now);
}

std::string take_from_budget(const node_context& node, const spending& wanted)
{
    const std::shared_ptr<budget_ledger> ledger = node.budget();
    if (!ledger) return {};
    try {
        static_cast<void>(ledger->reserve(wanted));  // unsettled: it counts as spent
    } catch (const error& e) {
        if (e.code() != errc::budget_exhausted) throw;
        return e.what();
    }
    return {};
}

std::string turn_address(const turn_definition& definition, const node_context& node)
{
    std::string address{node.thread()};
    if (!definition.options.address.empty()) address.append("/").append(definition.options.address);
    return address;
}

const conversation& said_to(const node_context& node)
{
    static const conversation nothing;
    const conversation* const said = node.find(turn_keys::conversation);
    return said ? *said : nothing;
}

turn_conversation::turn_conversation(const turn_definition& definition, node_context& node)
    : options_{definition.options}, node_{node}, next_{said_to(node), definition.options.view.lane}
{
}

provenance turn_conversation::by(message_author author) const
{
    provenance from;
    from.lane = options_.view.lane;
    from.node = node_.node();
    from.visit = node_.visit();
    from.at = std::chrono::floor<std::chrono::milliseconds>(node_.loop().clock().system_now());
    from.author = author;
    return from;
}

void turn_conversation::say(message what, message_author author, manner how)
{
    conversation::options options;
    options.is_pinned = how.is_pinned;
    options.label = std::move(how.label);
    conversation_change change = next_.add(std::move(what), by(author), std::move(options));
    if (how.survives) node_.publish(turn_keys::conversation, std::move(change));
    else node_.set(turn_keys::conversation, std::move(change));
}

void turn_conversation::compact()
{
    if (!options_.compaction) return;
    conversation whole = said_to(node_);
    compaction done =
        weft::compact(whole, by(message_author::program), *options_.compaction, options_.view.estimator);
    for (conversation_change& change : done.changes) node_.set(turn_keys::conversation, std::move(change));
    next_ = next_entries{whole, options_.view.lane};
}

namespace {

template <class Enum>
json::string_view word_for(Enum value)
{
    return boost::describe::enum_to_string(value, "");
}

/** The record of an agent that begins; what its mailbox gave before is not given again. */
turn_record begun_record(const turn_definition& definition, node_context& node)
{
    emit_object(node, agent_event::agent_start, [&] { return json::object{{"agent", definition.options.name}}; });
    node.set(turn_keys::counted_until, node.loop().now());
    turn_record record;
    if (const turn_record* const before = node.find(turn_keys::record)) record.steered = before->steered;
    return record;
}

/** What is said before the turn: the task, what people said, warnings. */
void open_turn(const turn_definition& definition, node_context& node, turn_record& record, agent_inbox& inbox)
{
    turn_conversation history{definition, node};
    const std::string* const task = node.find(turn_keys::task);
    if (task && !is_blank(*task)) {
        history.say(message::user(*task), message_author::person,
                 {.label = "task", .is_pinned = definition.options.pins_task});
        node.overwrite(turn_keys::task, std::string{});
    }
    for (agent_inbox::letter& letter : inbox.read(record.steered)) {
        record.steered = letter.number;
        history.say(message::user(std::move(letter.text)), message_author::person, {.label = "steering"});
    }
    std::string warning = record.warned.due(record.counters(), definition.options.budget);
    if (!warning.empty()) history.say(message::user(std::move(warning)), message_author::program, {.label = "budget"});
    history.compact();
}

std::string used_up(turn_budget_dimension what)
{
    std::string name = to_json(what).as_string().c_str();
    std::replace(name.begin(), name.end(), '_', ' ');
    return "the agent's budget of " + name + " is used up";
}

/** The last events. */
void tell_end(const turn_definition& definition, node_context& node, const turn_record& record)
{
    if (record.outcome == agent_outcome::failed)
        emit_object(node, agent_event::error, [&] {
            return json::object{{"trouble", word_for(record.trouble)}, {"why", record.why}};
        });
    emit_object(node, agent_event::agent_end, [&] {
        json::object told{{"agent", definition.options.name},
                          {"outcome", word_for(record.outcome)},
                          {"turns", record.turns},
                          {"tokens", record.used.count()},
                          {"tool_calls", record.tool_calls}};
        if (record.trouble != turn_trouble::none) told.emplace("trouble", word_for(record.trouble));
        if (!record.why.empty()) told.emplace("why", record.why);
        return told;
    });
}

/** Ends the agent if it must not begin a turn. */
void check_budgets(const turn_definition& definition, const node_context& node, turn_record& record,
                   const agent_inbox& inbox)
{
    constexpr auto aborted = agent_outcome::aborted;
    if (const auto dimension = exhausted(record.counters(), definition.options.budget)) {
        const bool are_turns = dimension == turn_budget_dimension::turns;
        return end_turns(record, aborted,
                         are_turns ? turn_trouble::max_turns_exceeded : turn_trouble::budget_exhausted,
                         used_up(*dimension));
    }
    if (inbox.is_aborted()) return end_turns(record, aborted, turn_trouble::abort, "it was asked to stop");
    spending turn;
    turn.turns = 1;
    std::string refused = take_from_budget(node, turn);
    if (!refused.empty()) end_turns(record, aborted, turn_trouble::max_turns_exceeded, std::move(refused));
}

}  // namespace

void prepare_turn(const turn_definition& definition, node_context& node)
{
    turn_record record = node.visit() == 1 ? begun_record(definition, node) : node.get(turn_keys::record);
    agent_inbox inbox{definition.options.mailbox, turn_address(definition, node)};
    // The state that this step began with has these messages: only now may the mailbox drop them.
    inbox.settle(record.steered);
    count_elapsed(record, node);
    open_turn(definition, node, record, inbox);
    record.is_interrupted = false;
    check_budgets(definition, node, record, inbox);
    node.set(turn_keys::record, std::move(record));
}

void parse_turn(const turn_definition& definition, node_context& node)
{
    const turn_reply& said = node.get(turn_keys::reply);
    if (!said.message) return;
    const conversation* const history = node.find(turn_keys::conversation);
    // Unique in the conversation, and the same when the step is done again after a crash.
    const std::string prefix = "call-" + std::to_string(history ? history->size() : 0) + "-";
    std::optional<message> proper = with_proper_calls(*said.message, *definition.tools, prefix);
    if (!proper) return;
    turn_reply better = said;
    better.message = std::move(proper);
    node.set(turn_keys::reply, std::move(better));
}

void reconcile_turn(const turn_definition& definition, node_context& node)
{
    turn_record record = node.get(turn_keys::record);
    const turn_reply& said = node.get(turn_keys::reply);
    if (record.outcome == agent_outcome::none) {
        const agent_inbox inbox{definition.options.mailbox, turn_address(definition, node)};
        reply_facts facts;
        facts.has_text = !is_blank(said.text());
        // A turn that the provider broke off for a while goes on like one with calls.
        facts.has_calls = said.message && (!said.message->tool_calls.empty() || said.stop == stop_reason::paused);
        facts.is_aborted = inbox.is_aborted();
        facts.is_cut = said.stop == stop_reason::length;
        turn_decision decided = record.memory.reconcile(facts, definition.options.reminders_max);
        if (record.hand_over.empty()) end_turns(record, decided.outcome, decided.trouble, std::move(decided.why));
        else end_turns(record, agent_outcome::answered, turn_trouble::none, {});
        if (!decided.reminder.empty())
            turn_conversation{definition, node}.say(message::user(std::move(decided.reminder)), message_author::program,
                                       {.label = "nudge"});
    }
    emit_object(node, agent_event::turn_end, [&] {
        json::object told{{"turn", record.turns},
                          {"stop", json::string_view{name_of(said.stop)}},
                          {"usage", json::value_from(said.usage)}};
        if (said.message) told.emplace("message", json::value_from(*said.message));
        if (record.is_interrupted) told.emplace("interrupted", true);
        return told;
    });
    node.set(turn_keys::record, std::move(record));
}

/** What a node that failed says about the agent. */
turn_trouble trouble_of(const failure& failed)
{
    if (failed.code == errc::guardrail_tripped) return turn_trouble::guardrail_tripped;
    const bool was_asking = failed.node == "prepare" || failed.node == "llmCall";
    return was_asking ? turn_trouble::context_error : turn_trouble::unknown_error;
}

void finish_turns(const turn_definition& definition, node_context& node)
{
    const failure* const failed = node.previous_failure();
    const bool has_begun = !failed || failed->node != "prepare" || failed->visit > 1;  // else it is of an earlier run
    const turn_record* const before = has_begun ? node.find(turn_keys::record) : nullptr;
    // A failure in the first `prepare` of this run: the record is what the run before left.
    turn_record record = before ? *before : turn_record{};
    if (failed && record.outcome == agent_outcome::none) {
        end_turns(record, agent_outcome::failed, trouble_of(*failed), failed->message);
    }
    count_elapsed(record, node);
    agent_inbox{definition.options.mailbox, turn_address(definition, node)}.finish(record.steered);
    const turn_reply* const said = node.find(turn_keys::reply);
    const bool has_answer = record.outcome == agent_outcome::answered && said;
    node.set(turn_keys::answer, has_answer ? said->text() : std::string{});
    tell_end(definition, node, record);
    node.set(turn_keys::record, std::move(record));
}

}  // namespace weft::agent_detail
