#include "effect_once.hpp"

#include "engine/visit/effect_rules.hpp"
#include "node_parking.hpp"
#include "run_core.hpp"
#include "run_extras.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace weft {

namespace {

/** An effect, and its newest try in the journal. */
struct effect_entry {
    std::string address;
    std::string key;
    std::uint32_t number = 0;  // of the newest try
    std::optional<effect_record> last;

    [[nodiscard]] std::string place() const { return address_of_try(address, number); }
    [[nodiscard]] effect_context context(bool may_have_happened) const { return {address, key, may_have_happened}; }
};

task<void> find_newest(effect_journal& journal, effect_entry& entry)
{
    for (std::uint32_t number = 0;; ++number) {
        std::string place = address_of_try(entry.address, number);
        std::optional<effect_record> found = co_await journal.find(std::move(place));
        // Tries are numbered without gaps: the first that is not there ends the search.
        if (!found) co_return;
        entry.number = number;
        if (!found->key.empty()) entry.key = found->key;  // the one that may have gone over the wire
        entry.last = std::move(found);
    }
}

task<void> write_intent(effect_journal& journal, effect_entry& entry, const effect_options& options)
{
    // A further try has a record of its own; what was written of the one before stays for a person who looks.
    if (entry.last) ++entry.number;
    effect_record intent{entry.place(), effect_phase::intended, entry.key, to_json_text(options.input)};
    entry.last = intent;
    co_await journal.record(std::move(intent));
}

task<void> write_outcome(effect_journal& journal, const effect_entry& entry, const boost::json::value& outcome)
{
    effect_record done{entry.place(), effect_phase::done, entry.key, to_json_text(outcome)};
    co_await journal.record(std::move(done));
}

/** Has the effect, and writes down what came of it. */
task<boost::json::value> have_effect(effect_journal& journal, const effect_entry& entry, bool may_have_happened,
                                     effect_call& call)
{
    const effect_context context = entry.context(may_have_happened);
    boost::json::value outcome;
    std::exception_ptr failed;
    try {
        boost::json::value given = co_await call.perform(context);
        outcome = std::move(given);
    } catch (...) {
        failed = std::current_exception();
    }
    if (!failed) {
        co_await write_outcome(journal, entry, outcome);
        co_return outcome;
    }
    // Where the effect may have happened no outcome is written: the next visit then finds an intent, and asks what to
    // do.
    if (!leaves_doubt(code_of(failed))) {
        effect_record record{entry.place(), effect_phase::failed, entry.key, failure_text(failed)};
        co_await journal.record(std::move(record));
    }
    std::rethrow_exception(failed);
}

constexpr const char* do_it_again = "do it again";
constexpr const char* it_happened = "it happened";
constexpr const char* give_up = "give up";

question doubt_question(const effect_entry& entry, const effect_record& intent)
{
    question asked = question::selection("Nobody knows whether the effect '" + entry.address +
                                             "' happened: it was under way when the run broke off. What now?",
                                         {do_it_again, it_happened, give_up});
    asked.help = "Its idempotency key is " + entry.key + ".";
    try {
        asked.about = parse_json(intent.body);
    } catch (const error&) {
        // What was asked for stands in the question if it can be read.
    }
    return asked;
}

/** A policy whose function is missing is found before the effect, not in the crash that needs it. */
void check_policy(const effect_entry& entry, const effect_options& options)
{
    const bool lacks_query = options.in_doubt == doubt_policy::query && !options.query;
    const bool lacks_compensate = options.in_doubt == doubt_policy::compensate && !options.compensate;
    if (lacks_query || lacks_compensate)
        throw error{errc::invalid_configuration, "effect '" + entry.address + "'",
                    std::string{"its policy for doubt calls a function that is missing: set effect_options::"} +
                        (lacks_query ? "query" : "compensate")};
}

[[noreturn]] void refuse_in_doubt(const effect_entry& entry)
{
    throw error{errc::effect_in_doubt, "effect '" + entry.address + "'",
                "it was under way when the run broke off; find out what became of the call with the idempotency key " +
                    entry.key};
}

/** The node that has an effect, and the questions of its outermost run. */
struct effect_place {
    run_core& core;
    node_run& work;

