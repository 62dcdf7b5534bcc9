#include "commands.hpp"

#include "graph/run_input.hpp"
#include "store/question_text.hpp"
#include "store/store_place.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/shell_word.hpp"
#include "thread/thread_status.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/engine/durable_engine.hpp>

#include <boost/json/value.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace weft_cli {

namespace {

struct event_args {
    store_args store = {};
    std::string thread = {};
    std::string name = {};
    std::string payload = {};
};

/** JSON if it is some, else the text itself; nothing is null. */
boost::json::value payload_of(const std::string& text)
{
    if (text.empty()) return {};
    try {
        return weft::parse_json(text);
    } catch (const weft::error&) {
        return boost::json::string_view{text};
    }
}

weft::task<int> deliver(weft::checkpoint_store& store, const store_place& place, const event_args& args)
{
    const weft::thread_key thread{args.thread, place.tenant};
    co_await require_thread(store, place, thread);
    weft::durable_engine durable{store, std::make_shared<const weft::durable_graphs>()};
    try {
        co_await durable.deliver_event(thread, args.name, payload_of(args.payload));
    } catch (const weft::error& e) {
        if (e.code() != weft::errc::unknown_question && e.code() != weft::errc::invalid_answer) throw;
        throw usage_error{e.code() == weft::errc::unknown_question
                              ? e.detail()
                              : "what comes with the event does not fit: " + e.detail()};
    }
    const std::vector<weft::open_question> open = co_await read_questions(store, thread);
    std::cout << "The event '" << console::harmless_line(args.name) << "' is delivered.\n";
    if (open.empty())
        std::cout << "A run that waits in the store goes on with:\n  weft resume " << shell_word(args.thread)
                  << place.option() << '\n';
    co_return all_good;
}

}  // namespace

void add_event_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<event_args>();
    CLI::App& command = *app.add_subcommand("event", "Deliver an event to nodes of a run that wait for it");
    command.add_option("THREAD", args->thread, "Name of the thread")->required()->type_name("");
    command.add_option("NAME", args->name, "Name of the event")->required()->type_name("");
    command.add_option("PAYLOAD", args->payload, "What comes with it: JSON, or else a text; none: null")->type_name("");
    add_store_options(command, args->store);
    command.footer(R"(All nodes of the thread that wait for the event get what comes with it; an object gives values to
keys by their names. What does not fit is refused, and nobody gets it. A run that is under way in a program goes on by
that; one that waits in the store needs weft resume, or a program that works.

Examples:
  weft event order-7 paid '{"receipt": "r-1"}'
  weft event order-7 cancelled

Exit status: 0 delivered, 1 the store says no, 2 wrong usage, nobody waits for it, a payload that does not fit.)");
    command.callback([args, &exit_code] {
        exit_code = run_on_store("event", args->store, store_use::change,
                                 [args](weft::checkpoint_store& store, const store_place& place) {
                                     return deliver(store, place, *args);
                                 });
    });
}

}  // namespace weft_cli