    [[nodiscard]] run_questions& questions() const { return core.outermost().extra().questions; }
};

/** What a person says about an effect in doubt. @return Its outcome, if it happened. */
task<std::optional<boost::json::value>> ask_about_effect(effect_place place, std::string effect, std::string newest_try,
                                                         question asked, boost::json::object outcome_schema)
{
    std::string first = newest_try + "/ask#0";
    const boost::json::value said =
        co_await place.questions().ask(place.core, place.work, std::move(first), std::move(asked));
    // A person has the last word; the effect stays in doubt for a later look.
    if (said == give_up) throw error{errc::effect_in_doubt, "effect '" + effect + "'", "a person gave it up"};
    if (said == do_it_again) co_return std::nullopt;
    if (outcome_schema.empty()) co_return boost::json::value{};
    question which = question::structured("What was the outcome of '" + effect + "'?", std::move(outcome_schema));
    std::string second = newest_try + "/ask#1";
    boost::json::value outcome =
        co_await place.questions().ask(place.core, place.work, std::move(second), std::move(which));
    co_return outcome;
}

/** Does what comes before an effect is had. @return Its outcome, if that is known. */
task<std::optional<boost::json::value>> settle_doubt(effect_place place, effect_journal& journal,
                                                     const effect_entry& entry, effect_step step,
                                                     const effect_options& options, const effect_call& call)
{
    const effect_context context = entry.context(true);
    std::optional<boost::json::value> outcome;
    if (step == effect_step::compensate) {
        const work_under_way busy{place.core, place.work};
        co_await options.compensate(context);
    } else if (step == effect_step::query) {
        const work_under_way busy{place.core, place.work};
        std::optional<boost::json::value> said = co_await options.query(context);
        outcome = std::move(said);
    } else if (step == effect_step::ask) {
        question asked = doubt_question(entry, *entry.last);
        boost::json::object schema = call.outcome_schema();
        std::optional<boost::json::value> said =
            co_await ask_about_effect(place, entry.address, entry.place(), std::move(asked), std::move(schema));
        outcome = std::move(said);
    }
    const work_under_way busy{place.core, place.work};
    // What was found out is written down as if the call had answered: it is asked once.
    if (outcome) co_await write_outcome(journal, entry, *outcome);
    co_return outcome;
}

}  // namespace

effect_context name_effect(run_core& core, node_context& node, std::string_view name)
{
    std::string address = places_of(core, core.nodes.work_of(node)).next(name);
    std::string& scope = core.outermost().scheduler().where().extra().effect_scope;
    // Without a store two runs of one thread must not share keys; a resume keeps the scope, and with it the keys.
    if (scope.empty())
        scope = std::string{core.thread()} + "/" + std::to_string(core.loop.random().next()) + "-" +
                std::to_string(core.loop.random().next());
    std::string key = idempotency_key(scope, address);
    return {std::move(address), std::move(key)};
}

task<boost::json::value> effect_once(run_core& core, node_context& node, std::string name,
                                     const effect_options& options, effect_call& call)
{
    node_run& work = core.nodes.work_of(node);
    const effect_place place{core, work};
    const std::shared_ptr<effect_journal> journal = place.questions().journal();
    effect_entry entry;
    entry.address = places_of(core, work).next(name);
    check_policy(entry, options);
    entry.key = idempotency_key(journal->scope(), entry.address);
    {
        const work_under_way busy{core, work};
        co_await find_newest(*journal, entry);
    }
    const effect_step step = next_step(entry.last ? &*entry.last : nullptr, options);
    if (step == effect_step::give) co_return parse_json(entry.last->body);
    if (step == effect_step::rethrow) throw failure_from(*entry.last);
    if (step == effect_step::refuse) refuse_in_doubt(entry);
    std::optional<boost::json::value> known = co_await settle_doubt(place, *journal, entry, step, options, call);
    if (known) co_return std::move(*known);
    const work_under_way busy{core, work};
    // A repeat goes under the intent that is there: with its key, by which the other side knows it.
    if (step == effect_step::begin || step == effect_step::ask) co_await write_intent(*journal, entry, options);
    boost::json::value outcome = co_await have_effect(*journal, entry, step != effect_step::begin, call);
    co_return outcome;
}

}  // namespace weft
